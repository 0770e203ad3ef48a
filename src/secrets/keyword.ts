import {
  entropy,
  isNameLike,
  isOtherThing,
  isScrambled,
  isStandIn,
  isUuid,
  type Telling,
  tellingOf,
} from './classify.ts'

/** What the rule is called in findings and in `[REDACTED:…]`. */
export const KEYWORD_RULE = 'generic-secret'

interface Span {
  start: number
  end: number
  /** Where the name begins by which the value is known. */
  from: number
  value: string
}

/**
 * Values that are secret by what stands beside them: a name, the head of their column, a sentence, a command. Takes a reading, not a text with
 * escapes. `places`: where its `TELLING_WORDS` begin, in order.
 */
export function* findNamedSecrets(text: string, places: readonly number[]): Generator<Span> {
  for (const one of assignedValues(text, places)) if (isSecret(one, text)) yield one
  yield* findInColumns(text, places)
  yield* findInSentences(text)
  yield* findPrinted(text)
}

/** Fewest characters: of a password that a person chose, of a secret, of a value whose name only hints at one, or names a service. */
const LEAST = { password: 6, secret: 8, hint: 16, vendor: 14 }
/** Bits per character below which a text of that length is rather a word; random base62 of 12 has about 3.4. */
const LEAST_ENTROPY = 3
const LEAST_PASSWORD_ENTROPY = 2.5

function isSecret(one: Assigned, text: string): boolean {
  const { telling, value } = one
  // `PASS: parses a date`: the result of a test.
  if (one.name === 'PASS' && one.sign !== 'equals') return false
  // The id of an agent's session, as in a brief; a cookie has `session=`.
  if (one.sign === 'colon' && one.name.toLowerCase() === 'session') return false
  if (value.length < LEAST[telling] || !/[A-Za-z0-9]/.test(value)) return false
  if (isStandIn(isPlainDollar(one, text) ? value.slice(1) : value) || isSample(value)) return false
  if (value.includes(' ')) return isPhrase(one, value)
  if (telling === 'secret' && isUuid(value) && one.sign !== 'prose') return true
  if (isOtherThing(value)) return false
  if (telling === 'password' && one.sign !== 'prose') return looksChosen(value) || isLiteral(one, text)
  if (telling === 'password') return looksTyped(value)
  if (telling === 'secret' && one.sign !== 'prose' && /^\d{15,20}$/.test(value)) return true
  // In a sentence a hash stands behind such a word as well.
  if (one.sign === 'prose' && HOLDS_HASH.test(value)) return false
  return looksDrawn(value) && ((telling === 'secret' && one.sign !== 'prose') || LONG_RUN.test(value))
}

