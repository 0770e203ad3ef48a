import { isPasted } from './pasted.ts'
import { withoutBlocks } from './tagged.ts'

/** What a person wrote themselves, without what they pasted: fenced code, quotes, tagged blocks, logs, diffs, tables. */
export function proseLines(text: string): string[] {
  const lines: string[] = []
  let fence: string | null = null
  for (const line of withoutTagged(text).split(/\r?\n/)) {
    const mark = /^\s*(`{3,}|~{3,}|"""|''')/.exec(line)?.[1]
    if (fence !== null) {
      if (mark?.startsWith(fence)) fence = null
      continue
    }
    // A fence that opens and closes on one line holds no further lines.
    if (mark !== undefined && !line.trim().slice(mark.length).includes(mark)) {
      fence = mark
      continue
    }
    lines.push(isPasted(line) ? '' : line)
  }
  return lines
}

/** Blocks in XML-like tags are injected or pasted. */
const withoutTagged = (text: string): string =>
  text.includes('</')
    ? withoutBlocks(text, /<([a-z][\w-]*)(?:\s[^<>\n]*)?>\n/g, /\n[^\S\n]*<\/([a-z][\w-]*)>/g)
    : text

const BULLET = /^\s*(?:[-*•–+]|\d{1,2}[.)]|\[[ x]\])\s+|^\s*#{1,6}\s+/
const ABBREVIATION =
  /(?:^|[\s(])(?:e\.g|i\.e|etc|vs|approx|cf|resp|z\.\s?B|d\.\s?h|bzw|ca|Nr|p\.\s?ej|n°|no|fig|al|St|Dr|Mr|Ms)\.$/i

/** What stands before the last point of an abbreviation, and more characters than any of them has. */
const ABBREVIATION_ENDS = new Set(
  'g e etc vs approx cf resp b h bzw ca nr ej ° no fig al st dr mr ms'.split(' '),
)
const LONGEST_ABBREVIATION = 12

function endsInAbbreviation(sentence: string): boolean {
  const end = /(\w+|°)\.$/.exec(sentence.slice(-LONGEST_ABBREVIATION))?.[1]
  return end !== undefined && ABBREVIATION_ENDS.has(end.toLowerCase()) && ABBREVIATION.test(sentence)
}

/** Sentences of the lines, verbatim but for folded whitespace and list marks; a line broken in the middle of a sentence is joined. */
export function sentencesOf(lines: readonly string[]): string[] {
  const blocks: string[] = []
  let open = false
  for (const line of lines) {
    const text = line.replace(/\s+/g, ' ').trim()
    if (text === '') open = false
    else if (open && !BULLET.test(line) && goesOnWith(text) && (blocks.at(-1) ?? '').length > 50) {
      const joint = isUnspaced(blocks.at(-1) ?? '', text) ? '' : ' '
      blocks.push(`${blocks.pop() ?? ''}${joint}${text}`)
      open = !/[.!?。！？:：]$/.test(text)
    } else {
      blocks.push(text.replace(BULLET, '').trim())
      open = !/[.!?。！？:：]$/.test(text)
    }
  }
  return blocks.flatMap(splitSentences)
}

/** A line that begins so carries on with the sentence of the line before. */
const goesOnWith = (text: string): boolean => /^[(`"'/\d\p{Ll}\p{Lo}]/u.test(text)

const isUnspaced = (before: string, after: string): boolean =>
  /[\p{Lo}。、，]$/u.test(before) && /^\p{Lo}/u.test(after)

/** Whether a text holds a letter or digit of any script. */
export const hasLetter = (text: string): boolean => /[\p{L}\p{N}]/u.test(text)

function splitSentences(block: string): string[] {
  const out: string[] = []
  let from = 0
  // Each run of marks is tried once, from its first: from every one of 40,000 dots it would take 20 s.
  for (const match of block.matchAll(/(?<![.!?])[.!?]+["')\]`*]*(?=\s)|[。！？]+["'）」』]*/g)) {
    const end = match.index + match[0].length
    const sentence = block.slice(from, end)
    if (endsInAbbreviation(sentence) || /^\s*\d+\.$/.test(sentence)) continue
    if (goesOn(sentence, block.slice(end), match[0])) continue
    out.push(sentence.trim())
    from = end
  }
  out.push(block.slice(from).trim())
  return out.filter(hasLetter)
}

/** Characters up to which a sentence may go on past a mark; bounds the time for pasted text. */
const LONGEST = 1_000

/** The mark stands inside a code span or at its end, or is an ellipsis, and the words behind it do not begin a sentence. */
function goesOn(sentence: string, rest: string, mark: string): boolean {
  if (sentence.length > LONGEST) return false
  const isOpen = sentence.includes('`') && (sentence.match(/`+/g) ?? []).length % 2 === 1
  if (isOpen) return rest.includes('`')
  return (mark.endsWith('`') || /^\.{2,}/.test(mark)) && /^\s+[^\p{Lu}\s]/u.test(rest)
}

/** Whole sentences from the start until `max` characters are full; the first is always whole. */
export function shorten(text: string, max: number): string {
  if (text.length <= max) return text
  let kept = ''
  for (const sentence of splitSentences(text)) {
    if (kept !== '' && kept.length + sentence.length + 1 > max) break
    kept += kept === '' ? sentence : ` ${sentence}`
  }
  return kept.length < text.length ? `${kept} […]` : kept
}

/** Cut at a blank; a text without blanks stays whole: half a token could hide what must be removed later. */
export function cutAtWord(text: string, max: number): string {
  const end = text.length <= max ? 0 : text.lastIndexOf(' ', max)
  return end <= 0 ? text : `${text.slice(0, end)} […]`
}

/** Letters and digits only, lower case: two texts that say the same are equal. */
export const squash = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
