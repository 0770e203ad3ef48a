import { repositoryCheck, warning, word } from '../check.ts'
import { commitCommand } from '../commit-command.ts'

/** Briefs on disk that no commit holds. */
export const uncommitted = repositoryCheck({
  id: 'uncommitted',
  about: 'every brief on disk is committed',
  look({ uncommitted, drafts, operation, parked }) {
    // One that is parked is told as that.
    const paths = uncommitted.filter((path) => !parked.some((one) => one.path === path))
    const told = drafts.map(({ path, why }) =>
      warning(WHY[why], `The text is kept in ${path}. ${NEXT[why]}, then take it away:`, `rm ${word(path)}`),
    )
    if (paths.length === 0) return told
    const isOne = paths.length === 1
    const unless = operation === null ? '' : ` A ${operation} is not over yet.`
    return [
      warning(
        isOne ? 'a brief is not committed' : `${paths.length} briefs are not committed`,
        `${listed(paths)}: on disk alone, so no other clone and no pull request has ${isOne ? 'it' : 'them'}.${unless}`,
        operation === null ? commitCommand(paths) : null,
      ),
      ...told,
    ]
  },
})

const WHY = {
  killed: 'a handoff was stopped before it had committed its brief',
  edited: 'the edit of a brief was cancelled, refused or stopped',
  failed: 'a brief could not be committed to its branch',
}
const NEXT = {
  killed: 'Read it, hand over again',
  edited: 'Take from it what you need',
  failed: 'Read it, hand over again',
}

/** Names that are told; a folder may hold thousands. */
const TOLD = 3

const listed = (paths: readonly string[]): string =>
  `${paths.slice(0, TOLD).join(', ')}${paths.length > TOLD ? ` and ${paths.length - TOLD} more` : ''}`
