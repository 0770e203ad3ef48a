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
  withoutBlocks(text, /<([a-z][\w-]*)(?:\s[^<>\n]*)?>\n/g, /\n[^\S\n]*<\/([a-z][\w-]*)>/g)

const BULLET = /^\s*(?:[-*•–+]|\d{1,2}[.)]|\[[ x]\])\s+|^\s*#{1,6}\s+/

/** Sentences of the lines, verbatim but for folded whitespace and list marks; a line broken in the middle of a sentence is joined. */
export function sentencesOf(lines: readonly string[]): string[] {
  const blocks: string[] = []
  let open = false
  for (const line of lines) {
    const text = line.replace(/\s+/g, ' ').trim()
    const before = blocks.at(-1) ?? ''
    if (open && !BULLET.test(line) && goesOnWith(text) && before.length > 50)
      blocks.splice(-1, 1, `${before}${isUnspaced(before, text) ? '' : ' '}${text}`)
    else if (text !== '') blocks.push(text.replace(BULLET, '').trim())
    open = /[^.!?。！？:：]$/.test(text)
  }
  return blocks.flatMap(splitSentences)
}

/** A line that begins so carries on with the sentence of the line before. */
const goesOnWith = (text: string): boolean => /^[(`"'/\d\p{Ll}\p{Lo}]/u.test(text)

const isUnspaced = (before: string, after: string): boolean =>
  /[\p{Lo}。、，]$/u.test(before) && /^\p{Lo}/u.test(after)

export const hasLetter = (text: string): boolean => /[\p{L}\p{N}]/u.test(text)

function splitSentences(block: string): string[] {
  const out: string[] = []
  let from = 0
  // Each run of marks is tried once, from its first: from every one of 40,000 dots it would take 20 s.
  for (const match of block.matchAll(/(?<![.!?])[.!?]+["')\]`*]*(?=\s)|[。！？]+["'）」』]*/g)) {
    const end = match.index + match[0].length
    const sentence = block.slice(from, end)
    if (/\b(?:e\.g|i\.e|vs)\.$|^\s*\d+\.$/i.test(sentence)) continue
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

const MAX_PARTS = 10
const MAX_PART = 90

/** A plan in a line: its title, then its headings, or its numbered steps where it has none. */
export function outlineOf(text: string): string {
  const lines = text.split(/\r?\n/)
  const headings = lines.filter((line) => /^#{1,4}\s+\S/.test(line))
  const steps = lines.filter((line) => /^\s?\d{1,2}[.)]\s+\S/.test(line))
  const [first = '', ...rest] =
    headings.length > 1 ? headings : [headings[0] ?? text.trim().split('\n', 1)[0] ?? '', ...steps]
  const plain = (line: string): string =>
    cutAtWord(
      line
        .replace(BULLET, '')
        .replace(/\*\*|:$/g, '')
        .trim(),
      MAX_PART,
    )
  const parts = [...new Set(rest.map(plain))]
  const more = parts.length > MAX_PARTS ? [`${parts.length - MAX_PARTS} more`] : []
  return [
    plain(first).replace(/^(?:Implementation )?Plan: /i, ''),
    ...parts.slice(0, MAX_PARTS),
    ...more,
  ].join('; ')
}

const PASTED: readonly RegExp[] = [
  /^\s*>|^\s*\|.*\|\s*$/, // quoted, table
  /^\s*(?:at |File ")\S+.*[:(]\d+|^\s*\S+\.\w{1,5}:\d+(?::\d+)?:?\s/, // stack frames, compiler lines
  /^(?:\+{1,3}|-{3}|@@|diff --git|index [0-9a-f]{7})\s?\S/, // diffs
  // Logs.
  /^\s*\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|^\s*\[?\d\d:\d\d:\d\d/,
  /^\s*(?:\[?(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|TRACE)\b\]?[: ]|(?:npm|yarn|pnpm) (?:ERR!|WARN|error|notice)|(?:error|warning)(?:\[\w+\])?: )/,
  /^\s*(?:---|===) (?:FAIL|PASS|RUN|NAME|CONT|SKIP)/, // go test
  /^\s*(?:\$|❯|➜|%|#!)\s+?\S|^\s*PS [A-Z]:\\/, // shell prompts
  /^\s*(?:[-+*]\s+)?(?:\/\/|\/\*|\*\/)/, // comments
  /^\s*(?:Traceback \(most recent|panic:|goroutine \d+|Caused by:|Exit code \d+)/,
  /^\s+(?:Error Trace|Error|Test|Messages):\s{2,}\S/, // what testify says about an assertion
  // Code.
  /[{};]\s*$|^\s*[{}[\]()]+[,;]?\s*$|^\s*"[^"]+"\s*:\s|=>\s*\{?$|^\s*<\/?[a-zA-Z][^>]*>\s*$/,
  /^\s*(?:import|export|const|let|var|function|class|def|return|public|private|package|func|fn|use|#include)\s+[\w{*.:"'<]+.*(?:[;{=(]|\bfrom\b)/,
]

export const isPasted = (line: string): boolean =>
  line.trim() !== '' && PASTED.some((shape) => shape.test(line))

/**
 * The text with each block, from what `opening` finds to the next `closing` of the same name, replaced by a line break. The
 * first group of both patterns is the name. In linear time: a pattern with `[\s\S]*?` would look through the rest from each tag
 * that nothing closes.
 */
export function withoutBlocks(text: string, opening: RegExp, closing: RegExp): string {
  const ends = new Map<string, RegExpExecArray[]>()
  for (const end of [...text.matchAll(closing)].reverse()) {
    const name = end[1] ?? ''
    const held = ends.get(name)
    if (held === undefined) ends.set(name, [end])
    else held.push(end)
  }
  if (ends.size === 0) return text
  let kept = ''
  let from = 0
  for (const start of text.matchAll(opening)) {
    if (start.index < from) continue
    const waiting = ends.get(start[1] ?? '') ?? []
    const inside = start.index + start[0].length
    while ((waiting.at(-1)?.index ?? inside) < inside) waiting.pop()
    const end = waiting.at(-1)
    if (end === undefined) continue
    kept += `${text.slice(from, start.index)}\n`
    from = end.index + end[0].length
  }
  return kept + text.slice(from)
}

/** False for empty and placeholder items, which say nothing. */
export function isContent(text: string): boolean {
  // A message is none, and most of what is asked about are messages.
  if (text.length > MAX_LENGTH && /\w/.test(text)) return true
  // A run of such marks is tried once: from each of 40,000 dots it would take 3 s.
  const core = text.replace(/^[\s[(<*_]+/, '').replace(/(?<![\s\])>*_.])[\s\])>*_.]+$/, '')
  return !EMPTY.has(core.toLowerCase()) && !/^-+$/.test(core)
}

const MAX_LENGTH = 200
const EMPTY = new Set([
  ...['', 'not applicable'],
  ...'n/a na none todo tbd tba null undefined placeholder … nothing'.split(' '),
])
