import { check, error, type Problem, warning, word } from './check.ts'
import type { Installed } from './facts.ts'

/** Every option that is used is there from here on; older ones are refused (`src/git/open-repo.ts`). */
const OLDEST_GIT = [2, 30] as const
/** `safe.bareRepository` and `git merge-tree --write-tree` came with this one. */
const WHOLE_GIT = [2, 38] as const

const NEWER_GIT = 'https://git-scm.com/downloads has newer ones.'

export const git = check({
  id: 'git',
  about: 'git is new enough',
  fine: ({ git: version }) => version ?? '',
  look({ git: version }) {
    if (version === null)
      return [error('git was not found', `Install git 2.38 or newer and put it on PATH; ${NEWER_GIT}`, null)]
    if (isBefore(version, OLDEST_GIT))
      return [error(`git ${version} is too old`, `handoff needs git 2.30, better 2.38. ${NEWER_GIT}`, null)]
    if (isBefore(version, WHOLE_GIT))
      return [
        warning(
          `git ${version} lacks a protection`,
          `Before 2.38 git runs what a repository hidden inside a repository says (safe.bareRepository), and \`verify\` and \`review\` cannot try a merge. ${NEWER_GIT}`,
          null,
        ),
      ]
    return []
  },
})

function isBefore(version: string, [major, minor]: readonly [number, number]): boolean {
  const [, a, b] = /(\d+)\.(\d+)/.exec(version) ?? []
  // One that does not say its version has answered everything so far.
  if (a === undefined || b === undefined) return false
  return Number(a) < major || (Number(a) === major && Number(b) < minor)
}

/** `engines` of package.json. */
const OLDEST_NODE = 20

export const node = check({
  id: 'node',
  about: 'Node is new enough',
  fine: ({ node: version }) => version,
  look: ({ node: version }) =>
    Number.parseInt(version, 10) >= OLDEST_NODE
      ? []
      : [
          error(
            `Node ${version} is too old`,
            `handoff needs Node ${OLDEST_NODE} or newer (https://nodejs.org/en/download). With a version manager:`,
            `nvm install ${OLDEST_NODE}`,
          ),
        ],
})

export const home = check({
  id: 'home',
  about: 'the home directory is there',
  fine: ({ home: { path } }) => path,
  look({ home: { path, is } }) {
    if (is === 'there') return []
    return [
      warning(
        `${path} ${is === 'missing' ? 'does not exist' : 'is no folder'}`,
        'It is the home directory here: agents keep their sessions and settings below it, so none are found, and your own configuration is not read. Set HOME to yours, as in `export HOME=/home/you`, or make it.',
        is === 'missing' ? `mkdir -p ${word(path)}` : null,
      ),
    ]
  },
})

export const PACKAGE = 'git-handoff'

/** What stands for `handoff` on PATH is this program, in this version. */
export const program = check({
  id: 'program',
  about: 'handoff on PATH is this program',
  fine: ({ onPath, call }) =>
    onPath.handoff?.path ??
    onPath.gitHandoff?.path ??
    `It is not on PATH, which no hook needs; \`${call}\` runs it.`,
  look: ({ onPath, version }) => {
    const { handoff, gitHandoff } = onPath
    const strange: Problem[] =
      handoff === null || isOurs(handoff)
        ? []
        : [
            warning(
              '`handoff` is another program here',
              `${handoff.path} belongs to ${handoff.name === null ? 'no package that is known' : `the package ${handoff.name}`}, not to ${PACKAGE}. \`git-handoff\` and \`git handoff\` always mean this one.`,
              handoff.name === null
                ? `npm install --global ${PACKAGE}`
                : `npm uninstall --global ${handoff.name} && npm install --global ${PACKAGE}`,
            ),
          ]
    const found = [handoff, gitHandoff].find((one) => one !== null && isOurs(one) && one.version !== version)
    if (!found) return strange
    return [
      ...strange,
      warning(
        `handoff ${found.version ?? 'of another version'} is on PATH, ${version} runs`,
        `${found.path} is what you and your agents call; two versions may not agree.`,
        `npm install --global ${PACKAGE}@${version}`,
      ),
    ]
  },
})

/** A program of which nobody can tell whose it is, is not called a stranger's when it lies in a package of ours. */
export const isOurs = ({ name }: Installed): boolean => name === PACKAGE

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

export const switchedOff = check({
  id: 'switched-off',
  about: 'hooks are not switched off',
  look: ({ isOff }) =>
    isOff
      ? [
          warning(
            'HANDOFF=0 switches every hook off',
            'It stands in the environment of this shell, and so of every agent that is started from it.',
            'unset HANDOFF',
          ),
        ]
      : [],
})

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
