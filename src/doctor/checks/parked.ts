import { repositoryCheck, warning, word } from '../check.ts'

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
      const pick = `git cherry-pick ${word(`refs/handoff/${id}`)}`
      if (isHere && uncommitted.includes(path))
        return warning(title, 'Its file is here and not committed; see there.', null)
      return warning(
        title,
        `The next handoff that commits ${isHere || branch === 'HEAD' ? 'here' : 'there'} takes it in first. At once:`,
        isHere || branch === 'HEAD' ? pick : `git switch ${word(name)} && ${pick}`,
      )
    }),
})
