import { squash } from './blocks.ts'

/** A rule in the words of a page, and the person's words that take it back. */
export interface TakenBack {
  rule: string
  quote: string
}

/** As the contract of the page asks for it. */
const TAKEN_BACK = /\btaken back:?\W{0,4}["“](.+)["”],?:? by:? ["“](.+)["”]/i

/** The rules that a page calls taken back, each with the person's words for it. */
export const takenBackIn = (page: string): TakenBack[] =>
  page.split('\n').flatMap((line) => {
    const [, rule, quote] = TAKEN_BACK.exec(line) ?? []
    return rule === undefined || quote === undefined ? [] : [{ rule, quote }]
  })

/** How a brief tells it among its decisions. */
export const takesBack = (rule: string): string => `takes back: ${rule}`

export function takenBackBy({ what }: { what: string }): TakenBack[] {
  const [, quote, rule] = /^(.*) \(takes back: (.*)\)$/s.exec(what) ?? []
  return quote === undefined || rule === undefined ? [] : [{ rule, quote }]
}

/** The rule that these words name: the same, or the only one that holds them or that they hold. */
export function ruleNamed<T extends { text: string }>(words: string, rules: readonly T[]): T | undefined {
  const key = squash(words)
  const keys = rules.map(({ text }) => squash(text))
  const near = rules.filter((_, at) => keys[at]?.includes(key) || key.includes(keys[at] ?? key))
  return rules[keys.indexOf(key)] ?? (near.length === 1 && isSpoken(words) ? near[0] : undefined)
}

/** Whether one of these messages, as `squash` gives them, holds the quote, white space and marks aside. A single word proves nothing. */
export function isQuoted(quote: string, messages: readonly string[]): boolean {
  const key = squash(quote)
  return isSpoken(quote) && messages.some((message) => message.includes(key))
}

/** More than a word. */
const isSpoken = (words: string): boolean => words.trim().includes(' ') || words > '\u3040'
