import { findKeywordSecrets, KEYWORD_RULE } from './keyword.ts'
import { lowerCase } from './keyword-places.ts'
import { isHashInContext, isInIntegrity, isOtherThing, isStandIn } from './public-value.ts'
import { secretRules } from './rules.ts'

/** A secret with its value; it never leaves this room. */
export interface Found {
  rule: string
  start: number
  end: number
  value: string
  /** The text around the value by which the rule knew it. */
  context: string
}

/** Rules whose value is chosen by a person: there a stand-in or a name is possible. */
const FREE_FORM = new Set(['url-credentials', 'curl-user', 'auth-header', 'npm-auth'])

/** What our own rules find, in order of place; where two overlap, the rule that stands first in the table is kept. */
export function findByRules(text: string): Found[] {
  const found: Found[] = []
  const lower = lowerCase(text)
  for (const { id, pattern, needles } of secretRules) {
    const within = pattern.ignoreCase ? lower : text
    if (needles.length > 0 && !needles.some((needle) => within.includes(needle))) continue
    for (const match of text.matchAll(pattern)) {
      const value = match[1] ?? match[0]
      const start = match.index + match[0].lastIndexOf(value)
      if (id !== 'private-key' && isStandIn(value)) continue
      if (FREE_FORM.has(id) && isOtherThing(value)) continue
      if (isInIntegrity(text, start) || isHashInContext(value, text.slice(Math.max(0, start - 40), start)))
        continue
      found.push({ rule: id, start, end: start + value.length, value, context: match[0] })
    }
  }
  for (const { start, end, value, from, to } of findKeywordSecrets(text, lower)) {
    found.push({ rule: KEYWORD_RULE, start, end, value, context: text.slice(from, to) })
  }
  return withoutOverlap(found)
}

/** Characters of what is left of an entry beside another one that can still be a secret of its own. */
const LEAST_REST = 16

/** Of any two that share characters the earlier entry is whole and the other one what is left of it; sorted by place. */
export function withoutOverlap<T extends { start: number; end: number; value: string }>(
  found: readonly T[],
): T[] {
  const kept: T[] = []
  const taken = new Uint8Array(found.reduce((most, { end }) => Math.max(most, end), 0))
  for (const one of found) {
    const { start, end } = freePart(taken, one)
    const isWhole = end - start === one.end - one.start
    if (!isWhole && (end - start < LEAST_REST || one.value.length !== one.end - one.start)) continue
    taken.fill(1, start, end)
    const value = one.value.slice(start - one.start, end - one.start)
    kept.push(isWhole ? one : { ...one, start, end, value })
  }
  return kept.sort((a, b) => a.start - b.start)
}

/** The longest part that nobody has taken. */
function freePart(taken: Uint8Array, { start, end }: { start: number; end: number }) {
  let best = { start, end: start }
  let from = start
  for (let at = start; at <= end; at++) {
    if (at < end && taken[at] === 0) continue
    if (at - from > best.end - best.start) best = { start: from, end: at }
    from = at + 1
  }
  return best
}
