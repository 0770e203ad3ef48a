import {
  codeSpan,
  escapeAlone,
  escapeLine,
  escapeLineAlone,
  escapeText,
  exactLines,
  fenced,
  readCodeSpan,
  unescapeAlone,
  unescapeLine,
  unescapeLineAlone,
  unescapeText,
} from '../text/safe-text.ts'
import type {
  CommandFact,
  DecisionFact,
  FileFact,
  QuestionFact,
  Source,
  Sourced,
  TextFact,
} from '../types/evidence.ts'
import { isBriefId } from './id.ts'
import { EDITED_SINCE } from './status.ts'

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

// ---------------------------------------------------------------- items

/**
 * How one fact stands on one line, and how it is read back. Every line ends in a label `[source …]`, so that the label
 * is found from the right and no text can forge it; ` — from <id>` marks what an earlier brief said. A line without a
 * label was written by hand: its source is the user.
 */
const SOURCES: ReadonlySet<string> = new Set(['git', 'transcript', 'agent', 'model', 'user'])
const isSource = (word: string): word is Source => SOURCES.has(word)
/** Where a fact comes from: an earlier brief, and the first digits of the commit that one was made at. */
export type Origin = Pick<Sourced, 'from' | 'fromHead'>

/** The label at the end of a line, and where it comes from. */
export const label = (words: string, origin: Origin = {}): string => ` [${words}]${fromText(origin)}`

/** The mark of what an earlier brief said; empty for what none did. */
export const fromText = ({ from, fromHead }: Origin): string =>
  from === undefined ? '' : ` — from ${from}${fromHead === undefined ? '' : `@${fromHead}`}`

interface Labelled extends Origin {
  text: string
  label: string | null
}

/** The label only where the source is not the usual one of the section, or where the text would be read as one. */
const labelUnless = (usual: Source, text: string, fact: Origin & { source: Source }): string =>
  fact.source === usual && readLabel(text).label === null && readLabel(text).from === undefined
    ? fromText(fact)
    : label(fact.source, fact)

export function readLabel(line: string): Labelled {
  const [, before = line, from, fromHead] = /^(.*) — from ([^@\s]+)(?:@([0-9a-f]{8}))?$/.exec(line) ?? []
  const isFrom = from !== undefined && isBriefId(from)
  const text = isFrom ? before : line
  const match = /^(.*?) \[([^[\]]*)\]$/.exec(tail(text))
  const origin = isFrom ? originOf({ from, fromHead }) : {}
  if (match === null) return { text, label: null, ...origin }
  return {
    text: text.slice(0, text.length - tail(text).length) + (match[1] ?? ''),
    label: match[2] ?? '',
    ...origin,
  }
}

/** From the last ` [` on, so that one linear look is enough. */
const tail = (line: string): string => line.slice(Math.max(0, line.lastIndexOf(' [')))

export const originOf = ({
  from,
  fromHead,
}: {
  from?: string | undefined
  fromHead?: string | undefined
}): Origin => ({
  ...(from === undefined ? {} : { from }),
  ...(fromHead === undefined ? {} : { fromHead }),
})

/** `usual`: the source that goes without saying in its section. */
export const renderText = (fact: TextFact, usual: Source): string => {
  const text = escapeLineAlone(fact.text)
  return `- ${text}${labelUnless(usual, text, fact)}`
}

export function readText(line: string, usual: Source): TextFact {
  const read = readLabel(line)
  const isKnown = read.label !== null && isSource(read.label)
  const text = isKnown || read.label === null ? read.text : withoutFrom(line)
  return {
    text: unescapeLineAlone(text),
    source: isKnown ? (read.label as Source) : usual,
    at: null,
    ...originOf(read),
  }
}

/** The line whose last words in brackets are no label of ours. */
const withoutFrom = (line: string): string => {
  const { from, fromHead } = readLabel(line)
  return from === undefined ? line : line.slice(0, -fromText(originOf({ from, fromHead })).length)
}

/** The user's own words stand in quotation marks. */
export const renderQuote = (fact: TextFact): string => {
  const text = `"${escapeAlone(fact.text)}"`
  return `- ${text}${labelUnless('user', text, fact)}`
}

export function readQuote(line: string): TextFact {
  const fact = readText(line, 'user')
  const quoted = /^"(.*)"$/s.exec(readLabel(line).text)?.[1]
  return quoted === undefined ? fact : { ...fact, text: unescapeAlone(quoted) }
}

export function renderDecision(fact: DecisionFact): string {
  const why = fact.why === null ? '' : ` — why: ${escapeText(fact.why)}`
  const others = fact.alternatives.map(
    (text, i) => ` — ${i === 0 ? 'instead of' : 'or'}: ${escapeText(text)}`,
  )
  const by = `by ${fact.by}${fact.source === fact.by ? '' : `, ${fact.source}`}`
  return `- ${escapeLine(fact.what)}${why}${others.join('')}${label(by, fact)}`
}

export function readDecision(line: string): DecisionFact {
  const read = readLabel(line)
  const [, by, source] = /^by (user|agent|project)(?:, (\w+))?$/.exec(read.label ?? '') ?? []
  const known = by !== undefined && (source === undefined || isSource(source))
  const parts = (known ? read.text : line).split(/ — (why|instead of|or): /)
  const part = (names: string[]): string[] =>
    parts.flatMap((name, i) =>
      i % 2 === 1 && names.includes(name) ? [unescapeText(parts[i + 1] ?? '')] : [],
    )
  const decider = by === 'agent' || by === 'project' ? by : 'user'
  return {
    what: unescapeLine(parts[0] ?? ''),
    why: part(['why'])[0] ?? null,
    alternatives: part(['instead of', 'or']),
    by: decider,
    source: known && source !== undefined ? (source as Source) : decider === 'project' ? 'git' : decider,
    at: null,
    ...(known ? originOf(read) : {}),
  }
}

