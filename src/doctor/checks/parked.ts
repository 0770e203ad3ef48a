import { repositoryCheck, warning, word } from '../check.ts'
import { commitCommand } from '../commit-command.ts'

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
