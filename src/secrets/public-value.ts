/** Beginnings that refer to a value kept elsewhere, or blot it out. */
const REFERS =
  /^(?:\$|%[A-Za-z]|<|\{|#|@|\[redacted|x{3,}|\*{3,}|\.{3}|process\.env|os\.environ|import\.meta|(?:env|config|settings|secrets|vars?)\.)/i
/** Words that stand in for a secret, or are guessed at once: whoever reads them learns nothing. */
const WORD =
  /^(?:your|my|change_?-?(?:me|it)|dummy|fake|mock|sample|placeholder|todo|tbd|test|demo|foo|bar|insert|replace|enter|paste|some|none|null|nil|undefined|true|false|string|number|boolean|function|redacted|hidden|masked|disabled|enabled|required|optional|abc|123456|qwerty|letmein|pass(?:word|wd|phrase)?|secret|token|admin|root|user|guest|postgres|mysql|redis|mongo|minio|rabbitmq|localhost)/i
/** The last one is the subject of the sample token at jwt.io. */
const SAYS_SO =
  /^p@ssw0rd|example|placeholder|change_?me|your[_-]|redacted|dummy|\.\.\.|…|x{6}|\*{4}|(?:^|[^0-9])0?1234567|abcdefgh|([x*0.-])\1{7}|<[a-z]|eyJzdWIiOiIxMjM0NTY3ODkw/i

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

export function entropy(value: string): number {
  const counts = new Map<string, number>()
  for (const unit of value) counts.set(unit, (counts.get(unit) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length)
  return bits
}

/**
 * How common each two letters in a row are in names, a line per first letter and a character per second one: 4 as by pure chance, each
 * step more or less twice or half as often. Counted in the 8,071 distinct words of the identifiers and comments of @types/node 20.19
 * and of the libraries of TypeScript 7.0; `bench/letter-pairs.mjs` prints it.
 */
// biome-ignore format: a table
const PAIRS = [
  '26663350503757050667443241',
  '41214010412611410342400020',
  '61426006505510721536410020',
  '52247221610322421442421020',
  '64775542422657454886343531',
  '41115400500401500322400030',
  '42106134400324310432300010',
  '60006003500121510323200020',
  '54655550001558751566050305',
  '10003000000000100010200000',
  '11115100400201110031101000',
  '62237210601611620144420050',
  '63016100601231550031400000',
  '62666472513334540367442020',
  '44552340403558450755645210',
  '61126104501510640645401010',
  '00000000000000000000500000',
  '72548330603353630555432040',
  '51527315603332551367522040',
  '61438215800432630665502150',
  '44434330400546140555000100',
  '40006010500010300001001000',
  '40004003400103300440000100',
  '10203000300020130004000010',
  '01202100300223240032001010',
  '30004000200000100000000000',
]
const CHANCE = 4
/** Fewer letters tell nothing: short names are abbreviations. */
export const LEAST_TELLING = 12
const LETTER_A = 0x61

/**
 * True when words, of letters alone, are rather drawn at random than written by somebody: all in all their letters follow one another
 * less often in names than pure chance has them. False for fewer than 12 letters. Of random letters of one case 1.2 % are missed at 16
 * letters, 0.2 % at 24 and 0.1 % at 32; of names in code 0.1 % are taken for drawn, of compounds of German, Spanish, French, Italian
 * and Dutch 0.7 %.
 */
export function looksDrawn(words: readonly string[]): boolean {
  const { letters, steps } = weigh(words)
  return letters >= LEAST_TELLING && steps < 0
}

/** True for 8 to 13 letters that a person or a program chose at random: capitals where no word begins, or letters that do not follow one another. */
export function isScrambled(value: string): boolean {
  if (!/^[A-Za-z]{8,13}$/.test(value)) return false
  const words = wordsOf(value)
  const { steps } = weigh(words)
  if (/^(?:[a-z]+|[A-Z]+|[A-Z][a-z]+)$/.test(value)) return steps < LEAST_STEPS
  return steps < 0 && words.some((word) => word.length < LEAST_WORD)
}
/** Fewer steps than any of 10,000 words of one case have. */
const LEAST_STEPS = -8

/** How many letters there are, and how much more often than by chance they follow one another in names. */
function weigh(words: readonly string[]): { letters: number; steps: number } {
  let letters = 0
  let steps = 0
  for (const word of words) {
    const lower = word.toLowerCase()
    letters += lower.length
    for (let at = 1; at < lower.length; at++) {
      const row = PAIRS[lower.charCodeAt(at - 1) - LETTER_A]
      steps += (row === undefined ? CHANCE : Number(row[lower.charCodeAt(at) - LETTER_A] ?? CHANCE)) - CHANCE
    }
  }
  return { letters, steps }
}
