import { check, error, warning } from '../check.ts'

/** Every option that is used is there from here on; older ones are refused (`src/git/open-repo.ts`). */
const OLDEST = [2, 30] as const
/** `safe.bareRepository` and `git merge-tree --write-tree` came with this one. */
const WHOLE = [2, 38] as const

const INSTALL = 'https://git-scm.com/downloads has newer ones.'

export const git = check({
  id: 'git',
  about: 'git is new enough',
  fine: ({ git: version }) => version ?? '',
  look({ git: version }) {
    if (version === null)
      return [error('git was not found', `Install git 2.38 or newer and put it on PATH; ${INSTALL}`, null)]
    if (isBefore(version, OLDEST))
      return [error(`git ${version} is too old`, `handoff needs git 2.30, better 2.38. ${INSTALL}`, null)]
    if (isBefore(version, WHOLE))
      return [
        warning(
          `git ${version} lacks a protection`,
          `Before 2.38 git runs what a repository hidden inside a repository says (safe.bareRepository), and \`verify\` and \`review\` cannot try a merge. ${INSTALL}`,
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
