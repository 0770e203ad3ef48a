import { findKeywordSecrets, KEYWORD_RULE } from './keyword.ts'
import { isHashInContext, isInIntegrity, isNameLike, isOtherThing, isStandIn } from './public-value.ts'
import type { SecretRule } from './rule.ts'
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

/** Characters of a mark that are looked up at once. */
const HEAD = 3
const HEADS = 1 << 15

interface Marked {
  needle: string
  rule: SecretRule
}

/**
 * Which rules a text may match: those without a mark and those of whose marks it holds one, in the order of the table. One pass over the
 * text for all marks but the shortest; a pass for each takes ten times as long. `lower`: the text in lower case, of the same length.
 */
export function createGate(rules: readonly SecretRule[]): (text: string, lower: string) => SecretRule[] {
  const buckets: (Marked[] | undefined)[] = new Array(HEADS)
  const isShort = ({ needles, pattern }: SecretRule): boolean =>
    pattern.ignoreCase || needles.some((needle) => needle.length < HEAD)
  const short = rules.filter((rule) => rule.needles.length > 0 && isShort(rule))
  for (const rule of rules.filter((one) => !isShort(one)))
    for (const needle of rule.needles) {
      const at = headOf(needle.charCodeAt(0), needle.charCodeAt(1), needle.charCodeAt(2))
      buckets[at] = [...(buckets[at] ?? []), { needle, rule }]
    }

  return (text, lower) => {
    const open = new Set(rules.filter(({ needles }) => needles.length === 0))
    for (const rule of short) {
      const within = rule.pattern.ignoreCase ? lower : text
      if (rule.needles.some((needle) => within.includes(needle))) open.add(rule)
    }
    let [first, second] = [text.charCodeAt(0), text.charCodeAt(1)]
    for (let at = HEAD - 1; at < text.length; at++) {
      const third = text.charCodeAt(at)
      const bucket = buckets[headOf(first, second, third)]
      if (bucket !== undefined)
        for (const { needle, rule } of bucket)
          if (!open.has(rule) && text.startsWith(needle, at - HEAD + 1)) open.add(rule)
      first = second
      second = third
    }
    return rules.filter((rule) => open.has(rule))
  }
}

const headOf = (first: number, second: number, third: number): number =>
  ((first << 10) ^ (second << 5) ^ third) & (HEADS - 1)

const mayMatch = createGate(secretRules)

/** What our own rules find, in order of place; where two overlap, the rule that stands first in the table is kept. */
export function findByRules(written: string): Found[] {
  const found: Found[] = []
  const text = withoutEscapes(written)
  const lower = lowerCase(text)
  const push = (rule: string, start: number, end: number, from: number, to: number) =>
    found.push({ rule, start, end, value: written.slice(start, end), context: written.slice(from, to) })
  for (const { id, pattern, loose, chosen } of mayMatch(text, lower)) {
    for (const match of text.matchAll(pattern)) {
      const value = match[1] ?? match[0]
      const start = match.index + match[0].lastIndexOf(value)
      if (
        !isPossible(id, value) ||
        (chosen && isOtherThing(value)) ||
        (loose && (isNameLike(value) || isInBlob(text, start, value)))
      )
        continue
      if (isInIntegrity(text, start) || isHashInContext(value, text.slice(Math.max(0, start - 40), start)))
        continue
      push(id, start, start + value.length, match.index, match.index + match[0].length)
    }
  }
  for (const { start, end, from } of findKeywordSecrets(text)) push(KEYWORD_RULE, start, end, from, end)
  return withoutOverlap(found)
}

/** Their form leaves no room for a stand-in. */
const SURE = new Set(['private-key', 'crypt-hash', 'recovery-phrase'])

/** False for stand-ins. */
function isPossible(id: string, value: string): boolean {
  if (SURE.has(id)) return true
  // Amazon's documented example has the form of a real one: whoever sees it in a brief cannot tell.
  if (id === 'aws-access-key-id') return new Set(value).size > 7
  return !isStandIn(value)
}

/** More base64 around a value than any key has: it is a piece of a picture or of a signature. */
const BLOB = 40
function isInBlob(text: string, start: number, value: string): boolean {
  const before = /[A-Za-z0-9+/=_-]*$/.exec(text.slice(Math.max(0, start - BLOB), start))?.[0] ?? ''
  const end = start + value.length
  const behind = /^[A-Za-z0-9+/=_-]*/.exec(text.slice(end, end + BLOB))?.[0] ?? ''
  return before.length + behind.length >= BLOB
}

/** Lower case with the same offsets; one capital letter of Turkish becomes two units. */
function lowerCase(text: string): string {
  const lower = text.toLowerCase()
  return lower.length === text.length ? lower : text.replaceAll('\u0130', 'I').toLowerCase()
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

/** What escapes stand for, where it tells the end of a name or of a value: the signs of addresses and of HTML in JSON. */
const SIGNS: Readonly<Record<string, string>> = {
  n: '\n',
  '20': ' ',
  '22': '"',
  '26': '&',
  '3c': '<',
  '3d': '=',
  '3e': '>',
  '3f': '?',
}
const ESC = '\u{1b}'
const BACKSLASHES = '\\\\{1,15}'
/** Colours and other orders to a terminal, line breaks and tabs, each as it is or as JSON and programs write it; signs in addresses. */
const ESCAPE = new RegExp(
  [
    `(?:${ESC}|${BACKSLASHES}(?:x1b|u001b|033|e))\\[[0-9;?]{0,20}[A-Za-z]`,
    `${BACKSLASHES}([nrt])`,
    `${BACKSLASHES}u00(2[26]|3[a-f])`,
    '%(?:25){0,3}(2[026]|3[def])',
  ].join('|'),
  'gi',
)

/**
 * The text with escapes blotted out, as long as it was: a value ends before one and a word begins behind it. `\x1b[32mghp_…` is a key
 * behind five spaces.
 */
export const withoutEscapes = (text: string): string =>
  text.includes(ESC) || /[\\%]/.test(text)
    ? text.replace(ESCAPE, (written, ...[blank, inJson, inAddress]: (string | undefined)[]) =>
        (SIGNS[(blank ?? inJson ?? inAddress ?? '').toLowerCase()] ?? ' ').padStart(written.length),
      )
    : text
