import { isNameLike, isOtherThing, isStandIn } from './public-value.ts'

/** Shorter values stand for something else, as a rule: `none`, `true`, `-`. */
const LEAST = 6
const WORDS = '(pass(?:word|wd|phrase)|_pwd)'
const QUOTED = `\\\\{0,3}(["'\`])([^\\s"'\`\\\\]{${LEAST},200})\\\\{0,3}\\QUOTE`
const PLAIN = `([^\\s"'\`,;<>{}()\\[\\]\\\\]{${LEAST},200})(?![(\\[{<])`
const either = (quote: number) => `(?:${QUOTED.replace('QUOTE', String(quote))}|${PLAIN})`

const OPTION = new RegExp(`(?<![\\w-])--?[a-z-]{0,30}?${WORDS}(=|[ \\t]+)${either(3)}`, 'gi')
const ASSIGNED = new RegExp(
  `${WORDS}\\\\{0,3}["'\`]?([ \\t]{0,3}(?::=|=>|={1,2}|:)[ \\t]{0,3})${either(3)}`,
  'gi',
)

/** Words that follow `--password` in a sentence or in the help of a program. */
const PROSE =
  /^(?:option|argument|parameter|string|prompt|stdin|value|instead|because|without|should|cannot|before|itself|environment|variable|either|rather|switch|while|when|which|return|false)s?$|^[a-z]+(?:ed|ing|ly|tion|ment)$/
/** Names of constants and of other passwords: `NEW_PASSWORD`, `resetPassword`. */
const NAME = /^[A-Z]+(?:_[A-Z]+)+$|pass(?:word|wd|phrase)|secret|token/i

interface PasswordMatch {
  raw: string
  value: string
  match: RegExpExecArray
}

/**
 * Literals of at least 6 characters that a command or a setting calls a password: `--password=…`, `DB_PASSWORD=…`,
 * `password = '…'`. They need not look random, since the name says what they are. Lower-case names take a bare word
 * only from an option: in code it is a variable.
 */
export function* findPasswords(text: string): Generator<PasswordMatch> {
  for (const match of text.matchAll(OPTION)) {
    const found = literalOf(match)
    if (match[2] !== '=' && found !== null && match[4] === undefined && PROSE.test(found.value)) continue
    if (found !== null) yield found
  }
  for (const match of text.matchAll(ASSIGNED)) {
    const [, word = '', sign = '', , quoted] = match
    const found = literalOf(match)
    if (found === null) continue
    const isSetting = word === word.toUpperCase()
    if (quoted === undefined && !isSetting) continue
    if (quoted === undefined && sign !== '=' && !(sign.startsWith(':') && endsLine(text, match))) continue
    if (quoted !== undefined && !isSetting && !sign.includes('=')) continue
    yield found
  }
}

const endsLine = (text: string, match: RegExpExecArray): boolean =>
  /^[ \t\r]*(?:\n|$)/.test(text.slice(match.index + match[0].length, match.index + match[0].length + 9))

function literalOf(match: RegExpExecArray): PasswordMatch | null {
  const raw = match[4] ?? match[5] ?? ''
  const value = match[4] === undefined ? raw.replace(/&[\w.-]+=.*$|[.:!?&|]+$/, '') : raw
  const isLiteral =
    value.length >= LEAST &&
    /[A-Za-z0-9]/.test(value) &&
    !value.startsWith('-') &&
    !isStandIn(value) &&
    !isOtherThing(value) &&
    !(NAME.test(value) && isNameLike(value))
  return isLiteral ? { raw, value, match } : null
}
