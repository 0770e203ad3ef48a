import { BLANK, contentWords, givesLeave, sentencesOf, stemOf } from './blocks.ts'
import liftTable from './lift-words.txt?raw'
import ruleTable from './rule-words.txt?raw'

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

/** A score above it makes a rule: 140 of 195 in eight sets that the table was not made from, and 12 of 195 other sentences. */
export const LEAST_RULE = 0.85
/** In a report or a document: of 19 sentences found in those of 275 sessions the three most certain were rules. */
const LEAST_REPORTED = 3.6

/** A place in a file, but no time of day, and a line that begins with an error: what a compiler or a check printed. In a fence the person set it apart. */
const FENCED = /```[\s\S]*?```/g
const PRINTED = /(?<!\d):\d+:\d+\b|^[^\w\n]*(?:\w+ )?error(?::|$)/im

/** A score above it makes a rule of a sentence in this message. With bold words, headings or output it is a report or a document. */
export const leastIn = (text: string): number =>
  text.includes('**') || `\n${text}`.includes('\n#') || PRINTED.test(text.replace(FENCED, ''))
    ? LEAST_REPORTED
    : LEAST_RULE

/** One line per weight: the weight, then the marks that have it, parted by tabs. The mark `=` is the constant. */
const weights = new Map(
  ruleTable.split('\n').flatMap((line) => {
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
/**
 * A question, a request put as one, or what a finding leads to. Of sentences found in 275 sessions six were questions, and none of them a rule. Who
 * asks to keep something gives a rule.
 */
export const ASKS =
  /^(?!(?:would you mind|could (?:we|you)(?: please)?|can we) (?:keep(?! (?:going|on)\b)|leav|not\b|stay|stick))(?:.*[?？]$|(?:how|what|why|which|where (?:is|are|do|does|did|can|was)|who|when (?:is|do|does|will)|is|are|was|does|did|do (?:we|you|i|they)|should (?:we|i|it|that|this)|can (?:we|i|you)|could|would|(?:this|that|it) means)\b)/is
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

// ---------------------------------------------------------------- taken back

/**
 * Whether a later sentence of a person takes back a rule about these words: gives leave, ends it or puts something else in its place. `doubt`:
 * perhaps, or it does within limits. A linear model: words that both have count as one word, words with one sense as one class, all others as
 * unknown. `node scripts/lifts.mjs` makes its table from the sets in scripts/rules.
 */
export function readLift(objects: Objects, sentence: readonly Word[]): 'sure' | 'doubt' | 'none' {
  const about = liftRow(objects, sentence)
  const score = liftScore(about)
  const marks = about?.marks ?? []
  if (score > (isAboutIt(marks, objects) ? LEAST_LIFT : LEAST_ELSE) && !marks.includes(PART)) return 'sure'
  const free = withoutLimit(sentence)
  const most = free === sentence ? score : Math.max(score, liftScore(liftRow(objects, free)))
  return most > LEAST_DOUBT ? 'doubt' : 'none'
}

/**
 * Whether it is about the rule for certain: one word of three that a rule is about may mean anything. `Let us finish the cards now.` ended `Run the
 * linter before you say that it is finished.`
 */
const isAboutIt = (marks: readonly string[], { hasName }: Objects): boolean =>
  marks.includes('@met 2') || marks.includes('@share 0.5') || (hasName && !marks.includes('@unnamed'))
/** Of 623 sentences of the sets that take a rule back 571 end it, and six of 796 others; one limit for all: 574 and seven. */
const LEAST_ELSE = 1

/** UTF-16 units: a longer sentence was pasted. */
const LONGEST_LIFT = 300
/** Of a rule with one word a longer one says something else: `Be concise.` in recorded sessions. */
const LONGEST_OF_WORD = 120

/** Begins a sentence that limits what the one before it allows. */
const LIMITS = /^(?:but|only|except|not|unless)\b/i
/** What ends a sentence by a limit of its own. Of 573 that take a rule back none ends so; of 24 others three that did were taken for one. */
const ENDS_LIMITED =
  /[,;–—] ?(?:(?:just |but )?(?:not(?! only| just)|nothing|never|none)\b[^,;]*|[^,;]*\b(?:though|stays?|remains?|as (?:always|before|ever)|still (?:holds?|applies|stands?|counts?)))\W*$/i

/** Finds the newest sentence, from a message on, that takes a rule back; else the newest that may. Each is read once for all rules. */
export function liftFinder(said: readonly string[]) {
  const sentences = said.flatMap((text, at) =>
    sentencesOf(text.split('\n'))
      .map((quote, nth, all) => ({ quote, at, lower: quote.toLowerCase(), next: all[nth + 1] ?? '' }))
      .filter(({ quote }) => quote.length <= LONGEST_LIFT),
  )
  const read = new Map<string, readonly Word[]>()
  return (rule: string, from: number) => {
    const objects = objectsOf(rule)
    const beginnings = beginningsOf(objects)
    const most = objects.count < 2 ? LONGEST_OF_WORD : LONGEST_LIFT
    const lifts = sentences.flatMap(({ quote, at, lower, next }) => {
      if (at < from || quote.length > most || !beginnings.some((word) => lower.includes(word))) return []
      const words = read.get(quote) ?? readWords(quote)
      read.set(quote, words)
      const lift = givesLeave(rule, quote) ? 'sure' : readLift(objects, words)
      return lift === 'none'
        ? []
        : [{ quote, lift: LIMITS.test(next) || ENDS_LIMITED.test(quote) ? 'doubt' : lift }]
    })
    return lifts.findLast(({ lift }) => lift === 'sure') ?? lifts.at(-1)
  }
}

export const LEAST_LIFT = 0.5
const LEAST_DOUBT = -0.5

/** What it says before it limits that: `You may edit a.js` of `You may edit a.js once QA agrees`. */
function withoutLimit(words: readonly Word[]): readonly Word[] {
  const end = words.findIndex(({ kind }) => kind === 'IF' || kind === 'ONLY' || kind === 'but')
  return end === -1 ? words : words.slice(0, end)
}

function liftScore(about: ReturnType<typeof liftRow>): number {
  if (about === null) return Number.NEGATIVE_INFINITY
  const { row, marks } = about
  let [sum, count] = [0, marks.length]
  for (const mark of marks) sum += liftRuns.get(mark)?.weight ?? 0
  for (let at = 0; at < row.length; at++) {
    let run: Run | undefined
    for (let end = at; end < Math.min(at + LONGEST_RUN, row.length); end++) {
      run = (end === at ? liftRuns : run?.next)?.get(row[end] ?? '')
      if (isRepeated(row, at, end)) continue
      sum += run?.weight ?? 0
      count++
    }
  }
  return liftBias + sum * shareOf(count)
}

/** Whether the same words stand before in the row. */
function isRepeated(row: readonly string[], at: number, end: number): boolean {
  const word = row[at] ?? ''
  for (let before = row.indexOf(word); before < at; before = row.indexOf(word, before + 1)) {
    let same = 1
    while (same <= end - at && row[before + same] === row[at + same]) same++
    if (same > end - at) return true
  }
  return false
}

export interface Word {
  /** As the model counts it: a word of the table or its class, `~` for any other, `§` for a name of code, a path or a number. */
  kind: string
  /** A name in lower case, else empty. */
  name: string
  /** What it is about; none for words of the table. */
  stems: readonly string[]
}

/** Each line has what is counted, then the words that count as it, or a weight, then the marks that have it, parted by tabs. */
const rows = liftTable.split('\n').map((line) => line.split('\t'))
const kinds = new Map(
  rows.flatMap(([kind = '', ...words]) =>
    isWeight(kind) ? [] : words.map((word) => [word, kind === '=' ? word : kind] as const),
  ),
)
/** A run of words as a model counts it: what it weighs, and the runs that begin with it. */
interface Run {
  weight: number
  next: Map<string, Run>
}
/** Words in a run at most. */
export const LONGEST_RUN = 3
const liftRuns = new Map<string, Run>()
for (const [weight = '', ...marks] of rows)
  for (const mark of isWeight(weight) ? marks : []) {
    const words = mark.startsWith('@') ? [mark] : mark.split(' ')
    let [runs, last] = [liftRuns, null as Run | null]
    for (const word of words) {
      last = runs.get(word) ?? { weight: 0, next: new Map() }
      runs.set(word, last)
      runs = last.next
    }
    if (last !== null) last.weight = Number(weight)
  }
const liftBias = liftRuns.get('=')?.weight ?? 0

function isWeight(text: string): boolean {
  return text !== '' && !Number.isNaN(Number(text))
}

const LIFT_WORD = /§|\p{L}+(?:'\p{L}+)*|[,:;!?]/gu

/** The words of a sentence, read once for all rules. */
export function readWords(sentence: string): Word[] {
  const names: string[] = []
  const plain = sentence.replace(CODE, (name) => {
    const parts = name.toLowerCase().replaceAll('`', '').split('/')
    names.push(parts.filter((part) => part !== '').join('/'))
    return ' § '
  })
  return [...plain.toLowerCase().replaceAll('’', "'").matchAll(LIFT_WORD)].map(([word]) => {
    if (word === '§') {
      const name = names.shift() ?? ''
      return { kind: word, name, stems: contentWords(name) }
    }
    const kind = kinds.get(word) ?? (word > '@' ? '~' : word)
    const stem = kind === '~' || kind === 'RULE' ? stemOf(word) : null
    return { kind, name: '', stems: stem === null ? [] : [stem] }
  })
}

/** What a rule is about. */
export interface Objects {
  words: readonly Word[]
  /** How many they are, each counted once. */
  count: number
  hasName: boolean
  /** The one that a word of another sentence means. */
  find(word: Word): Word | undefined
}

export function objectsOf(rule: string): Objects {
  const words = readWords(rule).filter(isObject)
  const count = new Set(words.map(({ name, stems }) => name || stems[0])).size
  const search = (word: Word) => words.find((one) => isSame(one, word))
  // Most words of a session come again.
  const known = new Map<string, Word | undefined>()
  const find: Objects['find'] = (word) => {
    const [stem = ''] = word.stems
    if (word.name !== '' || word.stems.length !== 1) return search(word)
    if (!known.has(stem)) known.set(stem, search(word))
    return known.get(stem)
  }
  return { words, count, hasName: words.some(({ name }) => name !== ''), find }
}

/** `legacy` names `src/legacy`, `test` not `calc.test.js`. */
const isLastPart = ({ stems }: Word, { name }: Word): boolean =>
  stems.some((stem) => stemOf(name.slice(name.lastIndexOf('/') + 1)) === stem)

const isObject = ({ name, stems }: Word): boolean => name !== '' || stems.length > 0

/** A sentence about one of these words has one of these beginnings in it. */
const beginningsOf = ({ words }: Objects): string[] =>
  [
    ...new Set(
      words.flatMap(({ name, stems }) =>
        [...stems, name.slice(name.lastIndexOf('/') + 1)].map((word) => word.slice(0, 4)),
      ),
    ),
  ].filter((word) => word !== '')

/**
 * What is counted of a sentence behind a rule about these: every run of one to three words of the row, and marks, each once. Null where it is not
 * about the same: a quarter of them, or a name.
 */
export function liftRow(
  objects: Objects,
  sentence: readonly Word[],
): { row: string[]; marks: string[] } | null {
  const met = new Set<Word>()
  let isNamed = false
  const kept = sentence.map((word) => {
    const object = isObject(word) ? objects.find(word) : undefined
    if (object === undefined) return word.kind
    met.add(object)
    isNamed ||= object.name !== '' && (word.name !== '' || isLastPart(word, object))
    return word.kind === 'RULE' ? word.kind : 'OBJECT'
  })
  const share = met.size / objects.count
  if (met.size === 0 || (share < SAME && !isNamed)) return null
  const unknown = kept.filter((kind) => kind === '~' || kind === '§').length
  const marks: string[] = []
  for (const [least, mark] of SHARES) if (share >= least) marks.push(mark)
  for (const [least, mark] of MET) if (met.size >= least) marks.push(mark)
  for (const [least, mark] of NEW) if (unknown >= least) marks.push(mark)
  if (!isNamed && objects.hasName) marks.push('@unnamed')
  if (!isNamed && [...met].every(({ name }) => /[./]/.test(name))) marks.push(PART)
  return { row: ['^', ...kept.filter((kind, at) => !FOLDED.has(kind) || kind !== kept[at - 1]), '$'], marks }
}

const SAME = 0.25
/** It has a word of the file's name alone: `a new test file` is not `calc.test.js`. */
const PART = '@part'
/** In a row these count once. */
const FOLDED = new Set(['OBJECT', '~'])
const stepsOf = (name: string, ...all: number[]) => all.map((least) => [least, `@${name} ${least}`] as const)
const SHARES = stepsOf('share', 0.3, 0.5, 0.66, 1)
const MET = stepsOf('met', 2, 3)
const NEW = stepsOf('new', 1, 2, 3, 4, 6, 8, 12)

/** The same name, a path by its last parts; or a word that both have, also in part of a name. */
function isSame(a: Word, b: Word): boolean {
  if (a.name !== '' && b.name !== '')
    return a.name === b.name || a.name.endsWith(`/${b.name}`) || b.name.endsWith(`/${a.name}`)
  return a.stems.some((one) => b.stems.some((other) => isSameStem(one, other)))
}

/** `merge` and `merged`, `delete` and `deletion`, `log` and `logging`. */
function isSameStem(a: string, b: string): boolean {
  if (a.charCodeAt(0) !== b.charCodeAt(0)) return false
  const [short, long] = a.length < b.length ? [a, b] : [b, a]
  if (!long.startsWith(short)) return false
  const more = long.length - short.length
  return more === 0 || (more <= short.length - 3 && more < 3) || long === `${short}${short.at(-1)}`
}
