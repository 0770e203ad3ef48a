import { adapters } from '../agents/table.ts'
import type { ChainFilter, ChainNode } from '../brief/chain.ts'
import { parseDuration } from '../config/merge.ts'
import { unknownAgent, usage } from '../errors/usage.ts'
import { oneLine } from '../text/safe-text.ts'
import { nearest } from '../workspace/nearest.ts'

export interface LogOptions {
  all: boolean
  chain: boolean
  graph: boolean
  limit: number
  filter: ChainFilter
}

export function readLogOptions(options: Record<string, unknown>, now: Date): LogOptions {
  const limit = options.limit === undefined ? Number.POSITIVE_INFINITY : Number(options.limit)
  if (!(limit >= 1 && (limit === Number.POSITIVE_INFINITY || Number.isInteger(limit))))
    throw usage('--limit takes a whole number.', 'Example: `git handoff log --limit 10`.')
  const { branch, agent, persona, since } = options
  return {
    all: options.all === true,
    chain: options.chain === true,
    graph: options.graph === true,
    limit,
    filter: {
      ...(typeof branch === 'string' ? { branch } : {}),
      ...(typeof agent === 'string' ? { agent } : {}),
      ...(typeof persona === 'string' ? { persona } : {}),
      ...(typeof since === 'string' ? { since: readSince(since, now) } : {}),
    },
  }
}

/** A date is midnight UTC, as all times in briefs are UTC. */
function readSince(text: string, now: Date): number {
  const ago = /[a-z]$/.test(text) ? parseDuration(text) : null
  const day = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN
  if (ago !== null) return now.getTime() - ago
  // A day that no month has is read as one of the next month.
  if (!Number.isNaN(day) && new Date(day).toISOString().startsWith(text)) return day
  throw usage(
    `--since takes a date or a span of time, not ${JSON.stringify(text)}.`,
    'Example: `git handoff log --since 7d`, or `--since 2026-11-01`.',
  )
}

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
