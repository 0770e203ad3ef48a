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

// ---------------------------------------------------------------- leave in the words of the ban

const BAN = /^(?:(?:please|and|but|so|also)[, ]+)*(?:never|do not|don['’]?t) (.+)/i
const LEAVE =
  /(?:^|[,;:–—] ?|\b(?:and|ok(?:ay)?|yes|now|so) )(?:you(?: may| can|['’]re free to| are (?:free|allowed) to)|feel free to|go ahead and)(?: now| also)? (.+)/i
/** A limit, another time or a doubt: what it allows then is for the model to read. */
const LIMITED =
  /\?$|\b(?:if|unless|until|till|once|when|while|before|after|later|long as|only|except|but|not|never|no|nothing|perhaps|maybe|might|soon|tomorrow|then|must|first|should|needs?|ha(?:s|ve) to|\w+n['’]?t)\b|(?:^|[,;:–—] ?)(?:in|on|for|with|at|during|within|under|to|just|as)\b/i
/** Words for any change to a file. */
const CHANGES = new Set(['touch', 'change', 'edit', 'modify', 'alter', 'update'])
const SMALL = new Set(['', 'the', 'a', 'an', 'any', 'now', 'again', 'too', 'please', 'file'])

/** Whether a sentence gives leave for what the rule forbids, in its very words: `You can touch a.js` for `Do not touch a.js, QA owns it`. */
export function givesLeave(rule: string, sentence: string): boolean {
  const banned = firstClause(BAN.exec(rule)?.[1])
  if (banned.what === '' || LIMITED.test(sentence)) return false
  const allowed = firstClause(LEAVE.exec(sentence)?.[1])
  const isChange = CHANGES.has(banned.verb) && CHANGES.has(allowed.verb)
  if (banned.verb !== allowed.verb && !isChange) return false
  // The decision that ends the rule quotes which one thing in the file it is.
  const [, file = allowed.what] = isChange ? (/^one (?:\S+ ){1,3}in (\S+)$/.exec(allowed.what) ?? []) : []
  return file === banned.what || (banned.what.includes('.') && file.endsWith(`/${banned.what}`))
}

/** Its verb, and what follows in the clause. */
function firstClause(text = ''): { verb: string; what: string } {
  const [clause = ''] = text
    .toLowerCase()
    .replaceAll('`', '')
    .split(/[,;:!.(–—](?: |$)/)
  const [verb = '', ...words] = clause.trim().split(' ')
  return { verb, what: words.filter((word) => !SMALL.has(word)).join(' ') }
}
