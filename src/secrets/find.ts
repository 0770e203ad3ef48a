import { findKeywordSecrets, KEYWORD_RULE, tellingOf } from './keyword.ts'
import { isHashInContext, isInIntegrity, isNameLike, isOtherThing, isStandIn } from './public-value.ts'
import { createMarkFinder, LEAST_MARK } from './raw.ts'
import { type SecretRule, secretRules } from './rules.ts'

/** A secret with its value; it never leaves this room. */
export interface Found {
  rule: string
  start: number
  end: number
  value: string
  /** The text around the value by which the rule knew it. */
  context: string
}

/** A search for each of these costs more than the rule: their marks stand in most texts, or they have none. */
const alwaysOpen = secretRules.filter(
  ({ needles }) => needles.length === 0 || needles.some((needle) => needle.length < LEAST_MARK),
)
const findMarks = createMarkFinder(
  secretRules.flatMap((rule) =>
    rule.needles
      .filter((needle) => needle.length >= LEAST_MARK)
      .map((text) => ({ text, fold: rule.flags === 'i', rule })),
  ),
)

/** Which rules a text may match, in the order of the table: those without a mark and those of whose marks it holds one. */
function openRules(text: string): SecretRule[] {
  const open = new Set(alwaysOpen)
  // What is not ASCII becomes some other byte: a rule that is opened in vain finds nothing.
  findMarks(Buffer.from(text, 'latin1'), ({ rule }) => open.add(rule))
  return secretRules.filter((rule) => open.has(rule))
}

/** What our own rules find, in order of place; where two overlap, the rule that stands first in the table is kept. */
export function findByRules(written: string): Found[] {
  const found: Found[] = []
  const text = withoutEscapes(written)
  const push = (rule: string, start: number, end: number, from: number, to: number) =>
    found.push({ rule, start, end, value: written.slice(start, end), context: written.slice(from, to) })
  for (const { id, pattern, loose, chosen } of openRules(text)) {
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

/** True where a variable's name says that its value is secret; the name of a service alone does not. */
export function namesSecret(name: string): boolean {
  const telling = tellingOf(name, null)
  return telling !== null && telling !== 'vendor'
}

/** Names that hold a login or lead to one: `SSH_AUTH_SOCK`, `GOOGLE_APPLICATION_CREDENTIALS`. */
const LEADS_TO_LOGIN = /(?:^|_)(?:AUTH|KEYS?|TOKENS?|PASS|CREDS?|CREDENTIALS?|SECRETS?)(?:_|$)/i
/** Without its login no agent behind such a proxy reaches its model. */
const PROXY = /_PROXY$/i
/** A user and a password in an address. */
const LOGIN_IN_ADDRESS = /:\/\/[^\s/?#@]*:[^\s/?#]+@/

/** True where the name or the value of a variable shows that nobody but its owner should read it. */
export function isSecretVariable(name: string, value: string): boolean {
  if (PROXY.test(name)) return false
  if (LEADS_TO_LOGIN.test(name) || LOGIN_IN_ADDRESS.test(value)) return true
  const telling = tellingOf(name, null)
  if (telling === 'password' || telling === 'secret') return true
  if (telling === 'hint' && !isNameLike(value)) return true
  return findByRules(`${name}=${value}`).length > 0
}
