import { failure, quoted, reasonOf } from './handoff-error.ts'

export const foreignFolder = failure('E_FOREIGN_FOLDER', (detail: string) => [
  `.handoff/ belongs to something else: ${detail}`,
  "Move those files away, then run the command again: `mv .handoff other-name`. Or keep briefs on a branch of their own: `echo 'commit: {branch: separate}' >> .handoffrc`. Nothing was overwritten.",
])
export const ignoredFolder = failure('E_IGNORED_FOLDER', (rule: string) => [
  `.handoff/ is ignored by git (${rule}), so a brief could not be committed.`,
  // Nothing outside of a folder wins over the rules inside of it.
  rule.startsWith('.handoff/')
    ? 'Take that rule out, then run the command again.'
    : "Whichever file has the rule, two lines of the repository's .gitignore undo it: `printf '\\n%s\\n' '!/.handoff/' '!/.handoff/**' >> \"$(git rev-parse --show-toplevel)/.gitignore\"`. Then run the command again.",
])
export const unsafeFolder = failure('E_UNSAFE_PATH', (path: string, what: string) => [
  `${path} is ${what}; briefs are only written to plain files in plain folders.`,
  'Move it elsewhere or remove it, then run the command again. Nothing was written.',
])
export const badId = failure('E_BAD_ID', (id: string) => [
  `Not a brief id: ${quoted(id, 80)}`,
  'An id looks like 20261122T014815-1f3a9c07. `git handoff log` lists them; `latest` and a unique prefix work too.',
])
/** `id`: a word behind that of a question. */
export const questionNotQuoted = failure('E_BAD_ID', (id: string) => [
  `Not a brief id: ${quoted(id, 80)}`,
  'Put a question of several words in quotes: `git handoff ask "why was the lock given up?"`. `git handoff log` lists ids.',
])
export const unknownId = failure('E_UNKNOWN_ID', (id: string) => [
  `No brief ${id} was found here.`,
  '`git handoff log --all` lists every brief that git knows here; `git fetch` brings those of others.',
])
export const ambiguousId = failure('E_AMBIGUOUS_ID', (id: string, candidates: readonly string[]) => [
  `${id} fits several briefs:\n${candidates.join('\n')}`,
  'Give more digits of the id; `git handoff log --all` shows them with their goals.',
  { data: { candidates } },
])
/** `landed`: the brief that was merged last, where that is why there is none. */
export const noBrief = failure('E_NO_BRIEF', (landed: string | null = null) => [
  `No brief is open here${landed === null ? '' : `; ${landed} has landed`}.`,
  `${landed === null ? '' : `Read it: \`git handoff show ${landed}\`. `}Make one: \`git handoff create "<goal>"\``,
])
/** `line`: what it waits for. */
export const onlyParked = failure(
  'E_NO_BRIEF',
  (line: string, { id, isGone }: { id: string; isGone: boolean }) => [
    `No brief is committed here; parked: ${line}.`,
    `${isGone ? '' : 'On that branch, once no git operation is in progress there, run the command again: it commits the brief first. Until then '}\`git handoff show ${id}\` prints it.`,
  ],
)
export const noOrigin = failure('E_NO_ORIGIN', () => [
  'This repository has no remote called origin.',
  'Add one with `git remote add origin <url>`, or trust one brief: `git handoff trust <id>`',
])
export const noParent = failure('E_NO_PARENT', (id: string) => [
  `Brief ${id} is the first of its chain: nothing comes before it.`,
  'Name two briefs: `git handoff diff <older> <newer>`; `git handoff log --all` lists them.',
])
export const chainClosed = failure('E_CHAIN_CLOSED', (id: string, last: string | null) => [
  `The chain is closed, by ${id}; nothing is open.`,
  last === null
    ? 'A new one starts with `git handoff create "<goal>"`.'
    : `Open it again: \`git handoff resume ${last}\`. A new one starts with \`git handoff create "<goal>"\`.`,
])
export const parentMissing = failure('E_PARENT_MISSING', (id: string, parent: string, shallow: boolean) => [
  `The parent ${parent} of brief ${id} is not in the history that is here.`,
  shallow
    ? 'This clone is shallow: `git fetch --unshallow` brings the rest.'
    : 'It may be on a branch that was not fetched: `git fetch --all`.',
])
export const notPruned = failure('E_NOT_PRUNED', (detail: string, cause: unknown) => {
  // Where not even the index could be put back, nobody could look whether the branch has moved.
  const isUnknown = detail.includes('is still staged')
  return [
    `The briefs ${isUnknown ? 'may ' : ''}stay in the tree: ${detail}`,
    isUnknown
      ? 'Fix the cause and run it again, or undo it: `git restore --staged .handoff/briefs`. Files that git does not know then are out of the tree; history has them.'
      : 'Nothing was changed. Do it again when git is free.',
    { exit: 1, cause },
  ]
})
/** The commit is made. */
export const stayOnDisk = failure('E_NOT_PRUNED', (paths: readonly string[], cause: unknown) => [
  `The briefs are out of the tree, but not off the disk: ${reasonOf(cause)}`,
  `History has them. Remove what is left: \`rm ${paths.join(' ')}\``,
  { exit: 1, cause },
])
export const operationInProgress = failure('E_IN_PROGRESS', (operation: string) => [
  `A ${operation} is in progress, and its abort would bring back what is taken out of the tree now.`,
  `Finish or abort the ${operation}, then do this again.`,
])
export const briefUnreadable = failure(
  'E_BRIEF_UNREADABLE',
  (path: string, detail: string, cause?: unknown) => [
    `${path}: ${detail}`,
    'See `docs/spec/brief-v1.md` for the format; `git handoff check` names every problem.',
    { exit: 1, cause },
  ],
)
export const newerSchema = failure('E_NEWER_SCHEMA', (path: string, version: unknown) => [
  `${path} was written with schema version ${String(version)}; this handoff reads version 1.`,
  'Upgrade: `npm install -g git-handoff@latest`',
  { exit: 1 },
])
