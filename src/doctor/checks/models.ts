import { check, warning } from '../check.ts'

/** Packages that extraction by a model needs; they are optional. */
export const models = check({
  id: 'models',
  about: 'the packages for a model are there, where one is configured',
  fine: ({ models: { found, missing } }) =>
    found.length === 0
      ? `None is installed (${missing.join(', ')}); they are needed for \`--extract provider/model\` alone.`
      : `Installed: ${found.join(', ')}.`,
  look({ models: { needed, missing, model } }) {
    const lacking = needed.filter((name) => missing.includes(name))
    if (lacking.length === 0) return []
    return [
      warning(
        `${lacking.join(' and ')} ${lacking.length === 1 ? 'is' : 'are'} not installed`,
        `The configured model ${model ?? ''} is asked through ${lacking.length === 1 ? 'it' : 'them'}. Without, briefs are made as ever, and say so.`,
        `npm install --save-dev ${lacking.join(' ')}`,
      ),
    ]
  },
})
