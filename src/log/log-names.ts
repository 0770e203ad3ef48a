import { adapters } from '../agents/table.ts'
import type { ChainFilter, ChainNode } from '../brief/chain.ts'
import { unknownAgent } from '../errors/usage.ts'
import { oneLine } from '../text/safe-text.ts'
import { nearest } from '../workspace/nearest.ts'

/** What briefs say that were made without a session (`handoff create --from git`). */
export const GIT = 'git'

/**
 * Holds the names that `log` was asked for against those that can be meant. An agent is known or stands in a brief: any other name is
 * mistyped. Branches and personas come and go, and a brief may not have been made yet: of those that no brief has, warnings are given
 * back. Throws `unknownAgent`.
 */
export function checkNames(
  { agent, branch, persona }: ChainFilter,
  nodes: readonly ChainNode[],
  isAll: boolean,
): string[] {
  if (agent !== undefined) checkAgent(agent, nodes, isAll)
  return [...unused('branch', branch, nodes), ...unused('persona', persona, nodes)]
}

function checkAgent(agent: string, nodes: readonly ChainNode[], isAll: boolean): void {
  const own = adapters.flatMap(({ id, label }) => [id, label])
  const names = [...own, GIT, ...nodes.flatMap((node) => [node.agentId, node.agent])]
  if (names.some((name) => name.toLowerCase() === agent.toLowerCase())) return
  const ids = [
    ...new Set([...adapters.map(({ id }) => id), GIT, ...nodes.map(({ agentId }) => oneLine(agentId))]),
  ]
  const more = isAll ? '' : ' `--all` looks at the briefs of other branches too.'
  throw unknownAgent('handoff log', agent, ids, nearest(agent.toLowerCase(), ids), more)
}

function unused(
  what: 'branch' | 'persona',
  asked: string | undefined,
  nodes: readonly ChainNode[],
): string[] {
  const names = [...new Set(nodes.flatMap((node) => node[what] ?? []))]
  if (asked === undefined || names.includes(asked)) return []
  const near = nearest(asked, names)
  return [
    `no brief here has the ${what} ${oneLine(asked)}${near === null ? '' : `; did you mean ${oneLine(near)}?`}`,
  ]
}
