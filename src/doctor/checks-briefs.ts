import { commitCommand, type Problem, repositoryCheck, spanOf, warning, word } from './check.ts'
import type { LatestFacts, RepoFacts } from './facts.ts'

const LATEST = '.handoff/latest.md'

export const latest = repositoryCheck({
  id: 'latest',
  about: 'latest.md says what it should',
  look: (repo, { call }) => [...pointerProblems(repo.latest, call), ...copyProblems(repo, call)],
})

/** What git sees of it. */
function pointerProblems(one: LatestFacts, call: string): Problem[] {
  // What git has is the pointer alone; the next command writes the copy below it.
  const back = one.isRightInHead ? `git checkout HEAD -- ${LATEST} && ${call} status` : null
  const create = 'The next `create` writes it anew and keeps what stands there aside.'
  if (one.state === null)
    return one.isTracked
      ? [
          warning(
            `${LATEST} is gone from the work tree`,
            'The next agent looks for it there.',
            `git checkout -- ${LATEST} && ${call} status`,
          ),
        ]
      : []
  if (one.state === 'conflicted')
    return [
      warning(
        `${LATEST} holds the marks of a merge conflict`,
        back === null ? create : 'It is the same on every branch, so either side is right.',
        back,
      ),
    ]
  if (one.state === 'changed')
    return [
      warning(
        `${LATEST} is not the pointer that handoff wrote`,
        back === null
          ? create
          : 'An agent that starts from it is told something else. What stands there is lost with:',
        back,
      ),
    ]
  if (one.isTracked && !one.isRight)
    return [
      warning(
        `${LATEST} was committed with a text of its own`,
        'git should keep the pointer alone there, which is the same in every commit, so that branches never conflict. Where the filter works git takes it for changed, and checkout, reset and stash do not help; every command of handoff makes it clean, and the next `create` puts it right for good.',
        null,
      ),
    ]
  return []
}

/** The copy below the pointer, which git does not see. */
function copyProblems({ latest: one, filter }: RepoFacts, call: string): Problem[] {
  if (one.state !== 'ours' || filter.final !== filter.wanted || !one.isHidden) return []
  const anew = `${call} status`
  if (one.isEdited)
    return [
      warning(
        `${LATEST} was changed below its marker`,
        'git takes no notice of what stands there. The next command of handoff keeps that text aside and writes the copy anew:',
        anew,
      ),
    ]
  const { marker, current } = one
  if (marker === null ? current === null : marker.id === current && marker.branch === one.branch) return []
  return [
    warning(
      marker === null ? `${LATEST} does not hold the brief` : `${LATEST} holds an old copy`,
      `${current === null ? 'No brief is open here' : `The current brief here is ${current}`}${marker === null ? '' : `; the copy is ${marker.id === null ? 'of none' : `of ${marker.id}`} on ${marker.branch ?? 'a detached HEAD'}`}. Every command of handoff brings it up to date:`,
      anew,
    ),
  ]
}

export const parked = repositoryCheck({
  id: 'parked',
  about: 'no brief is parked',
  look: ({ parked: briefs, operation, uncommitted }) =>
    briefs.map(({ id, path, branch, isHere }) => {
      const name = branch.replace(/^refs\/heads\//, '')
      const title = `a brief waits for ${branch === 'HEAD' ? 'a branch' : name}: ${id}`
      if (operation !== null)
        return warning(
          title,
          `It was made during a ${operation}, which is not over. The next handoff after that commits it.`,
          operation === 'bisect' ? 'git bisect reset' : `git ${operation} --continue`,
        )
      // A file that is on disk already stands in the way of picking it.
      const take = uncommitted.includes(path)
        ? commitCommand([path])
        : `git cherry-pick ${word(`refs/handoff/${id}`)}`
      return warning(
        title,
        `The next handoff that commits ${isHere || branch === 'HEAD' ? 'here' : 'there'} takes it in first. At once:`,
        isHere || branch === 'HEAD' ? take : `git switch ${word(name)} && ${take}`,
      )
    }),
})

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

/** A request that nobody has answered for this long waits for nobody. In seconds. */
const LONG_UNANSWERED = 86_400

export const requests = repositoryCheck({
  id: 'requests',
  about: 'no request is stuck',
  look: ({ requests: open }, { call }) =>
    open.flatMap(({ id, agent, state, isSwitch, isStalled, ageSeconds }) => {
      if (isStalled)
        return [
          warning(
            `a switch goes no further: ${id}`,
            `It stands at "${state}", and the process that went on with it is gone.`,
            `${call} switch --continue ${id}`,
          ),
        ]
      if (isSwitch || ageSeconds < LONG_UNANSWERED) return []
      return [
        warning(
          `a request to ${agent} was never answered: ${id}`,
          `It stands at "${state}" for ${spanOf(ageSeconds)}.`,
          `${call} request --cancel ${id}`,
        ),
      ]
    }),
})