/** In single quotes a dollar is a character; the name of a variable in capitals is one all the same, since other programs put it in. */
const isPlainDollar = ({ start, value }: Assigned, text: string): boolean =>
  text.charAt(start - 1) === "'" && /^\$(?![({]|[A-Z_][A-Z0-9_]*$)/.test(value)
const FOURS = /^(?:[a-zA-Z2-7]{4} ){3,7}[a-zA-Z2-7]{4}$/
/** Several words are a value where a setting or an option is given them in quotes; elsewhere they are a message. */
const isPhrase = ({ name, sign, telling }: Named, value: string): boolean =>
  (telling === 'password' || telling === 'secret') &&
  value.length <= 200 &&
  (sign === 'option' ||
    (FOURS.test(value) && !isNameLike(value)) ||
    (sign === 'equals' && (name === name.toUpperCase() || /\d/.test(value))))

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
  (isScrambled(value) || (hasDigitsOrLength(value) && (/\d/.test(value) || !isNameLike(value))))

/** In a sentence or a table, where words about passwords stand as well: letters and digits that no name has. */
const looksTyped = (value: string): boolean =>
  value.length >= 8 &&
  /\d/.test(value) &&
  /[A-Za-z]/.test(value) &&
  !isNameLike(value) &&
  !isStandIn(value) &&
  !isOtherThing(value) &&
  !HOLDS_HASH.test(value)

/** Words that follow `--password` in a sentence or in the help of a program. */
const PROSE = /^[a-z]+(?:ed|ing|ly|tion|ment)$/
/** Names of constants and of other passwords: `NEW_PASSWORD`, `resetPassword`. */
const CONSTANT_NAME = /^[A-Z]+(?:_[A-Z]+)+$|pass(?:word|wd|phrase)|secret|token/i

/**
 * A word that a command or a setting is given as its password: `--password=…`, `DB_PASSWORD=…`, `password = '…'`. It need not look
 * random, since the name says what it is. Lower-case names take a bare word only from an option: in code it is a variable.
 */
function isLiteral({ name, sign, value, isQuoted, end }: Assigned, text: string): boolean {
  if (value.startsWith('-') || (CONSTANT_NAME.test(value) && isNameLike(value))) return false
  const isSetting = name === name.toUpperCase()
  if (sign === 'option') return isQuoted || !PROSE.test(value)
  if (sign === 'pair') return isSetting || /\d/.test(value)
  if (/^--?[a-z]/.test(name)) return true
  if (isQuoted) return isSetting || sign === 'equals'
  return isSetting && (sign === 'equals' || /^[ \t\r]*(?:\n|$)/.test(text.slice(end, end + 9)))
}

/** A name and how a value is joined to it: `NAME=value`, `"name": "value"`, `--name value`, `<name>value</name>`, `name is value`. */
interface Named extends Pick<Span, 'from'> {
  name: string
  telling: Exclude<Telling, null>
  sign: 'equals' | 'colon' | 'option' | 'pair' | 'prose'
}
interface Assigned extends Named, Span {
  isQuoted: boolean
}

/** A name as it stands in code, in a header, in an option or in a sentence. */
const ANY_NAME = /[A-Za-z0-9_.-]{2,}/g
/** Longer ones are no names. */
const LONGEST_NAME = 100

const QUOTE = `["'\`]`
const SCHEME = `(?:(?:Bearer|Basic|Token)[ \\t]+)?`
/** A value that is alone in its line. */
const ALONE = `(?=${QUOTE}?[^\\s"']{6,300}${QUOTE}?[ \\t]*(?:\\r?\\n|$))`
/** What may stand between a name and its value; the groups tell how the two are joined. */
const SIGN = new RegExp(
  [
    // A declared type may stand between: `api_key: &str =`, `apiToken string =`.
    `${QUOTE}?\\]?\\*{0,2}(?:\\[\\d{0,4}\\])?(?:[ \\t]?:[ \\t]?[&\\w.<>' ]{1,40}?(?=[ \\t]=[ \\t])|[ \\t]\\*?(?:\\[\\]byte|(?:std::)?string|str|bytes|char)(?=[ \\t]?=[ \\t]?${QUOTE}))?[ \\t]{0,40}(?<equals>:=|=>|={1,3}|\\?\\?=?)(?:\\s{1,9}string\\(\\d{1,4}\\))?[ \\t]{0,40}`,
    // The value is the next line: behind a prompt, a block scalar, the head of a part of a form.
    `(?<line>\\*{0,2}(?::\\*{0,2}[ \\t]{0,9}(?:[|>][+-]?\\d?[ \\t]{0,9})?\\r?\\n(?:\\r?\\n)?(?:[ \\t]{0,40}\`{3}\\w{0,10}\\r?\\n)?|"\\r?\\n\\r?\\n)[ \\t]{0,40})${ALONE}`,
    `${QUOTE}?\\]?\\*{0,2}(?:[ \\t]{0,2}\\[[^\\]\\n]{0,40}\\])?[ \\t]{0,40}(?<colon>:-?(?!:|[ \\t]{0,9}\\r?\\n)|：)\\*{0,2}[ \\t]{0,40}`,
    // The name is the value of a field, and the next field or option is called value; or it names a variable with a default.
    `(?<field>(?:${QUOTE},?|,|:?[ \\t]{0,4}\\r?\\n)(?:(?!\\b(?:name|key|valueFrom)\\b)[^{}]){0,100}?\\b(?:parameter)?value${QUOTE}?[ \\t]{0,4}[:=][ \\t]{0,4}|[ \\t]{1,4}--(?:value|secret-string)[ \\t=]{1,3}|"[ \\t]{0,3}\\{[^{}]{0,200}?\\bdefault[ \\t]{0,9}=[ \\t]{0,4})`,
    // In neighbouring fields or arguments, or as the argument of what sets it.
    `(?<pair>${QUOTE}(?:[ \\t]{0,4},\\s{0,8}|[ \\t]{1,4})(?=["'\`])|(?<=\\bset\\w{2,40})\\((?=["'])|${QUOTE}?\\(?\\)(?:\\.(?:type|fill|send_?keys|set_?value|unwrap_or)\\(|[ \\t]{0,2}(?:\\{|\\?\\?|\\|\\||or\\b)[ \\t]{0,2})(?=["'])|${QUOTE}?>(?=[^<\\s]{6,})|</\\w{1,20}>[\\s\\d+]{0,20}<\\w{1,20}>)`,
    `(?<prose>${QUOTE}?\\*{0,2}[ \\t]+(?:is|was|to|should be|->|→)[ \\t]+|[ \\t]{0,9}[|│][ \\t]{0,9})`,
    `(?<option>[ \\t]+(?!-))`,
  ].join('|'),
  'iy',
)
/** A value in quotes, which may hold other quotes and blanks; fours of letters, as services print them; or up to a blank or a sign that ends it. */
const VALUE = new RegExp(
  `${SCHEME}(?:[bfru@]{1,2}(?=["']))?(?:(["'\`])${SCHEME}((?:(?!\\1)[^\\r\\n]){6,20000})\\1|((?:[a-z]{4} ){3}[a-z]{4}(?!\\S| [a-z])|(?:[A-Z2-7]{4} ){3,7}[A-Z2-7]{4}(?!\\S))|["'\`]?${SCHEME}([^\\s"'\`,;<>\\\\]{6,20000}))`,
  'iy',
)
/** Between the old value and the new one, as a plan of changes prints them. */
const CHANGE = /["']?[ \t]{0,4}(?:->|→)[ \t]{0,4}(?=["'])/y

const isInName = (text: string, at: number): boolean => IN_NAME[text.charCodeAt(at)] === 1
const IN_NAME = Uint8Array.from({ length: 128 }, (_, code) =>
  /[\w.-]/.test(String.fromCharCode(code)) ? 1 : 0,
)

/** Every value in a text that stands at a telling name, in order of place. Takes time in proportion to the text. */
function* assignedValues(text: string, places: readonly number[]): Generator<Assigned> {
  let [done, end] = [0, 0]
  for (const place of places) {
    if (place < end) continue
    let from = place
    while (from > end && isInName(text, from - 1)) from--
    end = place
    while (isInName(text, end)) end++
    if (from < done || end - from > LONGEST_NAME) continue
    const name = text.slice(from, end)
    const telling = tellingAt(text, name, from)
    if (telling === null) continue
    SIGN.lastIndex = end
    const joined = SIGN.exec(text)
    const sign = joined && kindOf(joined, name)
    const at = SIGN.lastIndex
    // `password-store.md:112:…`: a line of a file.
    if (sign === null || (sign === 'colon' && /^\d{1,6}:/.test(text.slice(at, at + 7)))) continue
    const one = valueAt(text, at, { name, telling, from, sign })
    if (one === null) continue
    yield one
    // A short value may be the name of the next one: `<add key="Password" value="…">`.
    if (one.value.length > LONGEST_NAME) done = one.end
    CHANGE.lastIndex = one.end
    if (one.sign === 'equals' && CHANGE.test(text)) {
      const changed = valueAt(text, CHANGE.lastIndex, one)
      if (changed !== null) yield changed
    }
  }
}

function valueAt(text: string, at: number, named: Named): Assigned | null {
  const { sign, name } = named
  VALUE.lastIndex = at
  const found = VALUE.exec(text)
  if (found === null || (sign === 'option' && found[1] === '`')) return null
  const isQuoted = found[2] !== undefined
  // A message.
  if (found[2]?.includes(' ') && !isPhrase(named, found[2])) return null
  const raw = found[2] ?? found[3] ?? found[4] ?? ''
  const start = found.index + found[0].lastIndexOf(raw)
  const value = isQuoted ? raw : unquoted(raw, sign === 'equals' && name === name.toUpperCase())
  const { telling, from } = named
  return { name, telling, from, sign, value, start, end: start + value.length, isQuoted }
}

/** Behind a blank stands the value of an option, or, as in a `.netrc`, of a word. */
function kindOf({ groups = {} }: RegExpExecArray, name: string): Assigned['sign'] {
  const kind = Object.keys(groups).find((one) => groups[one] !== undefined)
  if (kind === 'field') return 'pair'
  if (kind === 'line') return 'colon'
  if (kind === 'option' && !name.startsWith('-')) return 'prose'
  return kind as Assigned['sign']
}

/**
 * A value without quotes ends before the next field of a query and before marks that end a sentence. A bracket is
 * part of it only in a setting; elsewhere it belongs to code.
 */
function unquoted(raw: string, isSetting: boolean): string {
  const value = raw.replace(/&(?:amp;)?[\w.%[\]-]{1,60}=.*$/s, '')
  return (isSetting ? value : value.replace(/[()[\]{}].*$/s, '')).replace(/(?<![.:!?&|*])[.:!?&|*]+$/, '')
}

/** What names tell, as far as they were met: the same come again and again. */
const met = new Map<string, Telling>()
const MOST_MET = 20_000

function tellingAt(text: string, name: string, from: number): Telling {
  // The word before a name in the same line, where one blank parts them: `API key`.
  if (name.toLowerCase() === 'key')
    return tellingOf(name, /([A-Za-z]{2,14}) $/.exec(text.slice(Math.max(0, from - 16), from))?.[1] ?? null)
  let telling = met.get(name)
  if (telling !== undefined) return telling
  telling = tellingOf(name, null)
  if (met.size >= MOST_MET) met.clear()
  met.set(name, telling)
  return telling
}

/** Heads of columns: in a line of them one tells that what stands below is secret. */
const HEADS = /[^\n]{0,400}?(?:pass|pwd|secret|token|key|psk)[^\n]{0,400}$/imy
const LONGEST_ROW = 1600
const HEAD = /^(?=[^A-Za-z]{0,20}[A-Za-z])[ \t"'`*]{0,9}([\w .()/#-]{1,40}?)[ \t"'`*]{0,9}$/
const RULE = /^[\s|+:=─┼│┤├-]*$/
const MOST_ROWS = 50
const COLUMN_SIGNS = ['|', '│', '\t', ',', ';']
const INSERTED = /\(([^()\n]{3,300})\)\s{1,20}VALUES?\s{0,20}\(([^()\n]{3,600})\)/gi

/** Values below or behind the name of their column: tables of databases and of markdown, CSV, `INSERT`. */
function* findInColumns(text: string, places: readonly number[]): Generator<Span> {
  let [from, done] = [0, 0]
  for (const place of places) {
    if (place < done) continue
    const index = text.lastIndexOf('\n', place) + 1
    done = lineEnd(text, place)
    if (index < from) continue
    HEADS.lastIndex = index
    const heads = HEADS.exec(text)?.[0]
    if (heads === undefined) continue
    const sign = COLUMN_SIGNS.find((one) => heads.includes(one)) ?? ','
    const columns = tellingColumns(heads, sign)
    if (columns.length === 0) continue
    from = index + heads.length + 1
    for (let row = 0; row < MOST_ROWS && from < text.length; row++) {
      const end = Math.min(lineEnd(text, from), from + LONGEST_ROW)
      const line = text.slice(from, end)
      if (!RULE.test(line)) {
        if (line.split(sign).length !== heads.split(sign).length) break
        yield* valuesIn(line, from, sign, columns)
      }
      from = end + 1
    }
  }
  if (!text.includes('VALUES') && !text.includes('values')) return
  for (const { 0: whole, 1: names = '', 2: values = '', index } of text.matchAll(INSERTED))
    yield* valuesIn(values, index + whole.lastIndexOf(values), ',', tellingColumns(names, ','))
}

function lineEnd(text: string, at: number): number {
  const stop = text.indexOf('\n', at)
  return stop === -1 ? text.length : stop
}

function tellingColumns(heads: string, sign: string): number[] {
  const cells = heads.split(sign)
  const names = cells.map((cell) => (cell.trim() === '' ? '' : HEAD.exec(cell)?.[1]))
  if (names.filter((name) => name !== '').length < 2 || names.includes(undefined)) return []
  return names.flatMap((name, column) => {
    const words = (name ?? '').trim().split(/[ ./]/)
    const telling = tellingOf(words.at(-1) ?? '', words.at(-2) ?? null)
    return telling === 'password' || telling === 'secret' ? [column] : []
  })
}

function* valuesIn(line: string, at: number, sign: string, columns: readonly number[]): Generator<Span> {
  let start = at
  for (const [column, cell] of line.split(sign).entries()) {
    const value = /^[\s"'`]{0,40}(\S+?)["'`]?\s*$/.exec(cell)?.[1]
    if (value !== undefined && columns.includes(column) && (looksTyped(value) || isScrambled(value))) {
      const begin = start + cell.indexOf(value)
      yield { start: begin, end: begin + value.length, from: begin, value }
    }
    start += cell.length + 1
  }
}

/** A sentence that says what a password is: in English, ten other languages of Europe, Japanese, Korean and Chinese. */
const SENTENCE =
  /(?:(?:pass(?:wor[dt]|phrase|code)|kennwort|mot de passe|contrase[ñn]a|clave|senha|api[ -]key|access token|wachtwoord|has[łl]o|пароль|şifre|parol[ae]|hesl[oa]|lösenord|adgangskode|salasana|jelsz[óa]|mật khẩu|kata sandi|κωδικ[όο]ς?|पासवर्ड|كلمة (?:المرور|السر)|סיסמ[הא]|รหัสผ่าน|パスワード|비밀번호|暗証番号|密码|密碼|口令)(?:[^\n.;|]{0,70}?(?:[ \t](?:is|was|to|as|be|ist|war|lautet|auf|est|sur|es|era|a|é|è)[ \t:]{1,3}|[はがを是为為는은:：—][ \t]{0,2})|[ \t])|\b(?:log[ -]?in|cred(?:ential)?s)\b[^\n.;|"'{},]{0,40}[ \t](?:\/|with)[ \t])["'`「“„«]?(?=[!-~]{0,200}\d)([!-~]{8,200})/giu

function* findInSentences(text: string): Generator<Span> {
  for (const match of text.matchAll(SENTENCE)) {
    const value = (match[1] ?? '').replace(/["'`]?[.,;:)\]"'`]*$/, '')
    if (!looksTyped(value)) continue
    const start = match.index + match[0].length - (match[1] ?? '').length
    yield { start, end: start + value.length, from: match.index, value }
  }
}

/** A line of its own behind one that asks for a secret or runs what prints it. */
const PRINTED = /\n[ \t>]{0,8}([^\s"']{12,300})[ \t]{0,8}(?=\r?\n|$)/g
const ASKED =
  /^\s*(?:\S{0,40}[$#>%❯]\s|(?:cat|echo|printenv|gcloud|aws|vault|op|pass|gh|az|kubectl|security|heroku|bw|rails|openssl|head)\s)|[:：]\s*$/

function* findPrinted(text: string): Generator<Span> {
  for (const { 0: whole, 1: value = '', index: end } of text.matchAll(PRINTED)) {
    if (!looksDrawn(value) || !LONG_RUN.test(value)) continue
    if (isStandIn(value) || isOtherThing(value)) continue
    const start = end + whole.lastIndexOf(value)
    const line = /[^\n]*$/.exec(text.slice(Math.max(0, end - 200), end))?.[0] ?? ''
    if (!ASKED.test(line)) continue
    const told = [...line.matchAll(ANY_NAME)].map(({ 0: name, index: at }) => tellingAt(line, name, at))
    if (told.includes('secret') || told.includes('password'))
      yield { start, end: start + value.length, from: start, value }
  }
}
