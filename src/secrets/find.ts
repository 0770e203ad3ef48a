import { isNameLike, isOtherThing, isStandIn, TELLING_WORDS, tellingOf } from './classify.ts'
import { readingsOf } from './escapes.ts'
import { findNamedSecrets, KEYWORD_RULE } from './keyword.ts'
import { placesOf, type SecretRule, secretRules } from './rules.ts'

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

// ---------------------------------------------------------------- marks

/** An ASCII text to look for, of two characters at least; `fold`: upper and lower case count as the same. */
export interface Mark {
  text: string
  fold: boolean
}

/** Characters that are looked up at once. */
const HEAD = 3

/**
 * Reports every mark at each of its places, one of two characters where a third follows. One pass over the bytes for all of them, by a table
 * of three characters, either case: a pass for each takes ten times as long, a regular expression of them all three times.
 */
export function createMarkFinder<T extends Mark>(
  marks: readonly T[],
): (bytes: Uint8Array, report: (mark: T, at: number) => void) => void {
  const marksOf = new Map<number, T[]>()
  const heads = new Uint8Array(1 << 15)
  for (const mark of marks) {
    const { text } = mark
    // One of two characters has any behind it.
    const [from, to] = text.length < HEAD ? [0, 255] : [text.charCodeAt(2), text.charCodeAt(2)]
    for (let code = from; code <= to; code++) {
      const head = headOf(text.charCodeAt(0), text.charCodeAt(1), code)
      const held = marksOf.get(head)
      if (held === undefined) marksOf.set(head, [mark])
      else if (!held.includes(mark)) held.push(mark)
      heads[head] = 1
    }
  }
  return (bytes, report) => {
    const end = bytes.length
    for (
      let last = nextHead(bytes, heads, HEAD - 1, end);
      last < end;
      last = nextHead(bytes, heads, last + 1, end)
    ) {
      const at = last - HEAD + 1
      const held = marksOf.get(headAt(bytes, last)) ?? []
      for (let nth = 0; nth < held.length; nth++) {
        const mark = held[nth] as T
        if (isAt(bytes, mark, at)) report(mark, at)
      }
    }
  }
}

/** A number for three characters, of 15 bits. */
const headOf = (first: number, second: number, third: number): number =>
  (((first | 0x20) << 10) ^ ((second | 0x20) << 5) ^ (third | 0x20)) & 0x7fff

/** That of those that end at a place. */
const headAt = (bytes: Uint8Array, last: number): number =>
  headOf(bytes[last - 2] as number, bytes[last - 1] as number, bytes[last] as number)

/**
 * The next place from `from` on where three characters end that a mark begins with; `end` for none. The numbers stand here, and the loop is
 * a function of its own, so that it is compiled as soon and as well as can be. Two places at a time take two thirds of the time.
 */
function nextHead(bytes: Uint8Array, heads: Uint8Array, from: number, end: number): number {
  let head = headOf(0, bytes[from - 2] as number, bytes[from - 1] as number)
  let at = from
  for (; at < end - 1; at += 2) {
    const before = ((head << 5) ^ ((bytes[at] as number) | 0x20)) & 0x7fff
    head = ((before << 5) ^ ((bytes[at + 1] as number) | 0x20)) & 0x7fff
    if (((heads[before] as number) | (heads[head] as number)) !== 0) return heads[before] === 0 ? at + 1 : at
  }
  return at < end && heads[headAt(bytes, at)] === 0 ? end : at
}

function isAt(bytes: Uint8Array, { text, fold }: Mark, at: number): boolean {
  for (let i = 0; i < text.length; i++) {
    const byte = bytes[at + i] as number
    const wanted = text.charCodeAt(i)
    if (byte !== wanted && !(fold && byte >= 0x41 && byte <= 0x5a && (byte | 0x20) === wanted)) return false
  }
  return true
}

// ---------------------------------------------------------------- texts

/** A search for each of these costs more than the rule: their marks stand in most texts, or they have none. */
const alwaysOpen = secretRules.filter(
  ({ needles }) => needles.length === 0 || needles.some((needle) => needle.length < HEAD),
)
const findMarks = createMarkFinder([
  ...secretRules.flatMap((rule) =>
    alwaysOpen.includes(rule) ? [] : rule.needles.map((text) => ({ text, fold: rule.flags === 'i', rule })),
  ),
  ...TELLING_WORDS.map((text) => ({ text, fold: true, rule: null })),
])

/**
 * What a text may hold, by one pass over it: rules, in the order of the table, those without a mark and those of whose marks it holds one; and
 * where words begin that tell in a name.
 */
function marksIn(text: string): { rules: SecretRule[]; places: number[] } {
  const open = new Set(alwaysOpen)
  const places: number[] = []
  // What is not ASCII becomes some other byte: a rule that is opened in vain finds nothing.
  findMarks(Buffer.from(text, 'latin1'), ({ rule }, at) => {
    if (rule === null) places.push(at)
    else open.add(rule)
  })
  return { rules: secretRules.filter((rule) => open.has(rule)), places }
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
    for (const { rule, start, end, value } of findByTable(written, marksIn(written).rules, true))
      found.push({ rule, start, end, value, written: value, context: value })
  // The mark of one key may stand within another key: the outer one goes whole. What only a name tells comes last.
  const rank = ({ rule, start, end }: Found) => (rule === KEYWORD_RULE ? 0 : end - start)
  return withoutOverlap(found.sort((a, b) => rank(b) - rank(a)))
}

