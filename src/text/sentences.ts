/** What a person wrote themselves, without what they pasted: fenced code, quotes, tagged blocks, logs, diffs, tables. */
export function proseLines(text: string): string[] {
  const lines: string[] = []
  let fence: string | null = null
  for (const line of withoutBlocks(text, TAGGED).split(/\r?\n/)) {
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
const TAGGED = /<([a-z][\w-]*)(?:\s[^<>\n]*)?>\n/g

/** The mark of a list item or heading. */
export const BULLET = /^\s*(?:[-*•–+]|\d{1,2}[.)]|\[[ x]\])\s+|^\s*#{1,6}\s+/

/** Sentences of the lines, verbatim but for folded whitespace and list marks; a line broken in the middle of a sentence is joined. */
export function sentencesOf(lines: readonly string[]): string[] {
  const blocks: string[] = []
  let open = false
  for (const line of lines) {
    const text = folded(line)
    const before = blocks.at(-1) ?? ''
    if (open && !BULLET.test(line) && goesOnWith(text) && before.length > 50)
      blocks.splice(-1, 1, `${before} ${text}`)
    else if (text !== '') blocks.push(text.replace(BULLET, '').trim())
    open = /[^.!?。！？:：]$/.test(text)
  }
  return blocks.flatMap(splitSentences)
}

/** On one line, with single blanks. */
export const folded = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** A line that begins so carries on with the sentence of the line before. */
const goesOnWith = (text: string): boolean => /^[(`"'/\d\p{Ll}\p{Lo}]/u.test(text)

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

/** Cut at a blank; a text without blanks stays whole: half a token could hide what must be removed later. */
export function cutAtWord(text: string, max: number): string {
  const end = text.length <= max ? 0 : text.lastIndexOf(' ', max)
  return end <= 0 ? text : `${text.slice(0, end)} […]`
}

/** The text with each block, from a tag that `opening` finds, whose first group is its name, to the next end of that name, replaced by a line break. */
export function withoutBlocks(text: string, opening: RegExp): string {
  // A tag that nothing closes opens no block. Each name is looked for once: most are said often.
  const lastEnds = new Map<string, number>()
  let kept = ''
  let from = 0
  for (const { index, 1: name = '' } of text.matchAll(opening)) {
    if (index < from) continue
    const end = `</${name}>`
    const last = lastEnds.get(name) ?? text.lastIndexOf(end)
    lastEnds.set(name, last)
    if (last < index) continue
    kept += `${text.slice(from, index)}\n`
    from = text.indexOf(end, index) + end.length
  }
  return kept + text.slice(from)
}

/** One pattern of several, since each that is compiled takes time. */
const PASTED = new RegExp(
  [
    // Quotes, tables, comments, shell prompts, diffs.
    /^\s*(?:>|\|.*\|\s*$|(?:[-+*]\s+)?(?:\/\/|\/\*|\*\/)|(?:\$|❯|➜|%|#!)\s+?\S)|^(?:\+{1,3}|-{3}|@@|diff --git|index [0-9a-f]{7})\s?\S/,
    // Stack frames, lines of compilers and logs.
    /^\s*(?:(?:at |File ")\S+.*[:(]\d+|\S+\.\w{1,5}:\d+(?::\d+)?:?\s|\[?(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:?|\[?(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|TRACE)\b\]?[: ]|(?:Error|error|warning)(?:\[\w+\])?: )/,
    // Code.
    /[{};]\s*$|^\s*[{}[\]()]+[,;]?\s*$|^\s*"[^"]+"\s*:\s|=>\s*\{?$|^\s*<\/?[a-zA-Z][^>]*>\s*$/,
    /^\s*(?:import|export|const|let|var|function|class|def|return|public|private|package|func|fn|use|#include)\s+[\w{*.:"'<]+.*(?:[;{=(]|\bfrom\b)/,
  ]
    .map(({ source }) => source)
    .join('|'),
)

export const isPasted = (line: string): boolean => line.trim() !== '' && PASTED.test(line)

const MAX_PARTS = 10
const MAX_PART = 90

/** A plan in a line: its title, then its headings, or its numbered steps where it has none. */
export function outlineOf(text: string): string {
  const lines = text.trim().split(/\r?\n/)
  const headings = lines.filter((line) => /^#{1,4}\s+\S/.test(line))
  const steps = lines.filter((line) => /^\s?\d{1,2}[.)]\s+\S/.test(line))
  const parts = headings.length > 1 ? headings : [headings[0] ?? lines[0] ?? '', ...steps]
  const plain = parts.map((line) =>
    cutAtWord(folded(line.replace(BULLET, '').replaceAll('**', '')), MAX_PART),
  )
  return [...new Set(plain)].slice(0, MAX_PARTS).join('; ')
}
