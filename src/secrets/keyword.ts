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
const QUOTED = `\\\\{0,3}(["'\`])([^\\s"'\`\\\\]{8,200})\\\\{0,3}\\1`
const PLAIN = `([^\\s"'\`,;<>{}()\\[\\]\\\\]{8,200})`
const ASSIGNED = new RegExp(
  `(${WORDS})\\\\{0,3}["'\`]?\\s{0,3}(?::=|=>|={1,2}|:)[ \\t]{0,3}(?:${QUOTED}|\\\\{0,3}["'\`]?${PLAIN})`,
  'gi',
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
 * Values of at least 8 characters that stand behind `password`, `token`, `secret`, `api_key` and the like with `=`, `:`
 * or as a command's option, and look random; what is called a password outright need not. Names, paths, hashes in git's context and stand-ins are left alone.
 */
export function* findKeywordSecrets(text: string): Generator<KeywordMatch> {
  for (const pattern of [ASSIGNED, FLAG]) {
    for (const match of text.matchAll(pattern)) {
      const raw = match[3] ?? match[4] ?? ''
      const value = match[3] === undefined ? raw.replace(/&[\w.-]+=.*$|[.:!?&|]+$/, '') : raw
      const isPassword = /^(?:pass|pwd)/i.test(match[1] ?? '')
      if (!looksSecret(value, isPassword)) continue
      const start = match.index + match[0].lastIndexOf(raw)
      if (isHashInContext(value, text.slice(Math.max(0, match.index - 40), match.index))) continue
      yield { start, end: start + value.length, value, from: match.index, to: match.index + match[0].length }
    }
  }
  for (const { match, raw, value } of findPasswords(text)) {
    const start = match.index + match[0].lastIndexOf(raw)
    yield { start, end: start + value.length, value, from: match.index, to: match.index + match[0].length }
  }
}

/** Bits per character below which a text of that length is rather a word; random base62 of 12 has about 3.4. */
const LEAST_ENTROPY = 3
const LEAST_PASSWORD_ENTROPY = 2.5

function looksSecret(value: string, isPassword: boolean): boolean {
  if (value.length < 8 || !/\d/.test(value) || !/[A-Za-z]/.test(value)) return false
  if (isStandIn(value) || isOtherThing(value)) return false
  if (isPassword) {
    // People choose a word and a number; programs name things in camel or snake case.
    return entropy(value) >= LEAST_PASSWORD_ENTROPY && !/^[a-z]+(?:[A-Z][a-z]+|_[a-z]+)+\d?$/.test(value)
  }
  return entropy(value) >= LEAST_ENTROPY && !isNameLike(value)
}
