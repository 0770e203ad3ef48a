import { cutAt } from './safe-text.ts'
import { visible } from './visible.ts'

/** Parts of a message short enough to choose among: paragraphs, and groups of list items. Whitespace is folded. */
export function blocksOf(text: string, max: number): string[] {
  const blocks: string[] = []
  let open: string[] = []
  let size = 0
  let isFenced = false
  const close = (): void => {
    const block = open.join(' ').replace(/\s+/g, ' ').trim()
    if (/[\p{L}\p{N}]/u.test(block)) blocks.push(clipSentence(block, max))
    open = []
    size = 0
  }
  // A short piece of code is what the sentence before it leads to: an address, a command.
  for (const line of text.replace(SHORT_CODE, ':\n`$1`\n').split(/\r?\n/)) {
    if (/^\s*(?:```|~~~)/.test(line)) {
      isFenced = !isFenced
      close()
      continue
    }
    // Code and output are long and seldom what a successor asks for first.
    if (isFenced) continue
    // What leads to a list says what its items are: it stands with them.
    const isLead = open.length > 0 && /[:：]\**\s*$/.test(open.at(-1) ?? '')
    if ((line.trim() === '' && !isLead) || size + line.length > max || /^#{1,6}\s/.test(line)) close()
    if (/^[\s|:-]*$/.test(line)) continue
    open.push(plainLine(line))
    size += line.length
  }
  close()
  return blocks
}

/** A fence of one line behind a colon. */
const SHORT_CODE = /[:：]\**[ \t]*\n(?:[ \t]*\n)?[ \t]*```[^\n]*\n([^\n`]{1,160})\n[ \t]*```/g

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

/** As `clipSentence`, but a long text keeps its last paragraph, where a person who pastes something says what for. */
export function clipMiddle(text: string, max: number): string {
  const last =
    visible(text)
      .trim()
      .split(/\n\s*\n/)
      .at(-1)
      ?.replace(/\s+/g, ' ')
      .trim() ?? ''
  const line = clipSentence(text, max)
  if (!line.endsWith('[…]') || last.length > max / 2) return line
  return `${clipSentence(text, max - last.length)} ${last}`
}

/** A sentence may be so much longer than the limit that would cut it. */
const OVER = 1.4

/** Whole sentences up to about `max` UTF-16 units, else whole words. */
export function clipSentence(text: string, max: number): string {
  const line = visible(text.replace(/\s+/g, ' ')).trim()
  if (line.length <= max) return line
  const head = cutAt(line, max)
  const sentence = Math.max(...['. ', '! ', '? ', '。', '！', '？'].map((mark) => head.lastIndexOf(mark)))
  const next = /[.!?。](?=\s)/.exec(line.slice(max, max * OVER))
  const end = sentence > max / 2 ? sentence + 1 : next !== null ? max + next.index + 1 : head.lastIndexOf(' ')
  const kept = end > 0 ? line.slice(0, end) : head
  return kept.length === line.length ? line : `${kept} […]`
}
