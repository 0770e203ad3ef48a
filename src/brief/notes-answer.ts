import type { Notes } from '../types.ts'

type Slot = 'context' | 'progress' | 'decisions' | 'blockers' | 'files' | 'steps'
type Answer = Pick<Notes, 'information' | 'decisions' | 'blockers' | 'nextSteps' | 'files' | 'other'> & {
  progress: string[]
}

/** The six headings of `templates/request.txt`, by the words agents keep when they rephrase them. */
const HEADINGS: readonly [Slot, RegExp][] = [
  ['decisions', /\bdecisions?\b/i],
  ['blockers', /\b(?:blockers?|blocked|open questions|risks)\b/i],
  ['files', /\bfiles?\b/i],
  ['steps', /\b(?:next steps?|remains|remaining|to ?do)\b/i],
  ['progress', /\b(?:progress|state|status)\b/i],
  ['context', /\b(?:work(?:ed|ing) on|context|what was being|task)\b/i],
]
const HEADING = /^#{1,6}[ \t]+(.*)$/
const FENCE = /^ {0,3}(`{3,}|~{3,})/

/** The six-heading answer of SPEC D1 as the slots of notes; markdown under other headings is kept unchanged in `other`. */
export function readAnswer(text: string): Answer {
  const answer: Answer = {
    information: [],
    progress: [],
    decisions: [],
    blockers: [],
    nextSteps: [],
    files: [],
    other: null,
  }
  const other: string[] = []
  for (const { heading, lines } of blocks(text)) {
    const slot = heading === null ? null : slotOf(heading)
    if (slot === null) {
      if (heading === null && lines.every((line) => line.trim() === '')) continue
      other.push([...(heading === null ? [] : [heading]), ...lines].join('\n').trimEnd())
    } else fill(answer, slot, items(lines))
  }
  if (other.length > 0) answer.other = other.join('\n\n')
  return answer
}

function fill(answer: Answer, slot: Slot, texts: string[]): void {
  if (slot === 'context') answer.information.push(...texts)
  else if (slot === 'progress') answer.progress.push(...texts)
  else if (slot === 'blockers') answer.blockers.push(...texts)
  else if (slot === 'steps') answer.nextSteps.push(...texts)
  else if (slot === 'files') answer.files.push(...texts.map(file))
  else answer.decisions.push(...texts.map(decision))
}

const slotOf = (heading: string): Slot | null =>
  HEADINGS.find(([, words]) => words.test(heading))?.[0] ?? null

/** What stands under each heading, the heading line with it; fences are honoured. */
function blocks(text: string): { heading: string | null; lines: string[] }[] {
  let block: { heading: string | null; lines: string[] } = { heading: null, lines: [] }
  const all = [block]
  let fence: string | null = null
  for (const line of text.split(/\r?\n/)) {
    const mark = FENCE.exec(line)?.[1]
    if (fence !== null) {
      if (mark?.startsWith(fence)) fence = null
    } else if (mark !== undefined) fence = mark
    if (fence === null && HEADING.test(line)) {
      block = { heading: line, lines: [] }
      all.push(block)
    } else block.lines.push(line)
  }
  return all
}

/** List items with their continuation lines; paragraphs where there is no list. */
function items(lines: readonly string[]): string[] {
  const texts: string[] = []
  let open = false
  for (const line of lines) {
    const start = /^\s{0,3}(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(.*)$/.exec(line)?.[1]
    if (start !== undefined) texts.push(start)
    else if (line.trim() !== '' && open) texts.push(`${texts.pop() ?? ''} ${line.trim()}`)
    else if (line.trim() !== '') texts.push(line.trim())
    open = line.trim() !== ''
  }
  return texts.map((text) => text.replace(/\s+/g, ' ').trim()).filter((text) => text !== '')
}

/** `path - why`, the path in backticks or not. No pattern looks for its end, which takes time by the square in a run of marks. */
function file(text: string): { path: string; reason: string } {
  const marked = /^(?:`([^`]+)`|\*\*([^*]+)\*\*)(?: ?[:—–-]+ | |$)(.*)$/.exec(text)
  if (marked !== null) return { path: marked[1] ?? marked[2] ?? text, reason: marked[3] ?? '' }
  const space = text.indexOf(' ')
  if (space === -1)
    return { path: text.endsWith(':') && text.length > 1 ? text.slice(0, -1) : text, reason: '' }
  let end = space
  while (end > 1 && isMark(text[end - 1])) end--
  const rest = text.slice(space + 1)
  return { path: text.slice(0, end), reason: end < space ? rest : rest.replace(/^[:—–-]+ /, '') }
}

const isMark = (char: string | undefined): boolean => char !== undefined && ':—–-'.includes(char)

/** `what - why: reason - instead of: alternative`; `because` serves as `why:`. */
function decision(text: string): Notes['decisions'][number] {
  const [what = '', ...rest] = text.split(/\s+[—–-]+\s+(?=(?:why|because|instead of|alternatives?)\b)/i)
  const part = (name: RegExp): string | null =>
    rest
      .find((piece) => name.test(piece))
      ?.replace(name, '')
      .replace(/^:?\s*/, '') ?? null
  const because = /^(.*?),? because (.*)$/s.exec(what)
  const others = part(/^(?:instead of|alternatives?)\b/i)
  return {
    what: because?.[1] ?? what,
    why: part(/^(?:why|because)\b/i) ?? because?.[2] ?? null,
    alternatives: others === null ? [] : others.split(/\s*;\s*/),
  }
}
