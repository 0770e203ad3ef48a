import type { ChainNode } from './chain-nodes.ts'
import { timeOfId } from './id.ts'

/** What the briefs of a chain can be chosen by; all that are given must hold. */
export interface ChainFilter {
  branch?: string
  /** The id of an agent or the name people know it by, in any case. */
  agent?: string
  persona?: string
  /** Milliseconds since the epoch. */
  since?: number
}

export function isWanted(node: ChainNode, { branch, agent, persona, since }: ChainFilter): boolean {
  if (branch !== undefined && node.branch !== branch) return false
  if (persona !== undefined && node.persona !== persona) return false
  if (agent !== undefined && ![node.agentId, node.agent].some((name) => isSame(name, agent))) return false
  return since === undefined || timeOf(node) >= since
}

const isSame = (name: string, wanted: string): boolean => name.toLowerCase() === wanted.toLowerCase()

/** Some other writer's time may be none; the id has one too. */
function timeOf({ createdAt, id }: ChainNode): number {
  const time = Date.parse(createdAt)
  return Number.isNaN(time) ? (timeOfId(id) ?? Number.NEGATIVE_INFINITY) : time
}
