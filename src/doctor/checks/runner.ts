import { repositoryCheck, warning } from '../check.ts'
import { initCommand } from '../init-command.ts'

/** The file in the git directory that every hook of ours calls, and the installation it leads to. */
export const runner = repositoryCheck({
  id: 'runner',
  about: 'hooks reach this handoff',
  fine: ({ runner: one }) => one?.program.path ?? '',
  look(repo, facts) {
    const { runner: one, gitHooks } = repo
    const again = initCommand(facts)
    if (one === null) {
      const isWritten =
        facts.agents.some(({ setup }) => setup !== null && setup.state !== 'none') ||
        (gitHooks !== null && gitHooks.where !== null && gitHooks.missing.length === 0)
      return [
        isWritten
          ? warning(
              'hooks are written down, but not active in this clone',
              'Settings of agents or git name them, and without the runner, which no clone brings along, they do nothing.',
              again,
            )
          : warning(
              'handoff init was not run in this clone',
              'No session is told of a brief, no commit checks one, and no copy in latest.md is refreshed by a checkout. Every command works without.',
              again,
            ),
      ]
    }
    const { program, node } = one
    if (!program.isThere)
      return [
        warning(
          'the hooks call a handoff that is gone',
          `${program.path} is not there any more, so they do nothing.`,
          again,
        ),
      ]
    if (!node.isThere)
      return [
        warning(
          'the hooks call a Node that is gone',
          `${node.path} is not there any more; one on PATH, outside of the work tree, is taken.`,
          again,
        ),
      ]
    if (!program.isCopy)
      return [
        warning(
          'the hooks call a program that a checkout can change',
          `${program.path} lies outside of the git directory.`,
          again,
        ),
      ]
    if (program.version !== facts.version || !one.isCurrent)
      return [
        warning(
          program.version === facts.version
            ? 'the hook runner was written by another version'
            : `the hooks call handoff ${program.version ?? 'of an unknown version'}, ${facts.version} runs`,
          `${one.path} leads to ${program.path}.`,
          again,
        ),
      ]
    return []
  },
})
