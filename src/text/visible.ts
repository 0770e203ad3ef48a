/**
 * Code points that a reader does not see or that move a terminal: controls except newline and tab, lone surrogates,
 * line and paragraph separators, annotation marks, and everything Unicode calls default-ignorable (bidi controls, zero
 * widths, variation selectors, tags, fillers). Made when it is needed: the tables of Unicode are slow even to read.
 */
const hidden = () => /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu
/** The two that emoji are made of, where they really join an emoji. */
const emoji = () =>
  /(?<=\p{Extended_Pictographic})\ufe0f|(?<=[0-9#*])\ufe0f(?=\u20e3)|(?<=\p{Extended_Pictographic}\ufe0f?|\p{Emoji_Modifier})\u200d(?=\p{Extended_Pictographic})/gu
/** Scripts and signs without any such code point; what they say needs no tables of Unicode, which are slow to compile. */
const PLAIN =
  /^[\n\t\x20-\x7e\xa1-\xac\xae-\u024f\u0370-\u058f\u2010-\u2027\u2030-\u205e\u20a0-\u20bf\u2190-\u2bff\u3001-\u3163\u3400-\u9fff\uac00-\ud7a3]*$/

/** The text with every hidden or dangerous code point shown as `\u{hex}`; newline, tab and emoji joiners stay. Idempotent. */
export function visible(text: string): string {
  if (PLAIN.test(text)) return text
  const kept = emojiParts(text)
  return text.replace(hidden(), (char: string, offset: number) =>
    char === '\n' || char === '\t' || kept.has(offset) ? char : `\\u{${char.codePointAt(0)?.toString(16)}}`,
  )
}

/** Where hidden code points stand: offset in UTF-16 units and the code point. */
export function hiddenIn(text: string): { at: number; code: number }[] {
  if (PLAIN.test(text)) return []
  const kept = emojiParts(text)
  return [...text.matchAll(hidden())]
    .filter(([char], i, all) => char !== '\n' && char !== '\t' && !kept.has(all[i]?.index ?? -1))
    .map((match) => ({ at: match.index, code: match[0].codePointAt(0) ?? 0 }))
}

const emojiParts = (text: string): ReadonlySet<number> =>
  new Set(/[\ufe0f\u200d]/.test(text) ? [...text.matchAll(emoji())].map((match) => match.index) : [])