/** `from` and `to`: the whole by which the rule knew it. */
type Place = Pick<Found, 'rule' | 'start' | 'end' | 'value'> & { from: number; to: number }

function* findInReading(text: string): Generator<Place> {
  const { rules, places } = marksIn(text)
  yield* findByTable(text, rules, false)
  for (const { start, end, from, value } of findNamedSecrets(text, places))
    yield { rule: KEYWORD_RULE, start, end, from, to: end, value }
}

/** What the rules of the table find, or those alone that need nothing but their mark. */
function* findByTable(text: string, rules: readonly SecretRule[], areSure: boolean): Generator<Place> {
  for (const rule of rules) {
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

// ---------------------------------------------------------------- bytes

/** How many bytes around a mark are looked at closely. */
const BEFORE = 96
const REACH = 400
/** How many are looked at first, since most values are no longer. */
const FEW = 64
/** A session token or a signed address has so many characters at most. */
const LONGEST_VALUE = 20_000

/** The words before `=` or `:` behind which a value may stand that nothing but its name tells. */
const KEYWORDS =
  'password passwd passphrase secret token api_key api-key apikey access_key access-key accesskey accountkey auth_key private_key secret_key signing_key encryption_key credential credentials authorization _auth _key _pass _pwd'
/** The lines of a key may be met again one by one. A key with a mark of its own is known by it wherever it is met again. */
const KEY_BLOCKS = ['PRIVATE KEY-----', 'PRIVATE KEY BLOCK-----']
const findKeywords = createMarkFinder<Mark>([
  ...KEY_BLOCKS.map((text) => ({ text, fold: false })),
  ...KEYWORDS.split(' ').map((text) => ({ text, fold: true })),
])

/** What stands behind a keyword: `=` or `:`, quotes and blanks, the value. */
const ASSIGNMENT = new RegExp(
  `["'\\\\\` \\t]{0,6}[=:]["'\\\\\` \\t]{0,6}(?:[=>]["'\\\\\` \\t]{0,6})?(?:(?:bearer|basic|token)[ \\t]{1,3})?([^ \\t\\r\\n"'\`\\\\,;<>{}()[\\]]{1,${LONGEST_VALUE}})`,
  'iy',
)
const LEAST_VALUE = 8
/** Without a digit, shorter values are names. */
const LEAST_LETTERS = 16

/**
 * Returns a function that takes the raw blocks of a transcript, whole lines each, and hands every stretch that may hold a secret to
 * `inspect`, once. No byte is inspected again for a mark whose value was.
 */
export function createRawReader(inspect: (text: string) => void): (block: Buffer) => void {
  const seen = new Set<string>()
  return (block) => {
    /** Where the last value ends, and the last stretch that was inspected. */
    let [value, done] = [0, 0]
    findKeywords(block, (mark, at) => {
      const behind = at + mark.text.length
      if (at < value || (mark.fold && !isSignBehind(block, behind))) return
      const end = mark.fold ? endOfValue(block, behind) : endOfKey(block, at)
      if (end === null) return
      value = end
      if (end <= done) return
      const lead = Math.max(0, at - BEFORE)
      const start = lead + block.subarray(lead, at).lastIndexOf(NEWLINE) + 1
      const most = Math.max(at + REACH, end)
      const newline = mark.fold ? block.subarray(at, most).indexOf(NEWLINE) : -1
      done = newline === -1 ? most : at + newline
      const key = block.toString('latin1', at, end)
      if (seen.has(key)) return
      seen.add(key)
      inspect(block.toString('utf8', start, done))
    })
  }
}

const NEWLINE = 10
const [EQUALS, COLON] = [0x3d, 0x3a]
/** Quotes and blanks of which `ASSIGNMENT` lets six stand before its sign; a search by the library takes ten times as long. */
const FILLER = Uint8Array.from({ length: 256 }, (_, byte) =>
  '"\'\\` \t'.includes(String.fromCharCode(byte)) ? 1 : 0,
)

/** Whether `=` or `:` stands behind a keyword that ends at `end`: few are worth a closer look. */
function isSignBehind(bytes: Buffer, end: number): boolean {
  let at = end
  while (at < end + 6 && FILLER[bytes[at] ?? 0] === 1) at++
  return bytes[at] === EQUALS || bytes[at] === COLON
}

/** The end of the value that is assigned at a place, where it has a letter and a digit, or is long; else null. */
function endOfValue(block: Buffer, at: number, most = FEW): number | null {
  // A character for each byte, so that places are the same in both.
  const text = block.toString('latin1', at, at + most)
  ASSIGNMENT.lastIndex = 0
  const value = ASSIGNMENT.exec(text)?.[1] ?? ''
  // It goes on.
  if (most === FEW && ASSIGNMENT.lastIndex === most) return endOfValue(block, at, 2 * LONGEST_VALUE)
  const least = /\d/.test(value) ? LEAST_VALUE : LEAST_LETTERS
  return value.length < least || !/[A-Za-z]/.test(value) ? null : at + ASSIGNMENT.lastIndex
}

function endOfKey(block: Buffer, at: number): number {
  const stop = block.subarray(at, at + LONGEST_VALUE).indexOf('-----END')
  return at + (stop === -1 ? LONGEST_VALUE : stop)
}
