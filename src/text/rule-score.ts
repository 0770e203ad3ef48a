import { BLANK } from './blocks.ts'
import table from './rule-words.txt?raw'

/**
 * How much a sentence reads like a standing rule of a person: what is forbidden, required, owned, scheduled or preferred; a rule may stand
 * behind an order in it. A linear model over words, pairs and triples; `node scripts/rules.mjs` makes its table from the sets in scripts/rules
 * and recorded sessions. 0 is undecided.
 */
export function ruleScore(sentence: string): number {
  let score = scoreOf(sentence)
  for (let at = sentence.indexOf(' '); at > 0; at = sentence.indexOf(' ', at + 1)) {
    if (!BREAKS.includes(sentence.charAt(at - 1))) continue
    const rest = sentence.slice(at + 1)
    if (rest.split(' ').length > 2) score = Math.max(score, scoreOf(rest) - BEHIND)
  }
  return score
}

/** Behind them another order may begin. Of 885 sentences that are no rules none more is taken for it. */
const BREAKS = ',;:—–'
/** What an order behind another counts less: without it two of twelve rules give way to half sentences of 1,000 requests. */
const BEHIND = 0.5

function scoreOf(sentence: string): number {
  const marks = marksOf(sentence, weights)
  const sum = marks.reduce((all, mark) => all + (weights.get(mark) ?? 0), 0)
  const score = bias + sum * shareOf(marks.length)
  return marks.includes('@ban') ? Math.max(score, LEAST_BAN) : score
}

