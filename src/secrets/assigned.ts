import { type Telling, tellingOf } from './names.ts'

/** A value that a name is given: `NAME=value`, `"name": "value"`, `--name value`, `<name>value</name>`, `name is value`. */
export interface Assigned {
  name: string
  telling: Exclude<Telling, null>
  value: string
  /** Place of the value. */
  start: number
  end: number
  /** Where the name begins; the whole ends with the value. */
  from: number
  isQuoted: boolean
  sign: 'equals' | 'colon' | 'option' | 'pair' | 'prose'
}

/** A name as it stands in code, in a header, in an option or in a sentence. */
const NAME = /[A-Za-z0-9_.-]{2,}/g
/** Longer ones are no names. */
const LONGEST_NAME = 100

const QUOTE = `\\\\{0,7}["'\`]`
const SCHEME = `(?:(?:Bearer|Basic|Token|ApiKey|Api-Key|Key|Digest|SSWS|Negotiate|OAuth|Splunk|GenieKey)[ \\t]+)?`
/** What may stand between a name and its value; the groups tell how the two are joined. */
const SIGN = new RegExp(
  [
    // A declared type may stand between: `api_key: &str =`.
    `(?:${QUOTE})?\\]?\\*{0,2}(?:[ \\t]?:[ \\t]?[&\\w.<>' ]{1,40}?(?=[ \\t]=[ \\t]))?[ \\t]{0,40}(?<equals>:=|\\?=|\\|\\|=|=>|={1,3})[ \\t]{0,40}`,
    `(?:${QUOTE})?\\]?\\*{0,2}(?:[ \\t](?:for|of|to)[ \\t][\\w \\t'-]{1,40})?[ \\t]{0,40}(?<colon>:-?(?!:))\\*{0,2}[ \\t]{0,40}`,
    `(?<pair>${QUOTE}[ \\t]{0,4},\\s{0,8}(?=\\\\{0,7}["'\`])|${QUOTE}[ \\t]+value[ \\t]{0,2}=[ \\t]{0,2}(?=\\\\{0,7}["'])|(?:${QUOTE})?>(?=[^<\\s]{6,})|</\\w{1,20}>[\\s\\d+\\\\nt]{0,20}<\\w{1,20}>)`,
    `(?<prose>\\*{0,2}[ \\t]+(?:is|was)[ \\t]+|[ \\t]{0,9}\\|[ \\t]{0,9})`,
    `(?<option>[ \\t]+(?!-))`,
  ].join('|'),
  'iy',
)
const VALUE = new RegExp(
  `${SCHEME}(?:\\\\{0,7}(["'\`])${SCHEME}([^\\s"'\`\\\\]{6,20000})\\\\{0,7}\\1|\\\\{0,7}["'\`]?${SCHEME}([^\\s"'\`,;<>\\\\]{6,20000}))`,
  'iy',
)
/** Every value in a text that stands behind a telling name, in order of place. Takes time in proportion to the text. */
export function* assignedValues(text: string): Generator<Assigned> {
  let done = 0
  for (const { 0: name, index: from } of text.matchAll(NAME)) {
    if (from < done || name.length > LONGEST_NAME) continue
    const telling = tellingAt(text, name, from)
    if (telling === null || isMark(text, from)) continue
    const one = behind(text, from, from + name.length, name, telling)
    if (one === null) continue
    yield one
    // A short value may be the name of the next one: `<add key="Password" value="…">`.
    if (one.value.length > LONGEST_NAME) done = one.end
  }
}

function behind(
  text: string,
  from: number,
  end: number,
  name: string,
  telling: Assigned['telling'],
): Assigned | null {
  SIGN.lastIndex = end
  const sign = SIGN.exec(text)
  if (sign === null) return null
  const kind = kindOf(sign, name)
  VALUE.lastIndex = end + sign[0].length
  const found = VALUE.exec(text)
  if (found === null || isPlace(kind, found[0]) || (kind === 'option' && found[1] === '`')) return null
  const raw = found[2] ?? found[3] ?? ''
  const start = found.index + found[0].lastIndexOf(raw)
  const value = found[2] === undefined ? unquoted(raw, kind === 'equals' && name === name.toUpperCase()) : raw
  return {
    name,
    telling,
    value,
    start,
    end: start + value.length,
    from,
    isQuoted: found[2] !== undefined,
    sign: kind,
  }
}

/** Behind a blank stands the value of an option, or, as in a `.netrc`, of a word. */
function kindOf({ groups = {} }: RegExpExecArray, name: string): Assigned['sign'] {
  const kind = Object.keys(groups).find((one) => groups[one] !== undefined) as Assigned['sign']
  return kind === 'option' && !name.startsWith('-') ? 'prose' : kind
}

/**
 * A value without quotes ends before the next field of a query and before marks that end a sentence. A bracket is
 * part of it only in a setting; elsewhere it belongs to code.
 */
function unquoted(raw: string, isSetting: boolean): string {
  const value = raw.replace(/&(?:amp;)?[\w.%[\]-]{1,60}=.*$/s, '')
  return (isSetting ? value : value.replace(/[()[\]{}].*$/s, '')).replace(/(?<![.:!?&|*])[.:!?&|*]+$/, '')
}

/** Our own mark names a rule, which reads like a name. */
const isMark = (text: string, from: number): boolean => text.startsWith('[REDACTED:', from - 10)

/** `password-store.md:112:…`: a line of a file. */
const isPlace = (kind: Assigned['sign'], value: string): boolean =>
  kind === 'colon' && /^\d{1,6}:/.test(value)

/** What names tell, as far as they were met: the same come again and again. */
const met = new Map<string, Telling>()
const MOST_MET = 20_000

function tellingAt(text: string, name: string, from: number): Telling {
  // The word before a name in the same line, where one blank parts them: `API key`.
  if (/^key$/i.test(name))
    return tellingOf(name, /([A-Za-z]{2,14}) $/.exec(text.slice(Math.max(0, from - 16), from))?.[1] ?? null)
  let telling = met.get(name)
  if (telling !== undefined) return telling
  telling = tellingOf(name, null)
  if (met.size >= MOST_MET) met.clear()
  met.set(name, telling)
  return telling
}
