import { cutAt, visible } from './safe-text.ts'

/** Parts of a message short enough to choose among: paragraphs, and groups of list items. Whitespace is folded. */
export function blocksOf(text: string, max: number): string[] {
  const blocks: string[] = []
  let open: string[] = []
  let size = 0
  let isFenced = false
  const close = (): void => {
    const block = open.join(' ').replace(/\s+/g, ' ').trim()
    if (/[A-Za-z\d]/.test(block) || /[\p{L}\p{N}]/u.test(block)) blocks.push(clipSentence(block, max))
    open = []
    size = 0
  }
  for (const line of unwrapped(text)) {
    if (FENCE.test(line)) {
      isFenced = !isFenced
      close()
      continue
    }
    // Code and output are long and seldom what a successor asks for first.
    if (isFenced) continue
    // What leads to a list says what its items are: it stands with them.
    if (
      (line.trim() === '' && !isLead(open.at(-1) ?? '')) ||
      (size + line.length > max && (size >= max || !isLead(open.at(-1) ?? ''))) ||
      /^#{1,6}\s/.test(line)
    )
      close()
    if (/^[\s|:-]*$/.test(line)) continue
    open.push(plainLine(line))
    size += line.length
  }
  close()
  return blocks
}

/** The lines of a text; in one of fixed width, what goes on in the middle of a sentence is one with the line before it. */
function unwrapped(text: string): string[] {
  const parts: string[][] = []
  let isFenced = false
  let before = ''
  for (const line of text.split(/\r?\n/)) {
    if (FENCE.test(line)) isFenced = !isFenced
    const isNext = !isFenced && before.length >= LEAST_WIDTH && BREAKS_OFF.test(before) && GOES_ON.test(line)
    if (isNext) parts.at(-1)?.push(line.trim())
    else parts.push([line])
    before = line
  }
  return parts.map((lines) => lines.join(' '))
}

/** UTF-16 units of a line; who writes lines of fixed width, writes none that are shorter. */
const LEAST_WIDTH = 60
const BREAKS_OFF = /^(?!#{1,6}\s).*[^.!?:;|`~\s]\s*$/
const GOES_ON = /^\s*(?![-*•|#>+`~]|\d+[.)]\s)\S/

const FENCE = /^\s*(?:```|~~~)/

const isLead = (line: string): boolean => /[:：]\**\s*$/.test(line)

/** A line without its list or heading mark; items are set apart by a dot. */
function plainLine(line: string): string {
  const heading = /^#{1,6}\s+(.*)$/.exec(line)?.[1]
  if (heading !== undefined) return /[.:!?]$/.test(heading) ? heading : `${heading}:`
  const cells = /^\s*\|(.*)\|\s*$/.exec(line)?.[1]
  if (cells !== undefined)
    return `· ${cells
      .split('|')
      .map((cell) => cell.trim())
      .join(' | ')}`
  const item = /^\s*[-*•]\s+(.*)$/.exec(line)?.[1]
  return item === undefined ? line : `· ${item}`
}

/** As `clipSentence`, but a short last paragraph stays, where a person who pastes something says what for. */
export function clipMiddle(text: string, max: number): string {
  const paragraphs = visible(text)
    .trim()
    .split(/\n\s*\n/)
  const last = paragraphs.pop()?.replace(/\s+/g, ' ') ?? ''
  const head = clipSentence(paragraphs.join(' '), max - last.length)
  return last.length > max / 2 || head === '' || !head.endsWith('[…]')
    ? clipSentence(text, max)
    : `${head} ${last}`
}

/** A sentence may be so much longer than the limit that would cut it. */
const OVER = 1.4

/** The number of a list item ends none. */
const SENTENCE_END = /(?<!(?:^|\s)\d{1,2})[.!?](?=\s)|[。！？]/g

/** A request without what it forbids says the opposite. */
const PROHIBITS =
  /^\s*(?:(?:and|but|please)[ ,]+)*(?:do not|don['’]t|never|without|except|unless|leave|not|no)\b[^.!?。！？]{0,200}[.!?。！？]/i

/** Whole sentences up to about `max` UTF-16 units, else whole words. */
export function clipSentence(text: string, max: number): string {
  const line = visible(text.replace(/\s+/g, ' ')).trim()
  if (line.length <= max) return line
  const head = cutAt(line, max)
  const sentence = Math.max(-1, ...[...head.matchAll(SENTENCE_END)].map(({ index }) => index))
  const next = line.slice(max, max * OVER).search(SENTENCE_END)
  const end = sentence > max / 2 ? sentence + 1 : next !== -1 ? max + next + 1 : head.lastIndexOf(' ')
  const kept =
    (end > 0 ? line.slice(0, end) : head) + (PROHIBITS.exec(line.slice(Math.max(0, end)))?.[0] ?? '')
  return kept.length === line.length ? line : `${kept} […]`
}

/** A clipped text without its mark behind a whole sentence: that more was said is true of nearly every quote, a mark shows where a sentence breaks off. */
export const markBrokenOff = (clipped: string): string =>
  clipped.replace(/([.!?:;。！？…][)`*"”’]*) \[…\]$/, '$1')

/** A sentence that announces: what came of it stands behind. */
const ANNOUNCED =
  /(?<=^|[.!?—:]\s)(?:(?:and|so|then|now|next|first|also|ok(?:ay)?|good|great|perfect|hmm),? ?[—-]? ?)*(?:let me|let['’]s|i['’]ll|i will|i need to|i['’]m (?:now )?(?:going to|\w+ing)|i should|(?<=\b(?:now|next|then),? )(?:add|build|check|commit|create|fix|implement|look|read|remove|run|step|test|update|verify|write))\b(?:[^.!?\n]|[.!?](?=\S))*(?:[.!?](?=\s|$)|$)/gim

/** A text without the sentences that only say what comes next. */
export const withoutAnnounced = (text: string): string => text.replace(ANNOUNCED, '')

/** Whether a text tells at some length what was found or done. */
export const isReport = (text: string): boolean => withoutAnnounced(text).trim().length >= REPORT

/** UTF-16 units. */
const REPORT = 200

/** Function words say nothing about what a text tells. */
const EMPTY = new Set(
  `the a an to of in on at for with and or not no do it its is are be was were this that these those i you we they let me my now
  have has had will can could would should from by as if so then but there just all also what which when how than into out up
  about after before one two here been does did don t s ll ve re m der die das und ist nicht ein eine le la les et un une est el
  los las y en de que`.split(/\s+/),
)

/** Words that tell something, in lower case. */
export const tellingWords = (text: string): string[] =>
  (text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []).filter((word) => word.length > 1 && !EMPTY.has(word))
