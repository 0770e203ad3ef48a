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

/** Keeps the earlier entry of any two that share characters, then sorts by place. */
export function withoutOverlap<T extends { start: number; end: number }>(found: readonly T[]): T[] {
  const kept: T[] = []
  const taken = new Uint8Array(found.reduce((most, { end }) => Math.max(most, end), 0))
  for (const one of found) {
    if (taken.subarray(one.start, one.end).includes(1)) continue
    taken.fill(1, one.start, one.end)
    kept.push(one)
  }
  return kept.sort((a, b) => a.start - b.start)
}
