import { type Problem, repositoryCheck, warning } from '../check.ts'
import type { AgentFacts } from '../facts.ts'

/** What an agent asks its person before it runs hooks of a repository. */
export const agentTrust = repositoryCheck({
  id: 'agent-trust',
  about: 'agents run the hooks they have',
  look: (_, { agents }) => (agents.some(isAsked) ? agents.flatMap(problemsOf) : null),
})

const isAsked = ({ program, setup, trust }: AgentFacts): boolean =>
  program !== null && trust !== null && setup !== null && setup.state !== 'none'

function problemsOf(agent: AgentFacts): Problem[] {
  const { label, program, trust } = agent
  if (!isAsked(agent) || program === null || trust === null) return []
  const start = program.split('/').at(-1) ?? program
  if (trust.folder === false)
    return [
      warning(
        `${label} does not trust this folder`,
        `It says so in ${trust.where}, and leaves the hooks out. Start it here once and say yes:`,
        start,
      ),
    ]
  if (trust.waiting.length === 0) return []
  return [
    warning(
      `${label} has not been told to trust ${trust.waiting.length === 1 ? 'a hook' : `${trust.waiting.length} hooks`}`,
      `It skips ${trust.waiting.join(', ')} without a word (${trust.where}). Start it here and answer "Hooks need review":`,
      start,
    ),
  ]
}
