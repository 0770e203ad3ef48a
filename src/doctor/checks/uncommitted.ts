import { repositoryCheck, warning, word } from '../check.ts'

/** Briefs on disk that no commit holds. */
export const uncommitted = repositoryCheck({
  id: 'uncommitted',
  about: 'every brief on disk is committed',
  look: ({ uncommitted: paths, drafts, operation }) => [
    ...(paths.length === 0
      ? []
      : [
          warning(
            paths.length === 1 ? 'a brief is not committed' : `${paths.length} briefs are not committed`,
            `${listed(paths)}: on disk alone, so no other clone and no pull request has ${paths.length === 1 ? 'it' : 'them'}.${operation === null ? '' : ` A ${operation} is not over yet.`}`,
            operation === null
              ? `git add -- ${paths.map(word).join(' ')} && git commit -m 'Keep what was handed over' -- ${paths.map(word).join(' ')}`
              : null,
          ),
        ]),
    ...drafts
      .map((path) =>
        warning(
          'a handoff was killed before it had committed its brief',
          'The text is kept. Read it, hand over again, then take it away:',
          `rm ${word(path)}`,
        ),
      )
      .map((problem, at) => ({ ...problem, detail: `${drafts[at]}: ${problem.detail}` })),
  ],
})

/** Names that are told; a folder may hold thousands. */
const TOLD = 3

const listed = (paths: readonly string[]): string =>
  `${paths.slice(0, TOLD).join(', ')}${paths.length > TOLD ? ` and ${paths.length - TOLD} more` : ''}`
