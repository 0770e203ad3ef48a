import { check, warning } from '../check.ts'

/** The one that every service is reached through. */
const CORE = 'ai'

/** Packages that `--extract provider/model` loads; they are optional, and one alone is of no use. */
export const models = check({
  id: 'models',
  about: 'packages for `--extract provider/model` are whole, or not there',
  fine: ({ models: { found, missing } }) =>
    found.length === 0
      ? `None of ${missing.join(', ')} is installed; nothing else needs them.`
      : `Installed: ${found.join(', ')}.`,
  look({ models: { found, missing, install } }) {
    const isHalf = found.length > 0 && (!found.includes(CORE) || found.length === 1)
    if (!isHalf) return []
    return [
      warning(
        'packages for a model are only half there',
        `${found.join(', ')} without ${found.includes(CORE) ? 'the package of any service' : CORE}: \`--extract provider/model\` fails, and says so (missing: ${missing.join(', ')}).`,
        install,
      ),
    ]
  },
})
