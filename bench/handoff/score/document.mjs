/** A contestant's markdown as the scorer reads it: lines with the headings above them, and its words without markup. */

/** Words alone: the same sentence in bold, in quotes or broken over lines is the same. */
export const wordsOf = (text) =>
  text
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/\\(?=[^\w\s])/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

const KINDS = [
  [
    'rules',
    /constraint|preference|\brules?\b|instruction|requirement|convention|guideline|must (?:hold|not)/i,
  ],
  [
    'open',
    /open (?:question|item|issue)|question|unanswered|risk|blocker|unresolved|pending|to[- ]?do|next step|fails now|known issue/i,
  ],
  ['state', /status|\bstate\b|stands|current/i],
]

/**
 * `lines` have their text, the heading above them and, in a list, the line that leads it in ("Not committed:"). `words` is the whole document as
 * words, and `at` gives the kind of section and the line of a place in it.
 */
export function readDocument(markdown) {
  const lines = []
  let [heading, lead, fence] = ['', '', null]
  for (const text of markdown.split('\n')) {
    const mark = /^\s*(?:>\s*)*(```+|~~~+)/.exec(text)
    if (mark) fence = fence === null ? mark[1] : mark[1].startsWith(fence) ? null : fence
    const title = fence === null && /^\s{0,3}#{1,6}\s+(.*)$/.exec(text)
    if (title) [heading, lead] = [title[1], '']
    else if (/^\s*(?:\*\*.*\*\*:?|[^-*>|\s].*:)\s*$/.test(text)) lead = text
    else if (text.trim() !== '' && !/^\s*(?:[-*+>|]|\d+[.)])\s/.test(text) && fence === null) lead = ''
    lines.push({
      text,
      heading,
      lead,
      words: wordsOf(text),
      section: KINDS.find(([, pattern]) => pattern.test(heading))?.[0] ?? '',
    })
  }
  const parts = []
  const starts = []
  let length = 0
  for (const line of lines) {
    starts.push(length)
    if (line.words === '') continue
    parts.push(line.words)
    length += line.words.length + 1
  }
  const at = (offset) => {
    let n = starts.findIndex((start) => start > offset)
    n = (n === -1 ? lines.length : n) - 1
    while (lines[n].words === '') n--
    return lines[n]
  }
  return { markdown, lines, words: ` ${parts.join(' ')} `, at: (offset) => at(offset - 1) }
}

/** Every place at which a sentence stands in the document, word for word. */
export function placesOf({ words }, sentence) {
  const wanted = ` ${wordsOf(sentence)} `
  const places = []
  for (let at = words.indexOf(wanted); at !== -1; at = words.indexOf(wanted, at + 1)) places.push(at + 1)
  return places
}
