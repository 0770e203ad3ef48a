/**
 * A pattern with the words without which it cannot fit. Large patterns take a millisecond to compile, and most sessions hold
 * no sentence for most of them; the words are looked up instead.
 */
export interface Rule {
  /**
   * Groups of words in lower case, the rarest first; of every group one stands in each text that fits. `word` stands there whole, as `\b` sees
   * it, `wor*` begins a word, `*ord` and what is not ASCII stand anywhere.
   */
  cue: readonly string[]
  shape: RegExp
}

/** Shortest beginning of a word that can be a cue, in characters. */
const SHORTEST = 3
const NONE: readonly never[] = []

/** A text in lower case. Two letters outside ASCII whose lower case lies in it are blanks: no pattern takes them for letters. */
const lowered = (text: string): string => text.replace(/[\u0130\u212a]/g, ' ').toLowerCase()

/** Words as `\b` of a pattern sees them, in lower case and in order. */
export const wordsIn = (text: string): readonly string[] => lowered(text).match(/\w+/g) ?? NONE

export const isAscii = (text: string): boolean =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is the ASCII block
  !/[^\x00-\x7f]/.test(text)

/**
 * No letter and no digit lies beyond ASCII: nothing does but punctuation, signs of currency, arrows, lines and dingbats. English
 * holds those often, and tables of Unicode take milliseconds to compile.
 */
export const hasAsciiWords = (text: string): boolean =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is the ASCII block
  !/[^\x00-\x7f\u2010-\u205e\u20a0-\u20bf\u2190-\u245f\u2500-\u2775\u2794-\u2bff]/.test(text)

/** A function that picks the rules whose words stand in a text, in their order; `words` are those of the text. */
export function createPicker<T extends Rule>(
  rules: readonly T[],
): (text: string, words?: readonly string[]) => readonly T[] {
  let index: Index | null = null
  return (text, words = wordsIn(text)) => {
    index ??= createIndex(rules)
    const hit = groupsIn(index, text, words)
    if (hit === null) return NONE
    const picked: number[] = []
    for (const group of hit)
      for (const { at, others } of index.byFirst[group] ?? NONE)
        if (others.every((other) => hit.has(other))) picked.push(at)
    if (picked.length === 0) return NONE
    return picked.sort((a, b) => a - b).flatMap((at) => rules[at] ?? [])
  }
}

/** A function that tells whether any of the rules could fit a text, for long texts that most often hold none. */
export function createSieve(rules: readonly Rule[]): (text: string) => boolean {
  let pattern: RegExp | null = null
  return (text) => {
    pattern ??= anyCue(rules)
    return pattern.test(lowered(text))
  }
}

function anyCue(rules: readonly Rule[]): RegExp {
  const words = [...new Set(rules.flatMap(({ cue }) => (cue[0] ?? '').split(' ')))]
  const starts = words.filter((word) => !isAnywhere(word)).map((word) => word.replace('*', ''))
  const parts = words.filter(isAnywhere).map((word) => word.replace('*', ''))
  return new RegExp([...(starts.length > 0 ? [`\\b(?:${starts.join('|')})`] : []), ...parts].join('|'))
}

const isAnywhere = (word: string): boolean => word.startsWith('*') || !isAscii(word)

interface Index {
  /** Cues that stand whole or begin a word, by their beginning. */
  byStart: Map<string, { cue: string; isWhole: boolean; group: number }[]>
  anywhere: { cue: string; group: number }[]
  wide: { cue: string; group: number }[]
  /** By its first group: the place of a rule and its other groups. */
  byFirst: { at: number; others: number[] }[][]
}

function createIndex(rules: readonly Rule[]): Index {
  const index: Index = { byStart: new Map(), anywhere: [], wide: [], byFirst: [] }
  const groups = new Map<string, number>()
  const groupOf = (words: string): number => {
    const held = groups.get(words)
    if (held !== undefined) return held
    const group = groups.size
    groups.set(words, group)
    index.byFirst.push([])
    for (const word of words.split(' ')) enter(index, word, group)
    return group
  }
  rules.forEach(({ cue }, at) => {
    const [first = 0, ...others] = cue.map(groupOf)
    index.byFirst[first]?.push({ at, others })
  })
  return index
}

function enter({ byStart, anywhere, wide }: Index, word: string, group: number) {
  const cue = word.replace('*', '')
  if (isAnywhere(word)) {
    const list = isAscii(cue) ? anywhere : wide
    list.push({ cue, group })
    return
  }
  const start = cue.slice(0, SHORTEST)
  const held = byStart.get(start)
  const entry = { cue, isWhole: !word.endsWith('*'), group }
  if (held) held.push(entry)
  else byStart.set(start, [entry])
}

/** The groups that have a word in a text; null for none. */
function groupsIn(
  { byStart, anywhere, wide }: Index,
  text: string,
  words: readonly string[],
): Set<number> | null {
  const hit = new Set<number>()
  for (const word of words) {
    const held = byStart.get(word.slice(0, SHORTEST))
    if (held !== undefined)
      for (const { cue, isWhole, group } of held)
        if (isWhole ? word === cue : word.startsWith(cue)) hit.add(group)
  }
  const parts = wide.length > 0 && !isAscii(text) ? [...anywhere, ...wide] : anywhere
  if (parts.length > 0) {
    const lower = text.toLowerCase()
    for (const { cue, group } of parts) if (lower.includes(cue)) hit.add(group)
  }
  return hit.size === 0 ? null : hit
}
