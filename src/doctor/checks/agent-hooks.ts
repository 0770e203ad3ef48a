import { type Problem, repositoryCheck, warning } from '../check.ts'
import type { AgentFacts, Facts } from '../facts.ts'
import { initCommand } from '../init-command.ts'

/** What `init` puts into the settings of the agents. */
export const agentHooks = repositoryCheck({
  id: 'agent-hooks',
  about: 'agents used here have their hooks',
  fine: (_, { agents }) =>
    agents
      .filter(({ setup }) => setup?.state === 'done')
      .map(({ label }) => label)
      .join(', '),
  look({ runner }, facts) {
    const problems = facts.agents.flatMap((agent) => problemsOf(agent, facts, runner !== null))
    const isIdle = facts.agents.every(({ setup }) => setup === null || setup.state === 'none')
    return isIdle && problems.length === 0 ? null : problems
  },
})

function problemsOf(agent: AgentFacts, facts: Facts, isInitialised: boolean): Problem[] {
  const { id, label, setup, sessions, shadow } = agent
  if (setup === null) return []
  if (setup.problem !== null)
    return [
      warning(
        `settings of ${label} cannot be read`,
        `${setup.problem}. Until that is mended, \`init\` stops before it writes anything.`,
        null,
      ),
    ]
  const again = initCommand(facts, [id])
  const shadowed = shadow == null || setup.state === 'none' ? [] : [shadowProblem(label, shadow)]
  if (setup.state === 'partly')
    return [
      ...shadowed,
      ...(setup.missing.length === 0
        ? []
        : [
            warning(
              `hooks of ${label} are missing or old`,
              `Not as this version writes them: ${setup.missing.join(', ')}.`,
              again,
            ),
          ]),
      ...setup.left.map(({ path, reason }) =>
        warning(`${label}: ${path} is somebody else's`, `It is left alone: ${reason}.`, null),
      ),
    ]
  // An agent that merely is on the machine wants nothing; where `init` was never run, another check says so.
  if (setup.state === 'none' && isInitialised && (sessions ?? 0) > 0)
    return [
      warning(
        `${label} works here without hooks`,
        'It has sessions in this repository; a new one is not told of a brief, and its person not of a context that is nearly full.',
        again,
      ),
    ]
  return shadowed
}

const shadowProblem = (label: string, path: string): Problem =>
  warning(
    `a skill of your own wins over /handoff in ${label}`,
    `${path} is named handoff too. Type /handoff-brief, which \`init\` puts beside it, or rename yours.`,
    null,
  )