/** Forbids or orders for all times: certain, whatever the words behind it. What was never seen is observed. */
const FORBIDS =
  /^(?:(?:please|and|but|so|also)[, ]+)*(?:never|do not|don['’]?t|always(?! \w+s\b)) (?!mind|worry|know|see|think|(?:forget|remember) to\b|got|had|been|(?:we|you|they|it)\b|\w+ed\b)[a-z]/i
const LEAST_BAN = 1.5

/** A score above it makes a rule. At .5 it found 76 % of three sets that the table was not made from, and took 12 % of other sentences. */
export const LEAST_RULE = 0.9
/** In a report or a document: of 19 sentences found in those of 275 sessions the three most certain were rules. */
const LEAST_REPORTED = 3.4

/** A place in a file, and a line that begins with an error: what a compiler or a check printed. In a fence the person set it apart. */
const FENCED = /```[\s\S]*?```/g
const PRINTED = /:\d+:\d+\b|^[^\w\n]*(?:\w+ )?error(?::|$)/im

/** A score above it makes a rule of a sentence in this message. With bold words, headings or output it is a report or a document. */
export const leastIn = (text: string): number =>
  text.includes('**') || `\n${text}`.includes('\n#') || PRINTED.test(text.replace(FENCED, ''))
    ? LEAST_REPORTED
    : LEAST_RULE

/** One line per weight: the weight, then the marks that have it, parted by tabs. The mark `=` is the constant. */
const weights = new Map(
  table.split('\n').flatMap((line) => {
    const [weight, ...marks] = line.split('\t')
    return marks.map((mark): [string, number] => [mark, Number(weight)])
  }),
)
const bias = weights.get('=') ?? 0

/** Long sentences have more marks; each of them weighs less. */
export const shareOf = (marks: number): number => Math.sqrt(12 / Math.max(8, marks))

/** Paths, identifiers, addresses and numbers, whose letters say nothing. */
export const CODE =
  /`[^`]*`|https?:\S+|[\w@~$-]*(?:[./\\_:#]+[\w@*-]+)+[/\\]?|[\w-]+\/(?=\s|$)|\b[a-z]+[A-Z]\w*|\b\w*\d\w*|\S*[*<>{}=]\S*/g
const WORD = /[§#]|[\u3040-\u30ff\u3400-\u9fff]+|\p{L}+(?:'\p{L}+)?|[,:;!]/gu
/** What one says before one says it. */
const LEAD =
  /^(?:(?:oh|ok(?:ay)?|well|ah|hm+|and|but|also|by the way|btw|one more thing|remember)\b[,: ]*)+(?=\S+ )/i
const ENDINGS = ['ing', 'ed', 'ly', 's']
/** Words behind which a clause begins. */
const CLAUSE = new Set(', : ; ! and but so please just also then ok yes no you we'.split(' '))
/** A question, or a request put as one. Of sentences found in 275 sessions six were such, and none of them a rule. */
export const ASKS =
  /[?？]$|^(?:how|what|why|which|where (?:is|are|do|does|did|can|was)|who|when (?:is|do|does|will)|is|are|was|does|did|do (?:we|you|i|they)|should (?:we|i|it|that|this)|can (?:we|i|you)|could|would)\b/i
/** Orders and bans as a clause begins with them, and the usual words for them in German, Spanish, Japanese and Chinese. */
const CUES =
  /(?:^|[,;:.(–—] ?| - |\b(?:and|but|so|please|you|we|to|should|can|would)\s+)(?:never|always|do not|don['’]?t|only|keep|(?:(?:use|add) )?no (?!more|longer|such|errors|issues|problems|need|reason)\w+)\b|\b(?:must(?:n['’]t)?(?! be \w+ing)|avoid|prefer|instead of|no longer|should(?: not| never|n['’]t)|without \w+ing|stick (?:to|with)|make sure|(?:we|you) can(?:not|['’]?t))\b|\bonly(?=[,.;]|$)/i
const CUES_ELSEWHERE = new Set(
  `niemals nie niemand kein keine keinem keinen keiner keines immer darf dürfen müssen bevorzuge nunca siempre nadie evita prefiero debe
  deben debes`.split(BLANK),
)
const PAIRS_ELSEWHERE = new Set(['bitte nicht', 'keinen fall', 'no se', 'tiene que', 'tienen que'])
const CUES_OF_CHARACTERS =
  /ないで|しないこと|必ず|禁止|いけ(?:ない|ません)|なければなり|常に|絶対|不要|请勿|必须|只能|不能|不得|不许|绝对|始终|一律|避免|别动/

/** What is counted of a sentence. A word that the table does not have stands for its ending. */
export function marksOf(sentence: string, known: { has(word: string): boolean }): string[] {
  const plain = sentence.replace(LEAD, '')
  const words = wordsIn(plain)
  const kept = words.map((word) =>
    known.has(word) ? word : `~${ENDINGS.find((end) => word.endsWith(end)) ?? ''}`,
  )
  const row = ['^', ...kept, '$']
  const marks = new Set(kept)
  for (const [at, word] of row.entries()) {
    const [next, third] = row.slice(at + 1, at + 3)
    if (next === undefined) break
    marks.add(`${word} ${next}`)
    if (third !== undefined) marks.add(`${word} ${next} ${third}`)
    if (word !== '^' && !CLAUSE.has(word)) continue
    marks.add(`/${next}`)
    if (third !== undefined) marks.add(`/${next} ${third}`)
  }
  const length = words.filter((word) => !CLAUSE.has(word)).length
  marks.add(`+${[3, 5, 9, 16, 26, 40].filter((most) => length >= most).length}`)
  if (ASKS.test(plain)) marks.add('@ask')
  if (CUES.test(plain)) marks.add('@cue')
  if (FORBIDS.test(plain)) marks.add('@ban')
  if (isCueElsewhere(words) || CUES_OF_CHARACTERS.test(plain)) marks.add('@cue2')
  return [...marks]
}

const isCueElsewhere = (words: readonly string[]): boolean =>
  words.some((word, at) => {
    const next = words[at + 1] ?? ''
    if (CUES_ELSEWHERE.has(word)) return !(word.startsWith('debe') && next === 'de')
    return PAIRS_ELSEWHERE.has(`${word} ${next}`) || (word === 'no' && /.[ea]s$/.test(next))
  })

/** Words in lower case; Chinese and Japanese by pairs of characters. */
export function wordsIn(sentence: string): string[] {
  const plain = sentence.replace(CODE, (code) => (Number(code) >= 0 ? ' # ' : ' § '))
  return [...plain.toLowerCase().replaceAll('’', "'").matchAll(WORD)].flatMap(([word]) => {
    if (word < '\u3040' || word.length < 2) return [word]
    return Array.from({ length: word.length - 1 }, (_, at) => word.slice(at, at + 2))
  })
}
