import { assignments, isOption, keywordPlaces, lowerCase, unquoted } from './keyword-places.ts'
import { findPasswords } from './password.ts'
import { entropy, isHashInContext, isNameLike, isOtherThing, isStandIn } from './public-value.ts'

/** What the rule is called in findings and in `[REDACTED:…]`. */
export const KEYWORD_RULE = 'generic-secret'

/** The words before `=` or `:` that make the value behind it a secret; the raw filter looks for the same. */
export const KEYWORDS = [
  'password',
  'passwd',
  'passphrase',
  'secret',
  'token',
  'api_key',
  'api-key',
  'apikey',
  'access_key',
  'access-key',
  'accesskey',
  'auth_key',
  'private_key',
  'secret_key',
  'signing_key',
  'encryption_key',
  'credential',
  'credentials',
] as const

const WORDS = `(?:pass(?:word|wd|phrase)|pwd|secret|credentials?|token|(?:api|access|auth|account|private|secret|signing|encryption|master|service)[_-]?key)`
const QUOTED = `\\\\{0,3}(["'\`])([^\\s"'\`\\\\]{8,200})\\\\{0,3}\\2`
const PLAIN = `([^\\s"'\`,;<>{}()\\[\\]\\\\]{8,200})`
/** Sign and value where a keyword ends; it is empty there, so that the groups are those of `FLAG`. */
const ASSIGNED = new RegExp(
  `()\\\\{0,3}["'\`]?\\s{0,3}(?::=|=>|={1,2}|:)[ \\t]{0,3}(?:${QUOTED}|\\\\{0,3}["'\`]?${PLAIN})`,
  'y',
)
const FLAG = new RegExp(`--[a-z-]{0,30}?(${WORDS})\\s+(?:${QUOTED}|${PLAIN})`, 'gi')

export interface KeywordMatch {
  start: number
  end: number
  value: string
  /** Where the whole match begins and ends, keyword included. */
  from: number
  to: number
}

/**
 * Values of at least 8 characters, 16 of letters alone, that stand behind `password`, `token`, `secret`, `api_key` and the
 * like with `=`, `:` or as a command's option, and look random; what is called a password outright need not. Names, paths,
 * hashes in git's context and stand-ins are left alone. `lower`: the text as `lowerCase` gives it.
 */
export function* findKeywordSecrets(text: string, lower = lowerCase(text)): Generator<KeywordMatch> {
  const places = keywordPlaces(lower)
  if (places.length === 0) return
  for (const { match, ...place } of assignments(text, places, ASSIGNED)) yield* judged(text, match, place)
  if (places.some((place) => isOption(text, place))) {
    for (const match of text.matchAll(FLAG)) {
      const end = match.index + match[0].length
      yield* judged(text, match, { from: match.index, to: end, word: match[1] ?? '' })
    }
  }
  yield* findPasswords(text, places)
}

function* judged(
  text: string,
  match: RegExpExecArray,
  { from, to, word }: { from: number; to: number; word: string },
): Generator<KeywordMatch> {
  const raw = match[3] ?? match[4] ?? ''
  const value = match[3] === undefined ? unquoted(raw) : raw
  if (!looksSecret(value, /^(?:pass|pwd)/i.test(word))) return
  if (isHashInContext(value, text.slice(Math.max(0, from - 40), from))) return
  const start = match.index + match[0].lastIndexOf(raw)
  yield { start, end: start + value.length, value, from, to }
}

/** Bits per character below which a text of that length is rather a word; random base62 of 12 has about 3.4. */
const LEAST_ENTROPY = 3
const LEAST_PASSWORD_ENTROPY = 2.5

/** Letters with a sign of base64 or of a name here and there; no digit is among 24 random characters of base62 once in 67. */
const LETTERS_ALONE = /^(?:[+/_-]?[A-Za-z]){16,200}={0,2}$/

function looksSecret(value: string, isPassword: boolean): boolean {
  if (value.length < 8 || !/[A-Za-z]/.test(value)) return false
  if (!/\d/.test(value) && (!LETTERS_ALONE.test(value) || isNameLike(value))) return false
  if (isStandIn(value) || isOtherThing(value)) return false
  if (isPassword) {
    // People choose a word and a number; programs name things in camel or snake case.
    return entropy(value) >= LEAST_PASSWORD_ENTROPY && !/^[a-z]+(?:[A-Z][a-z]+|_[a-z]+)+\d?$/.test(value)
  }
  return entropy(value) >= LEAST_ENTROPY && !isNameLike(value)
}
