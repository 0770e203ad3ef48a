import { sentencesOf } from './blocks.ts'
import { contentWords, stemOf } from './content-words.ts'
import table from './lift-words.txt?raw'
import { CODE, shareOf } from './rule-score.ts'

/**
 * Whether a later sentence of a person takes back a rule about these words: gives leave, ends it or puts something else in its place. `doubt`:
 * perhaps, or it does within limits. A linear model: words that both have count as one word, words with one sense as one class, all others as
 * unknown. `node scripts/lifts.mjs` makes its table from the sets in scripts/rules.
 */
export function readLift(objects: Objects, sentence: readonly Word[]): 'sure' | 'doubt' | 'none' {
  const score = liftScore(objects, sentence)
  if (score > LEAST_LIFT) return 'sure'
  const free = withoutLimit(sentence)
  const most = free === sentence ? score : Math.max(score, liftScore(objects, free))
  return most > LEAST_DOUBT ? 'doubt' : 'none'
}

/** UTF-16 units: a longer sentence was pasted. */
const LONGEST_LIFT = 300
/** Of a rule with one word a longer one says something else: `Be concise.` in recorded sessions. */
const LONGEST_OF_WORD = 120

/** Finds the newest sentence, from a message on, that takes a rule back; else the newest that may. Each is read once for all rules. */
export function liftFinder(said: readonly string[]) {
  const sentences = said.flatMap((text, at) =>
    sentencesOf(text.split('\n'))
      .filter((quote) => quote.length <= LONGEST_LIFT)
      .map((quote) => ({ quote, at, lower: quote.toLowerCase() })),
  )
  const read = new Map<string, readonly Word[]>()
  return (rule: string, from: number) => {
    const objects = objectsOf(rule)
    const beginnings = beginningsOf(objects)
    const most = objects.count < 2 ? LONGEST_OF_WORD : LONGEST_LIFT
    const lifts = sentences.flatMap(({ quote, at, lower }) => {
      if (at < from || quote.length > most || !beginnings.some((word) => lower.includes(word))) return []
      const words = read.get(quote) ?? readWords(quote)
      read.set(quote, words)
      const lift = readLift(objects, words)
      return lift === 'none' ? [] : [{ quote, lift }]
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

function liftScore(objects: Objects, sentence: readonly Word[]): number {
  const marks = liftMarks(objects, sentence)
  const sum = marks.reduce((all, mark) => all + (weights.get(mark) ?? 0), 0)
  return marks.length === 0 ? Number.NEGATIVE_INFINITY : bias + sum * shareOf(marks.length)
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
const lines = table.split('\n').map((line) => line.split('\t'))
const kinds = new Map(
  lines.flatMap(([kind = '', ...words]) =>
    isWeight(kind) ? [] : words.map((word) => [word, kind === '=' ? word : kind] as const),
  ),
)
const weights = new Map(
  lines.flatMap(([weight = '', ...marks]) =>
    isWeight(weight) ? marks.map((mark) => [mark, Number(weight)] as const) : [],
  ),
)
const bias = weights.get('=') ?? 0

function isWeight(text: string): boolean {
  return text !== '' && !Number.isNaN(Number(text))
}

const WORD = /§|\p{L}+(?:'\p{L}+)*|[,:;!?]/gu

/** The words of a sentence, read once for all rules. */
export function readWords(sentence: string): Word[] {
  const names: string[] = []
  const plain = sentence.replace(CODE, (name) => {
    const parts = name.toLowerCase().replaceAll('`', '').split('/')
    names.push(parts.filter((part) => part !== '').join('/'))
    return ' § '
  })
  return [...plain.toLowerCase().replaceAll('’', "'").matchAll(WORD)].map(([word]) => {
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

/** What is counted of a sentence behind a rule about these; nothing where it is not about the same: a quarter of them, or a name. */
export function liftMarks(objects: Objects, sentence: readonly Word[]): string[] {
  const met = new Set<Word>()
  const kept = sentence.map((word) => {
    const object = isObject(word) ? objects.find(word) : undefined
    if (object === undefined) return word.kind
    met.add(object)
    return word.kind === 'RULE' ? word.kind : 'OBJECT'
  })
  const isNamed = [...met].some(({ name }) => name !== '')
  const share = met.size / objects.count
  if (met.size === 0 || (share < SAME && !isNamed)) return []
  const row = ['^', ...kept.filter((kind, at) => !FOLDED.has(kind) || kind !== kept[at - 1]), '$']
  const marks = new Set(row)
  for (const [at, word] of row.entries()) {
    const [next, third] = row.slice(at + 1, at + 3)
    if (next !== undefined) marks.add(`${word} ${next}`)
    if (third !== undefined) marks.add(`${word} ${next} ${third}`)
  }
  for (const least of SHARES) if (share >= least) marks.add(`@share ${least}`)
  for (const least of [2, 3]) if (met.size >= least) marks.add(`@met ${least}`)
  const unknown = kept.filter((kind) => kind === '~' || kind === '§').length
  for (const least of NEW) if (unknown >= least) marks.add(`@new ${least}`)
  if (!isNamed && objects.hasName) marks.add('@unnamed')
  return [...marks]
}

const SAME = 0.25
/** In a row these count once. */
const FOLDED = new Set(['OBJECT', '~'])
const SHARES = [0.3, 0.5, 0.66, 1]
const NEW = [1, 2, 3, 4, 6, 8, 12]

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
