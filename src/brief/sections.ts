export type SectionId =
  | 'preamble'
  | 'status'
  | 'memory'
  | 'closing'
  | 'trail'
  | 'information'
  | 'constraints'
  | 'decisions'
  | 'progress'
  | 'files'
  | 'commands'
  | 'questions'
  | 'steps'
  | 'previous'
  | 'goal'

interface Section {
  id: SectionId
  /** The heading line without its `#` marks. */
  heading: string
  level: 1 | 2
  required: boolean
  /** Who built it, most trusted first. */
  zone: readonly ('tool' | 'git' | 'transcript' | 'chain' | 'model' | 'agent' | 'user')[]
}

/** The sections of a brief in their order, once: rendering, parsing, checks and docs walk this table. */
export const sections: readonly Section[] = [
  { id: 'preamble', heading: 'Handoff Context', level: 1, required: true, zone: ['tool'] },
  { id: 'status', heading: 'Status', level: 2, required: true, zone: ['git', 'transcript'] },
  { id: 'memory', heading: 'Working Memory', level: 2, required: true, zone: ['agent'] },
  { id: 'closing', heading: 'Where it stands', level: 2, required: false, zone: ['agent', 'transcript'] },
  {
    id: 'trail',
    heading: 'How it got here',
    level: 2,
    required: false,
    zone: ['user', 'agent', 'transcript'],
  },
  {
    id: 'information',
    heading: 'Context (from previous thread)',
    level: 2,
    required: false,
    zone: ['model', 'agent'],
  },
  {
    id: 'constraints',
    heading: 'Constraints & Preferences',
    level: 2,
    required: false,
    zone: ['transcript', 'user'],
  },
  {
    id: 'decisions',
    heading: 'Key Decisions',
    level: 2,
    required: false,
    zone: ['transcript', 'agent', 'model', 'git'],
  },
  { id: 'progress', heading: 'Progress', level: 2, required: false, zone: ['git', 'transcript'] },
  {
    id: 'files',
    heading: 'Relevant Files',
    level: 2,
    required: false,
    zone: ['git', 'transcript', 'model', 'user'],
  },
  { id: 'commands', heading: 'Relevant Commands', level: 2, required: false, zone: ['transcript'] },
  {
    id: 'questions',
    heading: 'Open Questions / Risks',
    level: 2,
    required: false,
    zone: ['transcript', 'agent', 'model'],
  },
  { id: 'steps', heading: 'Next Steps', level: 2, required: false, zone: ['agent', 'user'] },
  { id: 'previous', heading: 'Previous handoff', level: 2, required: false, zone: ['chain'] },
  { id: 'goal', heading: 'Next Goal (verbatim)', level: 2, required: true, zone: ['user'] },
]

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
  /** 1-based line of the file. */
  line: number
  text: string
  /** Inside a fenced block, its two fence lines included; a block inside a quote too. */
  fenced: boolean
}

interface ScannedBlock {
  /** Line of the opening fence. */
  line: number
  info: string
  text: string
  closed: boolean
  /** Length of the opening fence. */
  fence: number
}

interface ScannedItem {
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
  let section: ScannedSection = {
    id: null,
    heading: '',
    level: 0,
    line: firstLine,
    lines: [],
    items: [],
    blocks: [],
  }
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
