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

/** Words as `\b` of a pattern sees them, in lower case and in order. */
export const wordsIn = (text: string): readonly string[] =>
  // Two letters outside ASCII whose lower case lies in it: no pattern takes them for letters.
  text
    .replace(/[\u0130\u212a]/g, ' ')
    .toLowerCase()
    .match(/\w+/g) ?? NONE

export const isAscii = (text: string): boolean =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is the ASCII block
  !/[^\x00-\x7f]/.test(text)

/** A function that picks the rules whose words stand in a text, in their order; `words` are those of the text. */
export function createPicker<T extends Rule>(
  rules: readonly T[],
): (text: string, words?: readonly string[]) => readonly T[] {
  const groups = [...new Set(rules.flatMap(({ cue }) => cue))]
  const groupsOf = rules.map(({ cue }) => cue.map((group) => groups.indexOf(group)))
  const byFirst = groups.map((_, group) =>
    rules.flatMap((_, at) => (groupsOf[at]?.[0] === group ? [at] : [])),
  )
  const groupsIn = createIndex(groups)
  return (text, words = wordsIn(text)) => {
    const hit = groupsIn(text, words)
    if (hit === null) return NONE
    const picked: number[] = []
    for (const group of hit)
      for (const at of byFirst[group] ?? NONE)
        if (groupsOf[at]?.every((other) => hit.has(other))) picked.push(at)
    if (picked.length === 0) return NONE
    return picked.sort((a, b) => a - b).flatMap((at) => rules[at] ?? [])
  }
}

/** A pattern that fits every text in which a rule could fit, for long texts that most often hold none. */
export function anyCue(rules: readonly Rule[]): RegExp {
  const words = new Set(rules.flatMap(({ cue }) => (cue[0] ?? '').split(' ')))
  const starts = [...words].filter((word) => !isAnywhere(word)).map((word) => word.replace('*', ''))
  const parts = [...words].filter(isAnywhere).map((word) => word.replace('*', ''))
  return new RegExp([`\\b(?:${starts.join('|')})`, ...parts].join('|'), 'i')
}

const isAnywhere = (word: string): boolean => word.startsWith('*') || !isAscii(word)

/** A function that says which groups have a word in a text; null for none. */
function createIndex(groups: readonly string[]) {
  /** Words that stand whole or begin one, by their beginning. */
  const byStart = new Map<string, { cue: string; isWhole: boolean; group: number }[]>()
  const anywhere: [string, number][] = []
  const wide: [string, number][] = []
  groups.forEach((words, group) => {
    for (const word of words.split(' ')) {
      const cue = word.replace('*', '')
      if (isAnywhere(word)) (isAscii(cue) ? anywhere : wide).push([cue, group])
      else {
        const start = cue.slice(0, SHORTEST)
        const held = byStart.get(start) ?? []
        held.push({ cue, isWhole: !word.endsWith('*'), group })
        byStart.set(start, held)
      }
    }
  })
  return (text: string, words: readonly string[]): ReadonlySet<number> | null => {
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
      for (const [part, group] of parts) if (lower.includes(part)) hit.add(group)
    }
    return hit.size === 0 ? null : hit
  }
}
