import { type Problem, repositoryCheck, warning, word } from '../check.ts'
import { initCommand } from '../init-command.ts'

/** Hooks of git, through whatever manager the repository uses. */
export const gitHooks = repositoryCheck({
  id: 'git-hooks',
  about: 'git calls the hooks of handoff',
  fine: ({ gitHooks: one }) =>
    one === null ? '' : `${one.manager}${one.where === null ? '' : `, in ${one.where}`}`,
  look({ gitHooks: one, runner }, facts) {
    // Where `init` was never run, another check says so.
    if (one === null || one.isUnwanted || runner === null) return null
    const again = initCommand(facts)
    const problems: Problem[] = one.warnings.map((text) =>
      warning('hooks of git go another way', `${text}.`, null),
    )
    for (const { path, reason } of one.left)
      problems.push(warning(`no hook of handoff in ${path}`, `It is left alone: ${reason}.`, null))
    if (one.missing.length > 0)
      problems.push(
        warning(
          'hooks of git are missing or old',
          `${one.manager} has no whole hook of this version in ${one.missing.join(', ')}: briefs of a commit are not checked, or nobody is told at a checkout.`,
          again,
        ),
      )
    if (one.closed.length > 0)
      problems.push(
        warning(
          'git skips hooks that may not be run',
          `${one.closed.join(', ')} ${one.closed.length === 1 ? 'is' : 'are'} not executable.`,
          `chmod +x ${one.closed.map(word).join(' ')}`,
        ),
      )
    if (one.missing.length === 0 && one.uncalled.length > 0)
      problems.push(
        warning(
          `${one.manager} is not active in this clone`,
          `The hooks are written down for it, and git does not call it at ${one.uncalled.join(', ')}.`,
          one.activate,
        ),
      )
    return problems
  },
})
