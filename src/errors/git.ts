import { failure, quoted, reasonOf } from './handoff-error.ts'

/** What CI servers fetch is often the last commit alone. */
const SHALLOW =
  'A shallow clone needs `git fetch --unshallow` first; in CI check out all of history: `fetch-depth: 0` of actions/checkout, `GIT_DEPTH: 0` in GitLab CI.'

export const notARepository = failure('E_NO_REPOSITORY', (dir: string) => [
  `Not a git repository: ${dir}`,
  'Change to the folder of a repository or name it with `--cwd <folder>`; `git init` makes one here.',
])
/** git would follow these variables; handoff does not, since a hook sets them for another repository. */
export const gitDirIgnored = failure('E_NO_REPOSITORY', (dir: string) => [
  `Not a git repository: ${dir}. GIT_DIR is set, and handoff does not follow it.`,
  'Say in the folder where its git directory is: `echo "gitdir: $GIT_DIR" > .git`.',
])
/** As `notARepository`, for `create`, which can do without. */
export const nowhereToKeep = failure('E_NO_REPOSITORY', (dir: string) => [
  `Not a git repository: ${dir}`,
  'Run `git init` first, or print the brief: `git handoff create "<goal>" --print`.',
])
export const noSuchFolder = failure('E_NO_FOLDER', (dir: string) => [
  `No such folder: ${dir === '' ? '(--cwd without a value)' : dir}`,
  'Give an existing directory to `--cwd`.',
])
export const folderGone = failure('E_NO_FOLDER', () => [
  'The folder you are in is gone.',
  'Change to one that is there, or name it with `--cwd`.',
])
export const bareRepository = failure('E_BARE_REPOSITORY', (dir: string) => [
  `This is a bare repository, there is no work tree to hand over: ${dir}`,
  'Run the command in a clone or worktree: `git worktree add ../work` and `cd ../work`.',
])
export const dubiousOwner = failure('E_DUBIOUS_OWNER', (dir: string) => [
  `Git refuses this repository because another user owns it: ${dir}`,
  `If you trust it: \`git config --global --add safe.directory ${dir}\``,
])
export const gitMissing = failure('E_GIT_MISSING', (cause?: unknown) => [
  'git was not found.',
  'Install git 2.30 or newer and put it on PATH.',
  {
    cause,
  },
])
export const gitTooOld = failure('E_GIT_TOO_OLD', (version: string) => [
  `git ${version} is too old.`,
  'Install git 2.30 or newer.',
])
export const gitFailed = failure('E_GIT', (args: readonly string[], stderr: string, cause?: unknown) => [
  `git ${args.slice(0, 2).join(' ')} failed: ${stderr.trim() || reasonOf(cause)}`,
  'Run the same git command by hand to see more; nothing was changed by handoff.',
  { exit: 1, cause },
])

/** `ref`: a branch that has it, as a word for the shell; null where the clone is shallow. */
export const headUnknown = failure('E_BAD_REVISION', (id: string, ref: string | null) => [
  `Neither brief ${id} nor the commit it was made at is in the history of HEAD.`,
  ref === null
    ? SHALLOW
    : `Look at it where it is: \`git switch --detach ${ref}\`; \`git switch -\` goes back.`,
])
export const badRevision = failure('E_BAD_REVISION', (rev: string, meant?: string) => [
  `Not a commit here: ${quoted(rev, 120)}`,
  meant === undefined
    ? `Give a branch, tag or commit id that \`git rev-parse\` knows. ${SHALLOW}`
    : `Did you mean \`${meant}\`?`,
])
export const noCommonAncestor = failure('E_BAD_REVISION', (range: string) => [
  `The two ends of ${quoted(range, 120)} have no common ancestor here.`,
  `Name the commits with two dots to compare them anyway. ${SHALLOW}`,
])
/** `merge`: the last one into this branch, a short id; null where there is none. */
export const noRange = failure('E_NO_RANGE', (merge: string | null) => [
  'It is not known what this branch is to be compared with.',
  merge === null
    ? 'Name the commit before the work: `git handoff review <commit>..HEAD`, or `git handoff check --range <commit>..HEAD`.'
    : `Name the commits, for example those of the last merge: \`git handoff review ${merge}^..${merge}\``,
])
