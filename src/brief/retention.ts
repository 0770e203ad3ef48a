import type { BriefState } from '../types/brief.ts'

/** A brief in a tree, as far as keeping it is concerned. */
export interface Held {
  id: string
  path: string
  createdAt: string | null
  /** Its file or its entry in the index is not what the commit has. */
  isEdited: boolean
}

export type Why = 'trunk' | 'current' | 'open' | 'newest' | 'young' | 'edited' | 'unreadable'

export interface Retention<H extends Held> {
  removed: H[]
  kept: (H & { why: Why })[]
}

/** What may go. A limit that is null counts for nothing; with both, a brief goes when both let it. */
export interface Limits {
  keep: number | null
  /** Ms. */
  olderThan: number | null
  /** The last brief of a chain that nobody closed may go, too. */
  open: boolean
}

/**
 * Which briefs leave the tree, newest first. Never the current one, nor one that was edited and not committed, nor one that
 * cannot be read; the last brief of an open chain only when that is asked for. Parents may go: chains are read from history. `inTrunk`: ids that a
 * trunk has, which only the trunk may take out: a branch that did, and made a brief, would look to git as if it had renamed one.
 */
export function retain<H extends Held>(
  held: readonly H[],
  known: readonly { id: string; state: BriefState }[],
  current: readonly string[],
  limits: Limits,
  now: number,
  inTrunk: ReadonlySet<string> = new Set(),
): Retention<H> {
  const open = new Set(known.flatMap(({ id, state }) => (state === 'open' ? [id] : [])))
  const oldest = limits.olderThan === null ? Number.POSITIVE_INFINITY : now - limits.olderThan
  const newest = [...held].sort((a, b) => (a.id < b.id ? 1 : a.id > b.id ? -1 : a.path < b.path ? -1 : 1))
  const retention: Retention<H> = { removed: [], kept: [] }
  for (const [at, brief] of newest.entries()) {
    const why = whyKept(brief, at)
    if (why === null) retention.removed.push(brief)
    else retention.kept.push({ ...brief, why })
  }
  return retention

  function whyKept({ id, createdAt, isEdited }: Held, at: number): Why | null {
    if (inTrunk.has(id)) return 'trunk'
    if (current.includes(id)) return 'current'
    if (isEdited) return 'edited'
    if (createdAt === null) return 'unreadable'
    if (limits.keep !== null && at < limits.keep) return 'newest'
    // A date that is none counts as young: nothing goes by mistake.
    if (!(Date.parse(createdAt) < oldest)) return 'young'
    return open.has(id) && !limits.open ? 'open' : null
  }
}

const REASONS: Readonly<Record<Why, string>> = {
  trunk: 'on the trunk, where `prune` takes them out',
  current: 'current',
  open: 'last of a chain that is open',
  newest: 'among the newest',
  young: 'not old enough',
  edited: 'edited and not committed',
  unreadable: 'not readable',
}

/** Why briefs stay, in one line: `1 current, 3 among the newest`. */
export function keptLine(kept: readonly { why: Why }[]): string {
  const of = (why: Why): number => kept.filter((brief) => brief.why === why).length
  return (Object.keys(REASONS) as Why[])
    .filter((why) => of(why) > 0)
    .map((why) => `${of(why)} ${REASONS[why]}`)
    .join(', ')
}
