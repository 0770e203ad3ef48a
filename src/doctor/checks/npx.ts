import { check, warning } from '../check.ts'
import { isOurs, PACKAGE } from './program.ts'

/** The bin `handoff`, as npx is asked for it: the package of that name on the registry is a stranger's. */
const CALL = ['npx', 'handoff'].join(' ')

export const npx = check({
  id: 'npx',
  about: `${CALL} runs this program`,
  fine: ({ npx: { installed } }) => installed?.path ?? '',
  look({ npx: { from, installed, hasManifest } }) {
    const here = `npm install --save-dev ${PACKAGE}`
    const anywhere = `npm install --global ${PACKAGE}`
    if (from === 'yarn')
      return [
        warning(
          `\`${CALL}\` would run a stranger's program`,
          `Yarn's Plug'n'Play keeps ${PACKAGE} where npx does not look, so npx fetches the package that is called \`handoff\`, which is not this one. Say \`yarn handoff\`.`,
          null,
        ),
      ]
    if (from === 'registry')
      return [
        warning(
          `\`${CALL}\` would run a stranger's program`,
          `${PACKAGE} is installed neither in this folder nor globally, so npx fetches the package that is called \`handoff\`, which is not this one. Say \`npx ${PACKAGE}\`, or install it:`,
          hasManifest ? here : anywhere,
        ),
      ]
    if (installed === null || isOurs(installed)) return []
    const name = installed.name
    return [
      warning(
        `\`${CALL}\` runs another program`,
        `${installed.path} belongs to ${name === null ? 'no package that is known' : `the package ${name}`}. Say \`npx ${PACKAGE}\`, or exchange it:`,
        from === 'local'
          ? `${name === null ? '' : `npm uninstall ${name} && `}${here}`
          : `${name === null ? '' : `npm uninstall --global ${name} && `}${anywhere}`,
      ),
    ]
  },
})
