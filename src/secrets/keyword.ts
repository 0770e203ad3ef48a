import { type Assigned, assignedValues } from './assigned.ts'
import { entropy, isHashInContext, isNameLike, isOtherThing, isStandIn, isUuid } from './public-value.ts'

/** What the rule is called in findings and in `[REDACTED:…]`. */
export const KEYWORD_RULE = 'generic-secret'

/** The words before `=` or `:` that the raw filter looks for. */
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
  '_key',
  '_pass',
  '_pwd',
] as const

/** Values behind a telling name that look like secrets, in order of place. */
export function* findKeywordSecrets(text: string): Generator<Assigned> {
  for (const one of assignedValues(text)) if (isSecret(one, text)) yield one
}

/** Fewest characters: of a password that a person chose, of a secret, of a value whose name only hints at one, or names a service. */
const LEAST = { password: 6, secret: 8, hint: 16, vendor: 14 }
/** Bits per character below which a text of that length is rather a word; random base62 of 12 has about 3.4. */
const LEAST_ENTROPY = 3
const LEAST_PASSWORD_ENTROPY = 2.5

function isSecret(one: Assigned, text: string): boolean {
  const { telling, value } = one
  // `PASS: parses a date`: the result of a test.
  if (one.name === 'PASS' && one.sign === 'colon') return false
  // The id of an agent's session, as in a brief; a cookie has `session=`.
  if (/^session$/i.test(one.name) && one.sign === 'colon') return false
  if (value.length < LEAST[telling] || !/[A-Za-z0-9]/.test(value) || isStandIn(value) || isSample(value))
    return false
  if (telling === 'secret' && isUuid(value) && one.sign !== 'prose') return true
  if (isOtherThing(value)) return false
  if (telling === 'password' && one.sign !== 'prose') return looksChosen(value) || isLiteral(one, text)
  if (telling !== 'secret' && isHashInContext(value, text.slice(Math.max(0, one.from - 40), one.from)))
    return false
  if (telling === 'secret' && one.sign !== 'prose' && /^\d{15,20}$/.test(value)) return true
  // In a sentence a hash stands behind such a word as well.
  if (one.sign === 'prose' && HOLDS_HASH.test(value)) return false
  return looksDrawn(value) && ((telling === 'secret' && one.sign !== 'prose') || LONG_RUN.test(value))
}

const HOLDS_HASH = /(?<![A-Za-z0-9])[0-9a-f]{7,64}(?![A-Za-z0-9])/
/** Letters and digits in a row: a slug or a version has none so long. */
const LONG_RUN =
  /(?=[A-Za-z0-9]*\d)(?=[A-Za-z0-9]*[A-Za-z])[A-Za-z0-9]{14}|(?=[^A-Z]*[A-Z])(?=[^a-z]*[a-z])(?=\D*\d)[A-Za-z0-9+/]{20}/

/** `e2e-test-jwt-secret`: made up for a test. */
const isSample = (value: string): boolean =>
  /(?:^|[-_])(?:test|e2e|fake|sample)[-_]/i.test(value) && !LONG_RUN.test(value)

/** Letters with a sign of base64 or of a name here and there; no digit is among 24 random characters of base62 once in 67. */
const LETTERS_ALONE = /^(?:[+/_-]?[A-Za-z]){14,200}={0,2}$/
const hasDigitsOrLength = (value: string): boolean =>
  /[A-Za-z]/.test(value) && (/\d/.test(value) || LETTERS_ALONE.test(value))

const looksDrawn = (value: string): boolean =>
  hasDigitsOrLength(value) &&
  !isNameLike(value) &&
  entropy(value) >= (/^[0-9a-f]{20,}$/i.test(value) ? LEAST_PASSWORD_ENTROPY : LEAST_ENTROPY)

/** People choose a word and a number; programs name things in camel or snake case. */
const looksChosen = (value: string): boolean =>
  value.length >= 8 &&
  hasDigitsOrLength(value) &&
  (/\d/.test(value) || !isNameLike(value)) &&
  entropy(value) >= LEAST_PASSWORD_ENTROPY &&
  !/^[a-z]+(?:[A-Z][a-z]+|_[a-z]+)+\d?$/.test(value)

/** Words that follow `--password` in a sentence or in the help of a program. */
const PROSE =
  /^(?:option|argument|parameter|string|prompt|stdin|value|instead|because|without|should|cannot|before|itself|environment|variable|either|rather|switch|while|when|which|return|false)s?$|^[a-z]+(?:ed|ing|ly|tion|ment)$/
/** Names of constants and of other passwords: `NEW_PASSWORD`, `resetPassword`. */
const NAME = /^[A-Z]+(?:_[A-Z]+)+$|pass(?:word|wd|phrase)|secret|token/i

/**
 * A word that a command or a setting is given as its password: `--password=…`, `DB_PASSWORD=…`, `password = '…'`. It need not look
 * random, since the name says what it is. Lower-case names take a bare word only from an option: in code it is a variable.
 */
function isLiteral({ name, sign, value, isQuoted, end }: Assigned, text: string): boolean {
  if (value.startsWith('-') || (NAME.test(value) && isNameLike(value))) return false
  const isSetting = name === name.toUpperCase()
  if (sign === 'option') return isQuoted || !PROSE.test(value)
  if (sign === 'pair') return isSetting || /\d/.test(value)
  if (sign === 'prose') return false
  if (/^--?[a-z]/.test(name)) return true
  if (isQuoted) return isSetting || sign === 'equals'
  return isSetting && (sign === 'equals' || /^[ \t\r]*(?:\n|$)/.test(text.slice(end, end + 9)))
}
