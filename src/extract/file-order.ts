import type { Candidate } from './file-facts.ts'
import { byCodeUnit } from './path-text.ts'

/** Touches beyond this many say nothing more. */
const MANY = 10

/** How much less an edit of one turn ago counts than one of this turn. */
const FADE = 0.7
/** A goal that names more untouched files than this holds a pasted list or log. */
const FEW = 2

/**
 * Best first: named in the goal; then edited, failing or uncommitted; then recency, counts and words shared with the goal.
 * `clock` is the number of touches in the session, `turns` that of prompts. Ties by path in code-unit order.
 */
export function rankFiles(
  files: readonly Candidate[],
  affinity: (path: string) => number,
  { clock, turns }: { clock: number; turns: number },
): Candidate[] {
  const untouched = files.filter((file) => file.goal && !isWorkedOn(file)).length
  const scale = { clock: Math.max(1, clock), turns, goal: 5.2 / Math.max(1, untouched / FEW) }
  const scores = new Map(files.map((file) => [file.path, scoreOf(file, affinity(file.path), scale)]))
  const score = (file: Candidate) => scores.get(file.path) ?? 0
  return [...files].sort((a, b) => score(b) - score(a) || byCodeUnit(a.path, b.path))
}

const isWorkedOn = (file: Candidate) => file.record !== null || file.change !== null

/** Weights were set on 440 cuts of real sessions with a known continuation; many sets near them do as well. */
function scoreOf(
  file: Candidate,
  fit: number,
  scale: { clock: number; turns: number; goal: number },
): number {
  const { record } = file
  let score = fit * 0.75
  if (file.goal) score += isWorkedOn(file) ? 6 : scale.goal
  if (record) {
    if (record.edits > 0) score += 2.5 + FADE ** (scale.turns - record.editTurn)
    else if (record.failed + record.refused + record.reverted > 0) score += 0.2
    score += (0.8 * Math.min(record.touches, MANY)) / MANY + (0.8 * record.last) / scale.clock
  } else if (!file.goal && !file.change && file.commits === 0) score -= 2
  if (file.change) score += record ? 1 : 1.5
  if (file.commits > 0) score += record ? 0.5 : 1
  if (file.failing) score += 0.5
  if (file.wanted !== null && !file.here) score += 2
  if (file.inLastReply) score += 0.3
  if (file.namedByUser > 0) score += 0.1
  if (file.namedByAgent > 0) score += 0.1
  if (!file.here && file.wanted === null && file.change === null) score -= 1
  return score
}
