import type { KeywordMatch } from './keyword.ts'
import { assignments, isOption, type KeywordPlace, unquoted } from './keyword-places.ts'
import { isNameLike, isOtherThing, isStandIn } from './public-value.ts'

/** Shorter values stand for something else, as a rule: `none`, `true`, `-`. */
const LEAST = 6
const QUOTED = `\\\\{0,3}(["'\`])([^\\s"'\`\\\\]{${LEAST},200})\\\\{0,3}\\3`
const PLAIN = `([^\\s"'\`,;<>{}()\\[\\]\\\\]{${LEAST},200})(?![(\\[{<])`
const OPTION = new RegExp(
  `(?<![\\w-])--?[a-z-]{0,30}?(pass(?:word|wd|phrase)|_pwd)(=|[ \\t]+)(?:${QUOTED}|${PLAIN})`,
  'gi',
)
/** Sign and value where the word ends; it is empty there, so that the groups are those of `OPTION`. */
const ASSIGNED = new RegExp(
  `()\\\\{0,3}["'\`]?([ \\t]{0,3}(?::=|=>|={1,2}|:)[ \\t]{0,3})(?:${QUOTED}|${PLAIN})`,
  'y',
)

/** Words that follow `--password` in a sentence or in the help of a program. */
const PROSE =
  /^(?:option|argument|parameter|string|prompt|stdin|value|instead|because|without|should|cannot|before|itself|environment|variable|either|rather|switch|while|when|which|return|false)s?$|^[a-z]+(?:ed|ing|ly|tion|ment)$/
/** Names of constants and of other passwords: `NEW_PASSWORD`, `resetPassword`. */
const NAME = /^[A-Z]+(?:_[A-Z]+)+$|pass(?:word|wd|phrase)|secret|token/i

/**
 * Literals of at least 6 characters that a command or a setting calls a password: `--password=…`, `DB_PASSWORD=…`,
 * `password = '…'`. They need not look random, since the name says what they are. Lower-case names take a bare word
 * only from an option: in code it is a variable. `keywords`: those of the text, in order of place.
 */
export function* findPasswords(text: string, keywords: readonly KeywordPlace[]): Generator<KeywordMatch> {
  const places = keywords.flatMap((place) => passwordPlace(text, place) ?? [])
  if (places.some((place) => isOption(text, place))) {
    for (const match of text.matchAll(OPTION)) {
      const value = literalOf(match)
      if (value === null) continue
      if (match[2] !== '=' && match[4] === undefined && PROSE.test(value)) continue
      yield placed(match, value, match.index)
    }
  }
  for (const { match, from, to, word } of assignments(text, places, ASSIGNED)) {
    const value = literalOf(match)
    if (value === null) continue
    const [, , sign = '', , quoted] = match
    const isSetting = word === word.toUpperCase()
    if (quoted === undefined && !isSetting) continue
    if (quoted === undefined && sign !== '=' && !(sign.startsWith(':') && endsLine(text, to))) continue
    if (quoted !== undefined && !isSetting && !sign.includes('=')) continue
    yield placed(match, value, from)
  }
}

/** The keyword when it is one for passwords; `pwd` alone is a directory. */
function passwordPlace(text: string, { from, end }: KeywordPlace): KeywordPlace | null {
  const word = text.slice(from, from + 4).toLowerCase()
  if (word === 'pass') return { from, end }
  return word.startsWith('pwd') && text.charAt(from - 1) === '_' ? { from: from - 1, end } : null
}

function placed(match: RegExpExecArray, value: string, from: number): KeywordMatch {
  const start = match.index + match[0].lastIndexOf(match[4] ?? match[5] ?? '')
  return { start, end: start + value.length, value, from, to: match.index + match[0].length }
}

const endsLine = (text: string, end: number): boolean => /^[ \t\r]*(?:\n|$)/.test(text.slice(end, end + 9))

function literalOf(match: RegExpExecArray): string | null {
  const raw = match[4] ?? match[5] ?? ''
  const value = match[4] === undefined ? unquoted(raw) : raw
  const isLiteral =
    value.length >= LEAST &&
    /[A-Za-z0-9]/.test(value) &&
    !value.startsWith('-') &&
    !isStandIn(value) &&
    !isOtherThing(value) &&
    !(NAME.test(value) && isNameLike(value))
  return isLiteral ? value : null
}
