import { type Problem, repositoryCheck, warning } from '../check.ts'
import type { LatestFacts, RepoFacts } from '../facts.ts'

const PATH = '.handoff/latest.md'

export const latest = repositoryCheck({
  id: 'latest',
  about: 'latest.md says what it should',
  look: (repo, { call }) => [...file(repo.latest, call), ...below(repo, call)],
})

/** What git sees of it. */
function file(one: LatestFacts, call: string): Problem[] {
  // What git has is the pointer alone; the next command writes the copy below it.
  const back = one.isRightInHead ? `git checkout HEAD -- ${PATH} && ${call} status` : null
  const create = 'The next `create` writes it anew and keeps what stands there aside.'
  if (one.state === null)
    return one.isTracked
      ? [
          warning(
            `${PATH} is gone from the work tree`,
            'The next agent looks for it there.',
            `git checkout -- ${PATH} && ${call} status`,
          ),
        ]
      : []
  if (one.state === 'conflicted')
    return [
      warning(
        `${PATH} holds the marks of a merge conflict`,
        back === null ? create : 'It is the same on every branch, so either side is right.',
        back,
      ),
    ]
  if (one.state === 'changed')
    return [
      warning(
        `${PATH} is not the pointer that handoff wrote`,
        back === null
          ? create
          : 'An agent that starts from it is told something else. What stands there is lost with:',
        back,
      ),
    ]
  if (one.isTracked && !one.isRight)
    return [
      warning(
        `${PATH} was committed with a text of its own`,
        'git should keep the pointer alone there, which is the same in every commit, so that branches never conflict. Where the filter works git takes it for changed, and checkout, reset and stash do not help; every command of handoff makes it clean, and the next `create` puts it right for good.',
        null,
      ),
    ]
  return []
}

/** The copy below the pointer, which git does not see. */
function below({ latest: one, filter }: RepoFacts, call: string): Problem[] {
  if (one.state !== 'ours' || filter.final !== filter.wanted || !one.isHidden) return []
  const anew = `${call} status`
  if (one.isEdited)
    return [
      warning(
        `${PATH} was changed below its marker`,
        'git takes no notice of what stands there. The next command of handoff keeps that text aside and writes the copy anew:',
        anew,
      ),
    ]
  const { marker, current } = one
  if (marker === null ? current === null : marker.id === current && marker.branch === one.branch) return []
  return [
    warning(
      marker === null ? `${PATH} does not hold the brief` : `${PATH} holds an old copy`,
      `${current === null ? 'No brief is open here' : `The current brief here is ${current}`}${marker === null ? '' : `; the copy is ${marker.id === null ? 'of none' : `of ${marker.id}`} on ${marker.branch ?? 'a detached HEAD'}`}. Every command of handoff brings it up to date:`,
      anew,
    ),
  ]
}
