import type { ChainFilter } from '../brief/chain.ts'
import { parseDuration } from '../config/merge.ts'
import { usage } from '../errors/usage.ts'

export interface LogOptions {
  all: boolean
  chain: boolean
  graph: boolean
  limit: number
  filter: ChainFilter
}

/** What `log` was asked for. Throws `usage`. */
export function readLogOptions(options: Record<string, unknown>, now: Date): LogOptions {
  const limit = options.limit === undefined ? Number.POSITIVE_INFINITY : Number(options.limit)
  if (!(limit >= 1 && (limit === Number.POSITIVE_INFINITY || Number.isInteger(limit))))
    throw usage('--limit takes a whole number.', 'handoff log --limit 10')
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
  const time = /^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d)?)?$/.test(text) ? isoTime(text) : Number.NaN
  if (ago !== null) return now.getTime() - ago
  if (!Number.isNaN(time)) return time
  throw usage(
    `--since takes a date or a span of time, not ${JSON.stringify(text)}.`,
    'handoff log --since 7d, or --since 2026-11-01',
  )
}

/** A time without a zone is UTC too; a day that no month has is none. */
function isoTime(text: string): number {
  const time = Date.parse(/T.*(?:Z|[+-]\d\d:\d\d)$/.test(text) || !text.includes('T') ? text : `${text}Z`)
  const day = Date.parse(text.slice(0, 10))
  const isDay = !Number.isNaN(day) && new Date(day).toISOString().slice(0, 10) === text.slice(0, 10)
  return isDay ? time : Number.NaN
}
