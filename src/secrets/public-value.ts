import { LEAST_TELLING, looksDrawn } from './letter-pairs.ts'

/** Beginnings that refer to a value kept elsewhere, or blot it out. */
const REFERS =
  /^(?:\$|%[A-Za-z]|<|\{|#|@|\[redacted|x{3,}|\*{3,}|\.{3}|process\.env|os\.environ|import\.meta|(?:env|config|settings|secrets|vars?)\.)/i
/** Words that stand in for a secret, or are guessed at once: whoever reads them learns nothing. */
const WORD =
  /^(?:your|my|change_?-?(?:me|it)|dummy|fake|mock|sample|placeholder|todo|tbd|test|demo|foo|bar|insert|replace|enter|paste|some|none|null|nil|undefined|true|false|string|number|boolean|function|redacted|hidden|masked|disabled|enabled|required|optional|abc|123456|qwerty|letmein|pass(?:word|wd|phrase)?|secret|token|admin|root|user|guest|postgres|mysql|redis|mongo|minio|rabbitmq|localhost)/i
/** The last one is the subject of the sample token at jwt.io. */
const SAYS_SO =
  /example|placeholder|change_?me|your[_-]|redacted|dummy|\.\.\.|…|x{6}|\*{4}|(?:^|[^0-9])0?1234567|abcdefgh|([x*0.-])\1{7}|<[a-z]|eyJzdWIiOiIxMjM0NTY3ODkw/i

/** True when a value only stands in for a secret: `$VAR`, `<token>`, `xxxx`, `changeme`, `…EXAMPLE`, our own mark. */
export function isStandIn(value: string): boolean {
  return (
    REFERS.test(value) ||
    SAYS_SO.test(value) ||
    (WORD.test(value) && isNameLike(value)) ||
    (value.length >= 20 && new Set(value).size < 7)
  )
}

const UUID = /^\{?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\}?$/i
const BRIEF_ID = /^\d{8}T\d{6}-[0-9a-f]{8}/
const HASH_LABEL = /^(?:sha(?:1|224|256|384|512)|md5)[-:]/i
const DOTTED = /^[A-Za-z_$][\w$]*(?:(?:\.|\?\.|::|->|!\.)[A-Za-z_$][\w$]*)+[!?]?$/
const LOCATION = /^(?:[a-z][a-z0-9+.-]*:)?(?:[A-Za-z]:[\\/]|~?\/|\.{0,2}\/|\/\/)/i
const FILE_NAME = /^[\w.@+-]+\.(?:[a-z]{1,5}|[a-z]{1,3}\d)(?::\d+)*$/
const DATE = /^\d{4}-\d{2}-\d{2}(?:[T ][\d:.,Z+-]*)?$/

export const isUuid = (value: string): boolean => UUID.test(value)

/** True for values whose form says that they are something else: ids, hashes with a label, dotted names, paths, dates. */
export function isOtherThing(value: string): boolean {
  return (
    UUID.test(value) ||
    BRIEF_ID.test(value) ||
    HASH_LABEL.test(value) ||
    DATE.test(value) ||
    ((DOTTED.test(value) || FILE_NAME.test(value)) && !looksRandom(value)) ||
    isPathLike(value)
  )
}

/** Base64 may begin with a slash; so long without a word in it, it is no path. */
const LONG_BASE64 = 40

/** A location, or words joined by slashes; base64 has slashes too, but no words between them. */
function isPathLike(value: string): boolean {
  const parts = value.split('/')
  if (LOCATION.test(value))
    return value.length < LONG_BASE64 || parts.some((part) => /[a-z]{3}/i.test(part) && isNameLike(part))
  const areNames = parts.length > 1 && parts.every((part) => part.length <= 40 && isNameLike(part))
  // A part may be too short to tell.
  return areNames && !looksRandom(value)
}

/** A point or a slash stands in random values too. */
function looksRandom(value: string): boolean {
  const words = wordsOf(value)
  return words.join('').length >= LEAST_TELLING && (isShort(words) || looksDrawn(words))
}

/** Words in any of the usual spellings with a number or two: `session-v2`, `tokenCache`, `MAX_RETRIES_3`. */
export function isNameLike(text: string): boolean {
  const numbers = text.match(/\d+/g) ?? []
  if (numbers.length > 2 || numbers.some((number) => number.length > 4)) return false
  const words = wordsOf(text)
  return words.length > 0 && !isShort(words) && !looksDrawn(words)
}

/** Mean length of the words in a name, in letters; random letters of both cases come to about 2. */
const LEAST_WORD = 3
const isShort = (words: readonly string[]): boolean => words.join('').length < LEAST_WORD * words.length

/** Split where the case changes and where no letter stands. */
const wordsOf = (text: string): string[] => text.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? []

const GIT_WORD =
  /\b(?:commit|sha\d*|rev|revision|HEAD|tree|blob|parent|checkout|cherry-pick|merge-base|hash|digest|checksum|integrity|etag)\b/i

/** True for a plain hexadecimal number of 7 to 64 digits where the text before it speaks of git or of hashes. */
export function isHashInContext(value: string, before: string): boolean {
  return /^[0-9a-f]{7,64}$/i.test(value) && GIT_WORD.test(before.slice(-40))
}

/** True when the place lies inside an integrity value of a lock file, `sha512-…`. */
export function isInIntegrity(text: string, start: number): boolean {
  return /sha(?:1|256|384|512)[-:][A-Za-z0-9+/=]{0,100}$/.test(text.slice(Math.max(0, start - 110), start))
}

/** Shannon entropy in bits per character. */
export function entropy(value: string): number {
  const counts = new Map<string, number>()
  for (const unit of value) counts.set(unit, (counts.get(unit) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length)
  return bits
}
