import { isNameLike, isOtherThing, isStandIn, tellingOf } from './classify.ts'
import { readingsOf } from './escapes.ts'
import { findNamedSecrets, KEYWORD_RULE } from './keyword.ts'
import { createMarkFinder, LEAST_MARK } from './raw.ts'
import { type SecretRule, secretRules } from './rules.ts'

/** A secret with its value; it never leaves this room. */
export interface Found {
  rule: string
  start: number
  end: number
  /** As it reads, and as it is written: with its escapes, and the colours that tear it. */
  value: string
  written: string
  /** The text around the value by which the rule knew it, as it is written. */
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

/** What our own rules find, in order of place; of two in the same place the rule that stands first in the table is kept. */
export function findByRules(written: string): Found[] {
  const found: Found[] = []
  const readings = readingsOf(written)
  for (const reading of readings) {
    for (const { rule, start, end, from, to, value } of findInReading(reading.text)) {
      const place = reading.placeOf(start, end)
      const around = reading.placeOf(from, to)
      const one = { rule, ...place, value, written: written.slice(place.start, place.end) }
      found.push({ ...one, context: written.slice(around.start, around.end) })
    }
  }
  // What reads as an escape may be the mark of a key behind a backslash.
  if (readings[0]?.text !== written)
    for (const { rule, start, end, value } of findByTable(written, true))
      found.push({ rule, start, end, value, written: value, context: value })
  // The mark of one key may stand within another key: the outer one goes whole. What only a name tells comes last.
  const rank = ({ rule, start, end }: Found) => (rule === KEYWORD_RULE ? 0 : end - start)
  return withoutOverlap(found.sort((a, b) => rank(b) - rank(a)))
}

interface Place {
  rule: string
  start: number
  end: number
  /** The whole by which the rule knew it. */
  from: number
  to: number
  value: string
}

function* findInReading(text: string): Generator<Place> {
  yield* findByTable(text, false)
  for (const { start, end, from, value } of findNamedSecrets(text))
    yield { rule: KEYWORD_RULE, start, end, from, to: end, value }
}

/** What the rules of the table find, or those alone that need nothing but their mark. */
function* findByTable(text: string, areSure: boolean): Generator<Place> {
  for (const rule of openRules(text)) {
    if (areSure && rule.isSure !== true) continue
    const { id, chosen, loose } = rule
    for (const { start, end, from, to } of placesOf(rule, text)) {
      const value = text.slice(start, end)
      if (
        !isPossible(id, value) ||
        (chosen && isOtherThing(value)) ||
        (loose && (isNameLike(value) || isInBlob(text, start, value)))
      )
        continue
      yield { rule: id, start, end, from, to, value }
    }
  }
}

function* placesOf({ pattern, holds }: SecretRule, text: string): Generator<Omit<Place, 'rule' | 'value'>> {
  let done = 0
  for (const match of text.matchAll(pattern)) {
    const from = match.index
    const to = from + match[0].length
    if (holds === undefined) {
      const value = match[1] ?? match[0]
      const start = from + match[0].lastIndexOf(value)
      yield { start, end: start + value.length, from, to }
    } else if (holds === 'entries') {
      const near = Math.max(done, from - NEAR)
      done = Math.max(near, Math.min(text.length, to + NEAR))
      for (const { start, end } of entriesBetween(text, near, done))
        yield { start, end, from: start, to: end }
    } else if (from >= done) {
      const body = bodyBehind(text, to)
      if (body === null) continue
      done = body.end
      yield { ...body, from: body.start, to: body.end }
    }
  }
}

/** A key has no more characters, with what its lines are prefixed with. */
const LONGEST_BODY = 20_000
const LEAST_BODY = 24
/** What may stand before the first line and between two lines: headers, numbers, prefixes of logs and quotes. */
const BEFORE_BODY = 240
const BETWEEN_LINES = 100
const STOP = /-----END|Private-(?:MAC|Lines)|\0|-----BEGIN/
/** The next base64 in a row that may be a line of a key, before its end; the last line may be short. */
const NEXT_LINE = new RegExp(
  `(?:(?!${STOP.source})[^]){0,${BEFORE_BODY}}?([A-Za-z0-9+/]{16,${LONGEST_BODY}}={0,2}|[A-Za-z0-9+/]{2,15}={1,2})`,
  'y',
)

/** The body of a key, from its first line to the last one before its end, whatever prefixes the lines. */
function bodyBehind(text: string, at: number): { start: number; end: number } | null {
  let [start, end, count] = [-1, at, 0]
  NEXT_LINE.lastIndex = at
  for (
    let next = NEXT_LINE.exec(text);
    next !== null && end - at < LONGEST_BODY;
    next = NEXT_LINE.exec(text)
  ) {
    const { 1: line = '' } = next
    const from = NEXT_LINE.lastIndex - line.length
    if (from - end > (start < 0 ? BEFORE_BODY : BETWEEN_LINES)) break
    if (isNameLike(line)) continue
    if (start < 0) start = from
    end = NEXT_LINE.lastIndex
    count += line.length
  }
  if (count < LEAST_BODY) return null
  // What is left before the line with the end of the key is the rest of its last line.
  const behind = text.slice(end, end + BEFORE_BODY)
  const stop = STOP.exec(behind)?.index ?? 0
  const rest = behind.slice(0, Math.max(0, behind.lastIndexOf('\n', stop)))
  end += /^.*[A-Za-z0-9+/=]/s.exec(rest.slice(0, BETWEEN_LINES))?.[0].length ?? 0
  return { start, end }
}

/** How far from `kind: Secret` its values are looked for. */
const NEAR = 8000
const ENTRIES = /\b(?:data|stringData)["']?:/g
const ENTRY =
  /[\s,{\d+→>|-]{0,60}["']?[\w.-]{1,80}["']?[ \t]{0,4}:[ \t]{0,4}["']?(?:([A-Za-z0-9+/]{10,4000}={0,3})(?=["'\s,}]|$)|[^\s"',{}]{0,200})["']?/y

/** The values of a Kubernetes secret, in YAML or JSON, whose map begins in a stretch. */
function* entriesBetween(text: string, from: number, to: number): Generator<{ start: number; end: number }> {
  let done = from
  for (const { 0: map, index } of text.slice(from, to).matchAll(ENTRIES)) {
    ENTRY.lastIndex = from + index + map.length
    if (ENTRY.lastIndex < done) continue
    for (let entry = ENTRY.exec(text); entry !== null && entry.index < to; entry = ENTRY.exec(text)) {
      done = ENTRY.lastIndex
      const value = entry[1]
      if (value === undefined) continue
      const start = entry.index + entry[0].lastIndexOf(value)
      yield { start, end: start + value.length }
    }
  }
}

/** Their form leaves no room for a stand-in. */
const SURE = new Set(['private-key', 'putty-key', 'crypt-hash', 'recovery-phrase'])

function isPossible(id: string, value: string): boolean {
  if (SURE.has(id)) return true
  // Amazon's documented example has the form of a real one: whoever sees it in a brief cannot tell.
  if (id === 'aws-access-key-id') return new Set(value).size > 7
  if (id === 'basic-auth') {
    const [, password = ''] =
      /^[!-~]{1,80}?:(.{8,})$/s.exec(Buffer.from(value, 'base64').toString('latin1')) ?? []
    return password !== '' && !isStandIn(password)
  }
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
export function withoutOverlap<T extends { start: number; end: number; value: string; written?: string }>(
  found: readonly T[],
): T[] {
  const kept: T[] = []
  const taken = new Uint8Array(found.reduce((most, { end }) => Math.max(most, end), 0))
  for (const one of found) {
    const { start, end } = freePart(taken, one)
    const isWhole = end - start === one.end - one.start
    const written = one.written ?? one.value
    if (!isWhole && (end - start < LEAST_REST || written.length !== one.end - one.start)) continue
    taken.fill(1, start, end)
    const value = written.slice(start - one.start, end - one.start)
    kept.push(isWhole ? one : { ...one, start, end, value, written: value })
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
