import { failure } from './handoff-error.ts'

/** Uncommitted work that goes to another clone. */

const BY_HAND = 'Commit it, or name in `.gitignore` what need not go; then run the command again.'

export const workTooLarge = failure('E_WORK_TOO_LARGE', (files: number, size: string, limits: string) => [
  `The uncommitted work is ${files.toLocaleString('en')} files, ${size}; at most ${limits} go beside a brief. Nothing was sent.`,
  BY_HAND,
  { exit: 1, data: { files } },
])
/** `why`: a clause. */
export const workNotTaken = failure('E_IN_PROGRESS', (why: string) => [
  `Uncommitted work can neither be sent nor restored here: ${why}.`,
  'Finish or abort that, then run the command again. Nothing was changed.',
])
export const workWithoutBrief = failure('E_NO_BRIEF', (branch: string) => [
  `No brief is open on ${branch}, so nothing says what the uncommitted work is for.`,
  'Hand over with it: `git handoff create "<goal>" --work`, then `git handoff push`.',
])
/** `paths`: those changes here that nobody else has; `again`: the command, as it was typed. */
export const workInTheWay = failure('E_IN_THE_WAY', (id: string, paths: readonly string[], again: string) => [
  `The work beside ${id} is not restored: ${paths.length === 1 ? 'a file here has a change of yours' : `${paths.length} files here have changes of yours`} (${paths.slice(0, 5).join(', ')}${paths.length > 5 ? ', …' : ''}). Nothing was changed.`,
  `Commit them, or set them aside with \`git stash push --include-untracked\`, then \`${again}\`. For the branch alone: \`${again} --no-work\``,
  { exit: 1, data: { files: paths } },
])
/** `ref`: where it is kept here; `files`: those that both sides changed, null where git cannot tell. */
export const workConflicts = failure(
  'E_IN_THE_WAY',
  (id: string, ref: string, files: readonly string[] | null) => [
    files === null
      ? `The branch has moved on since the work beside ${id} was sent, and git before 2.38 cannot merge it here.`
      : `The branch has moved on since the work beside ${id} was sent, and both change ${files.slice(0, 5).join(', ')}${files.length > 5 ? ', …' : ''}. Nothing was changed.`,
    `Run the command again with \`--no-work\`, then merge by hand: \`git cherry-pick --no-commit -m 1 ${ref}\``,
    { exit: 1, data: { files: files ?? [] } },
  ],
)
export const conversationMissing = failure('E_NO_SESSION', (id: string | null) => [
  id === null
    ? 'No brief is open on this branch, so there is no conversation behind it.'
    : `The session behind ${id} is not on this machine, or it was made without one.`,
  'Hand over from the session: `git handoff create "<goal>" --session <id>`; `git handoff sessions` lists them.',
])
export const workPushRefused = failure('E_PUSH_REFUSED', (remote: string, id: string, why: string) => [
  `${remote} did not take what goes beside ${id}: ${why}.`,
  'Run `git handoff push --work` again, or commit it on a branch of its own: `git switch -c <name>`. It is kept here.',
  { exit: 1, data: { said: why } },
])
export const outsideSparse = failure('E_IN_THE_WAY', (id: string, files: readonly string[]) => [
  `The work beside ${id} changes files outside your sparse checkout (${files.slice(0, 5).join(', ')}${files.length > 5 ? ', …' : ''}). Nothing of it was restored.`,
  'Add their folders with `git sparse-checkout add <folder>`, then run the command again.',
  { exit: 1, data: { files } },
])
