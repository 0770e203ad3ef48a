/** A large pattern, which takes a millisecond to compile, with the words without which it cannot fit. */
export interface Rule {
  /** Groups of words in lower case; of every group one stands in each text that fits. `*` stands for more letters. */
  cue: readonly string[]
  shape: RegExp
}

/** A function that picks the rules whose words stand in a text, in their order. */
export function createPicker<T extends Rule>(rules: readonly T[]): (text: string) => readonly T[] {
  const all = rules.map((rule) => ({
    rule,
    groups: rule.cue.map((words) => words.replaceAll('*', '').split(' ')),
  }))
  return (text) => {
    const lower = text.toLowerCase()
    const picked = all.filter(({ groups }) =>
      groups.every((words) => words.some((word) => lower.includes(word))),
    )
    return picked.map(({ rule }) => rule)
  }
}

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
