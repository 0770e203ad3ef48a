/**
 * A pattern with the words without which it cannot fit. Large patterns take a millisecond to compile, and most sessions hold
 * no sentence for most of them; the words are looked up instead.
 */
export interface Rule {
  /**
   * Groups of words in lower case; of every group one stands in each text that fits. `word` stands there whole, as `\b` sees
   * it, `wor*` begins a word, `*ord` and what is not ASCII stand anywhere.
   */
  cue: readonly string[]
  shape: RegExp
}

/** Shortest beginning of a word that can be a cue, in characters. */
const SHORTEST = 3
const NONE: readonly never[] = []

/** Words as `\b` of a pattern sees them, in order. */
export const wordsIn = (text: string): readonly string[] => text.match(/\w+/g) ?? NONE

export const isAscii = (text: string): boolean =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is the ASCII block
  !/[^\x00-\x7f]/.test(text)

/** A function that picks the rules whose words stand in a text, in their order; `words` are those of the text. */
export function createPicker<T extends Rule>(
  rules: readonly T[],
): (text: string, words?: readonly string[]) => readonly T[] {
  const index = indexOf(rules)
  return (text, words = wordsIn(text)) => {
    const hit = index.groupsIn(text, words)
    return hit.size === 0
      ? NONE
      : rules.filter((_, at) => index.groupsOf[at]?.every((group) => hit.has(group)))
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

function indexOf(rules: readonly Rule[]) {
  const groups = [...new Set(rules.flatMap(({ cue }) => cue))]
  const whole = new Map<string, number[]>()
  const begins = new Map<string, [string, number][]>()
  const anywhere: [string, number][] = []
  const wide: [string, number][] = []
  const put = <V>(map: Map<string, V[]>, key: string, value: V) => {
    const held = map.get(key)
    if (held) held.push(value)
    else map.set(key, [value])
  }
  groups.forEach((group, at) => {
    for (const word of group.split(' '))
      if (isAnywhere(word)) (isAscii(word) ? anywhere : wide).push([word.replace('*', ''), at])
      else if (word.endsWith('*')) put(begins, word.slice(0, SHORTEST), [word.slice(0, -1), at])
      else put(whole, word, at)
  })
  const groupsIn = (text: string, words: readonly string[]): ReadonlySet<number> => {
    const hit = new Set<number>()
    for (const given of words) {
      const word = given.toLowerCase()
      for (const group of whole.get(word) ?? NONE) hit.add(group)
      for (const [start, group] of begins.get(word.slice(0, SHORTEST)) ?? NONE)
        if (word.startsWith(start)) hit.add(group)
    }
    const parts = wide.length > 0 && !isAscii(text) ? [...anywhere, ...wide] : anywhere
    if (parts.length > 0) {
      const lower = text.toLowerCase()
      for (const [part, group] of parts) if (lower.includes(part)) hit.add(group)
    }
    return hit
  }
  return { groupsIn, groupsOf: rules.map(({ cue }) => cue.map((group) => groups.indexOf(group))) }
}
