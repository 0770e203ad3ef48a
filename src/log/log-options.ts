import type { ChainFilter } from '../brief/chain.ts'
import { readCount } from '../command.ts'
import { parseDuration } from '../config/merge.ts'
import { usage } from '../errors/usage.ts'

export interface LogOptions {
  all: boolean
  chain: boolean
  graph: boolean
  limit: number
  filter: ChainFilter
}

export function readLogOptions(options: Record<string, unknown>, now: Date): LogOptions {
  const { branch, agent, by, persona, since } = options
  return {
    all: options.all === true,
    chain: options.chain === true,
    graph: options.graph === true,
    limit: options.limit === undefined ? Number.POSITIVE_INFINITY : readCount('handoff log', options.limit),
    filter: {
      ...(typeof branch === 'string' ? { branch } : {}),
      ...(typeof agent === 'string' ? { agent } : {}),
      ...(typeof by === 'string' ? { by } : {}),
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
