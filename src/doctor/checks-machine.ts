import { type Check, error, warning, word } from './check.ts'
import { isOurs, PACKAGE } from './installed.ts'

const NEWER_GIT = 'Newer versions: https://git-scm.com/downloads'

/** `engines` of package.json. */
const OLDEST_NODE = 20

export const git: Check = {
  id: 'git',
  about: 'git is new enough',
  fine: ({ git: version }) => version ?? '',
  *look({ git: version }) {
    if (version === null)
      yield error('git was not found', `Install git 2.38 or newer and put it on PATH. ${NEWER_GIT}`)
    // Every option that is used is there from here on; older ones are refused (`src/git/open-repo.ts`).
    else if (isBefore(version, [2, 30]))
      yield error(`git ${version} is too old`, `handoff needs git 2.30 or newer, better 2.38. ${NEWER_GIT}`)
    // `safe.bareRepository` and `git merge-tree --write-tree` came with this one.
    else if (isBefore(version, [2, 38]))
      yield warning(
        `git ${version} lacks a protection`,
        `Before 2.38 git obeys the configuration of a repository hidden inside a repository (safe.bareRepository), and \`verify\` and \`review\` cannot try a merge. ${NEWER_GIT}`,
      )
  },
}

/** One that does not say its version has answered everything so far. */
function isBefore(version: string, [major, minor]: [number, number]): boolean {
  const [, a, b] = /(\d+)\.(\d+)/.exec(version) ?? []
  return a !== undefined && (Number(a) < major || (Number(a) === major && Number(b) < minor))
}

export const node: Check = {
  id: 'node',
  about: 'Node is new enough',
  fine: ({ node: version }) => version,
  *look({ node: version }) {
    if (Number.parseInt(version, 10) < OLDEST_NODE)
      yield error(
        `Node ${version} is too old`,
        `handoff needs Node ${OLDEST_NODE} or newer (https://nodejs.org/en/download). With a version manager:`,
        `nvm install ${OLDEST_NODE}`,
      )
  },
}

export const home: Check = {
  id: 'home',
  about: 'the home directory is there',
  fine: ({ home: { path } }) => path,
  *look({ home: { path, is } }) {
    if (is === 'there') return
    yield warning(
      `${path} ${is === 'missing' ? 'does not exist' : 'is not a folder'}`,
      'It is the home directory here. Agents keep sessions and settings below it, so none are found, and your own configuration is not read. Set HOME to your own, as in `export HOME=/home/you`, or create it.',
      is === 'missing' ? `mkdir -p ${word(path)}` : null,
    )
  },
}

/** What stands for `handoff` on PATH is this program, in this version. */
export const program: Check = {
  id: 'program',
  about: 'handoff on PATH is this program',
  fine: ({ onPath: { handoff, gitHandoff }, call }) =>
    handoff?.path ??
    gitHandoff?.path ??
    `It is not on PATH, and no hook needs it there. \`${call}\` runs it.`,
  *look({ onPath: { handoff, gitHandoff }, version }) {
    if (handoff !== null && !isOurs(handoff))
      yield warning(
        '`handoff` is another program here',
        `${ownerOf(handoff)}, not to ${PACKAGE}. \`git-handoff\` and \`git handoff\` always mean this one.`,
        handoff.name === null
          ? `npm install --global ${PACKAGE}`
          : `npm uninstall --global ${handoff.name} && npm install --global ${PACKAGE}`,
      )
    const other = [handoff, gitHandoff].find((one) => one !== null && isOurs(one) && one.version !== version)
    if (other)
      yield warning(
        `handoff ${other.version ?? 'of another version'} is on PATH, ${version} runs`,
        `You and your agents call ${other.path}. Two versions may not agree.`,
        `npm install --global ${PACKAGE}@${version}`,
      )
  },
}

const ownerOf = ({ path, name }: { path: string; name: string | null }): string =>
  `${path} belongs to ${name === null ? 'no known package' : `the package ${name}`}`

export const switchedOff: Check = {
  id: 'switched-off',
  about: 'hooks are not switched off',
  *look({ isOff }) {
    if (isOff)
      yield warning(
        'HANDOFF=0 switches every hook off',
        'The variable is set in this shell, and so in every agent that is started from it.',
        'unset HANDOFF',
      )
  },
}

/** Agents answer when they are asked for their version, and their sessions can be read. */
export const agents: Check = {
  id: 'agents',
  about: 'agents on this machine answer',
  fine: ({ agents: all }) =>
    all
      .filter(({ program: path }) => path !== null)
      .map(({ label, version }) => `${label} ${version ?? ''}`.trim())
      .join(', ') || 'No agent is on PATH.',
  *look({ agents: all }) {
    for (const { label, program: path, version, why, sessionsProblem } of all) {
      if (path !== null && version === null)
        yield warning(`${label} does not answer`, `\`${path} --version\`: ${why ?? 'no version'}.`)
      if (sessionsProblem !== null) yield warning(`sessions of ${label} cannot be read`, sessionsProblem)
    }
  },
}

/** The package that every service is reached through. */
const CORE = 'ai'

/** Packages that `--extract provider/model` loads; they are optional, and one alone is of no use. */
export const models: Check = {
  id: 'models',
  about: 'packages for `--extract provider/model` are complete, or absent',
  fine: ({ models: { found, missing } }) =>
    found.length === 0
      ? `None of ${missing.join(', ')} is installed; nothing else needs them.`
      : `Installed: ${found.join(', ')}.`,
  *look({ models: { found, missing, install } }) {
    if (found.length === 0 || (found.includes(CORE) && found.length > 1)) return
    yield warning(
      'packages for a model are incomplete',
      `${found.join(', ')} is installed without ${found.includes(CORE) ? 'the package of any service' : CORE}, so \`--extract provider/model\` fails (missing: ${missing.join(', ')}).`,
      install,
    )
  },
}
