type Zone = 'tool' | 'git' | 'transcript' | 'chain' | 'model' | 'agent' | 'user'

/** `heading` is the line without its `#` marks; `zone` tells who built the section, most trusted first. */
const section = <Id extends string>(
  id: Id,
  heading: string,
  level: 1 | 2,
  required: boolean,
  ...zone: Zone[]
) => ({
  ...{ id, heading, level, required, zone },
})

/** The sections of a brief in their order, once: rendering, parsing, checks and docs walk this table. */
export const sections = [
  section('preamble', 'Handoff Context', 1, true, 'tool'),
  section('status', 'Status', 2, true, 'git', 'transcript'),
  section('memory', 'Working Memory', 2, true, 'agent'),
  section('closing', 'Where it stands', 2, false, 'agent', 'transcript'),
  section('trail', 'How it got here', 2, false, 'user', 'agent', 'transcript'),
  section('information', 'Context (from previous thread)', 2, false, 'model', 'agent'),
  section('constraints', 'Constraints & Preferences', 2, false, 'transcript', 'user'),
  section('decisions', 'Key Decisions', 2, false, 'transcript', 'agent', 'model', 'git'),
  section('progress', 'Progress', 2, false, 'git', 'transcript'),
  section('files', 'Relevant Files', 2, false, 'git', 'transcript', 'model', 'user'),
  section('commands', 'Relevant Commands', 2, false, 'transcript'),
  section('questions', 'Open Questions / Risks', 2, false, 'transcript', 'agent', 'model'),
  section('steps', 'Next Steps', 2, false, 'agent', 'user'),
  section('previous', 'Previous handoff', 2, false, 'chain'),
  section('goal', 'Next Goal (verbatim)', 2, true, 'user'),
]

export type SectionId = (typeof sections)[number]['id']

/** Sections of briefs that were made before: read, in that order, and no longer written. */
export const formerSections: readonly string[] = [
  'Handoff Context',
  'Status',
  'Mission',
  'Constraints & Preferences',
  'Context (from previous thread)',
  'Key Decisions',
  'Progress',
  'Relevant Files',
  'Relevant Commands',
  'Open Questions / Risks',
  'Working Memory',
  'Next Steps',
  'Previous handoff',
  'Session Metadata',
  'Next Goal (verbatim)',
]

interface ScannedLine {
  line: number
  text: string
  /** Inside a fenced block, its two fence lines included; a block inside a quote too. */
  fenced: boolean
}

interface ScannedBlock {
  line: number
  info: string
  text: string
  closed: boolean
  fence: number
}

export interface ScannedItem {
  line: number
  /** The line without its `- `. */
  text: string
  /** The fenced block that belongs to the item, its indent taken off. */
  block: string | null
}

export interface ScannedSection {
  /** Null for a heading that is not in the table, and for what stands before the first heading. */
  id: SectionId | null
  heading: string
  level: 0 | 1 | 2
  line: number
  lines: ScannedLine[]
  items: ScannedItem[]
  blocks: ScannedBlock[]
}

const HEADING = /^(#{1,2})[ \t]+(\S.*)$/
const FENCE = /^( {0,3})(`{3,}|~{3,})(.*)$/

/** The body of a brief as its sections in the order of the file. Fences are honoured, in linear time. */
export function scanBody(body: string, firstLine: number): ScannedSection[] {
  const begin = { id: null, heading: '', level: 0, line: firstLine } as const
  let section: ScannedSection = { ...begin, lines: [], items: [], blocks: [] }
  const found = [section]
  let open: {
    mark: string
    indent: number
    block: ScannedBlock
    rows: string[]
    item: ScannedItem | null
  } | null = null
  let quoted: string | null = null
  for (const [index, raw] of body.split('\n').entries()) {
    const text = raw.endsWith('\r') ? raw.slice(0, -1) : raw
    const line = firstLine + index
    if (open !== null) {
      section.lines.push({ line, text, fenced: true })
      if (closes(text, open.mark)) {
        open.block.closed = true
        finish(open)
        open = null
      } else
        open.rows.push(text.startsWith(' '.repeat(open.indent)) ? text.slice(open.indent) : text.trimStart())
      continue
    }
    const fence = opens(text) === null ? null : FENCE.exec(text)
    if (fence !== null) {
      const [, indent = '', mark = '', info = ''] = fence
      const block = { line, info: info.trim(), text: '', closed: false, fence: mark.length }
      section.blocks.push(block)
      const item = indent === '' ? null : (section.items.at(-1) ?? null)
      open = { mark, indent: indent.length, block, rows: [], item }
      quoted = null
      section.lines.push({ line, text, fenced: true })
      continue
    }
    const heading = HEADING.exec(text)
    if (heading !== null) {
      quoted = null
      const level = heading[1] === '#' ? 1 : 2
      const name = (heading[2] ?? '').replace(/[ \t]+#*[ \t]*$/, '')
      const known = sections.find((candidate) => candidate.level === level && candidate.heading === name)
      section = { id: known?.id ?? null, heading: name, level, line, lines: [], items: [], blocks: [] }
      found.push(section)
      continue
    }
    const words: string | undefined = /^> ?(.*)$/.exec(text)?.[1]
    const mark: string | null =
      words === undefined ? null : quoted === null ? opens(words) : closes(words, quoted) ? null : quoted
    section.lines.push({ line, text, fenced: words !== undefined && (quoted ?? mark) !== null })
    quoted = mark
    if (text.startsWith('- ')) section.items.push({ line, text: text.slice(2).trimEnd(), block: null })
  }
  if (open !== null) finish(open)
  const [preface] = found
  return preface?.lines.every((row) => row.text.trim() === '') ? found.slice(1) : found
}

/** The mark of a line that opens a fence; one of backticks may hold none in its info text. */
function opens(text: string): string | null {
  const [, , mark = null, info = ''] = FENCE.exec(text) ?? []
  return mark?.[0] === '`' && info.includes('`') ? null : mark
}

function closes(text: string, mark: string): boolean {
  const match = FENCE.exec(text)
  return (
    match !== null &&
    match[2]?.[0] === mark[0] &&
    (match[2]?.length ?? 0) >= mark.length &&
    match[3]?.trim() === ''
  )
}

function finish(open: { block: ScannedBlock; rows: string[]; item: ScannedItem | null }): void {
  open.block.text = open.rows.join('\n')
  if (open.item !== null && open.item.block === null) open.item.block = open.block.text
}