export function renderQuestion(fact: QuestionFact): string {
  const text = escapeLineAlone(fact.text)
  const plain = fact.kind === 'question' && !/^(?:question|failing|blocker|risk):(?: |$)/.test(text)
  return `- ${plain ? text : `${fact.kind}: ${text}`}${labelUnless(askedBy(fact.kind), text, fact)}`
}

export function readQuestion(line: string): QuestionFact {
  const [, kind, rest] = /^(question|failing|blocker|risk): (.*)$/s.exec(line) ?? []
  const read = (kind as QuestionFact['kind'] | undefined) ?? 'question'
  return { ...readText(rest ?? line, askedBy(read)), kind: read }
}

const askedBy = (kind: QuestionFact['kind']): Source =>
  kind === 'question' || kind === 'blocker' ? 'agent' : 'transcript'

export function renderFile(fact: FileFact): string {
  const words = [fact.reason, ...(fact.mark === undefined ? [] : [MARKS[fact.mark]])]
    .filter(Boolean)
    .join('; ')
  const text = words === '' ? '' : ` — ${escapeText(words)}`
  // Git and the session go without saying.
  const usual = fact.source === 'model' || fact.source === 'agent' ? 'transcript' : fact.source
  return `- ${codeSpan(fact.path)}${text}${labelUnless(usual, text, fact)}`
}

export function readFile(line: string): FileFact | null {
  const span = readCodeSpan(line)
  if (span === null) return null
  const read = readLabel(span.rest)
  const isKnown = read.label !== null && isSource(read.label)
  const all = unescapeText(
    (read.label === null ? span.rest.replace(/ — from \S+$/, '') : read.text).replace(/^ — /, '').trim(),
  )
  const told = Object.entries(MARKS).find(([, words]) => all === words || all.endsWith(`; ${words}`))
  return {
    path: span.code,
    reason: told === undefined ? all : all.slice(0, -told[1].length).replace(/; $/, ''),
    evidence: [],
    source: isKnown ? (read.label as Source) : 'transcript',
    ...(told === undefined ? {} : { mark: told[0] as NonNullable<FileFact['mark']> }),
    ...originOf(read),
  }
}

const MARKS: Readonly<Record<NonNullable<FileFact['mark']>, string>> = {
  planned: 'no such file yet',
  gone: 'no longer here',
  unverified: 'not seen here',
}
/** Kinds by their word; a type check is a check, too. */
const KINDS: ReadonlyMap<string, CommandFact['kind']> = new Map([
  ...(['build', 'test', 'run', 'git', 'deploy', 'install'] as const).map((kind) => [kind, kind] as const),
  ['check', 'lint'],
])

/** One line, or a fenced block below the line when the command itself has several. */
export function renderCommand(fact: CommandFact): string[] {
  const exit = fact.exitCode === null ? '' : ` (exit ${fact.exitCode})`
  const words = [
    ...(fact.kind === 'other' ? [] : [fact.kind === 'lint' ? 'check' : fact.kind]),
    fact.outcome === 'ok' ? 'passed' : fact.outcome === 'failed' ? `failed${exit}` : '',
    ...(fact.stale === true ? [EDITED_SINCE] : []),
    ...(fact.cwd === null ? [] : [`in ${codeSpan(fact.cwd)}`]),
  ]
    .filter((word) => word !== '')
    .join(', ')
  const command = exactLines(fact.command)
  const end = fact.source === 'transcript' ? fromText(fact) : label(fact.source, fact)
  if (!command.includes('\n')) return [`- ${codeSpan(command)}${words === '' ? '' : ` — ${words}`}${end}`]
  return [`- ${words}${end}`, ...fenced(command, 'sh', '  ')]
}

export function readCommand({ text, block }: Pick<ScannedItem, 'text' | 'block'>): CommandFact | null {
  const span = readCodeSpan(text)
  const command = span?.code ?? block
  if (command === null) return null
  const read = readLabel(span === null ? text : span.rest.replace(/^ — /, ''))
  const isKnown = read.label === null || isSource(read.label)
  const [told, folder] = isKnown ? (/^(.*?)(?:(?:^|, )in (`.*))?$/.exec(read.text)?.slice(1) ?? []) : []
  const inside = folder === undefined ? null : readCodeSpan(folder)
  const words = `${told ?? ''}${inside?.rest ?? ''}`.split(', ')
  const has = (word: string): boolean => words.includes(word)
  const failed = words.map((word) => /^failed(?: \(exit (-?\d+)\))?$/.exec(word)).find(Boolean)
  const isOk = has('passed')
  return {
    command,
    outcome: isOk ? 'ok' : failed ? 'failed' : 'unknown',
    exitCode: isOk ? 0 : failed?.[1] === undefined ? null : Number(failed[1]),
    cwd: inside?.code ?? null,
    kind: words.map((word) => KINDS.get(word)).find((kind) => kind !== undefined) ?? 'other',
    runs: 1,
    ...(has(EDITED_SINCE) ? { stale: true } : {}),
    source: read.label !== null && isSource(read.label) ? read.label : 'transcript',
    at: null,
    ...originOf(read),
  }
}
