import { briefUnreadable } from '../errors/briefs.ts'
import { unescapeLine, unescapeText } from '../text/safe-text.ts'
import type { Brief, FrontMatter } from '../types/brief.ts'
import type { TextFact } from '../types/evidence.ts'
import { CONFLICT_MARKER, readFrontMatter } from './front-matter.ts'
import {
  GOAL_LEAD,
  isTrailLead,
  NONE_HERE,
  PASSING_LEAD,
  progressLabel,
  type progressLabels,
} from './render.ts'
import {
  readCommand,
  readDecision,
  readFile,
  readQuestion,
  readQuote,
  readText,
  type ScannedSection,
  type SectionId,
  scanBody,
} from './sections.ts'
import { templates } from './template.ts'
import { MEMORY_CUT, readMemory, readMemoryAge, readMemoryChecked } from './working-memory.ts'

/** Bytes of a brief that any parser gets to see. */
const MAX_BRIEF = 64 * 1024

/** The text of a brief as its parts, before its facts are read. */
export interface ScannedBrief {
  meta: FrontMatter
  body: string
  /** 1-based line on which the body starts. */
  bodyLine: number
  sections: ScannedSection[]
  /** The last fenced block of the goal section, and the line of its opening fence. */
  goal: { text: string; line: number } | null
  closed: string | null
}

export interface ParsedBrief extends ScannedBrief {
  /** The facts read back. Times of single items are not in the text and are null. */
  brief: Brief
}

/**
 * Reads a brief back to the value it was rendered from. `where` is named in messages. Throws `briefUnreadable` for a
 * text over 64 KB or without valid front matter, `newerSchema` for a later schema version.
 */
export function parseBrief(text: string, where = 'brief'): ParsedBrief {
  const scanned = scanBrief(text, where)
  return { ...scanned, brief: readBrief(scanned) }
}

/** The parts of a text without its facts. Throws as `parseBrief` does. */
export function scanBrief(text: string, where: string): ScannedBrief {
  if (Buffer.byteLength(text) > MAX_BRIEF) throw briefUnreadable(where, `larger than ${MAX_BRIEF} bytes`)
  const { meta, body, bodyLine } = readFrontMatter(text, where)
  const sections = scanBody(body, bodyLine)
  const block = find(sections, 'goal')?.blocks.at(-1)
  const goal = block === undefined ? null : { text: block.text, line: block.line }
  const closed = meta.kind === 'done' ? (/^Closed: (.*)$/m.exec(body)?.[1] ?? null) : null
  return {
    ...{ meta, body, bodyLine, sections },
    goal,
    closed: closed === null ? null : unescapeText(closed.trim()),
  }
}

/** Lines of the file on which git's conflict markers stand, inside a fenced block too: a merge knows no fences. */
export const conflictMarkers = ({ sections }: Pick<ParsedBrief, 'sections'>): number[] =>
  sections.flatMap(({ lines }) =>
    lines.flatMap(({ line, text }) => (CONFLICT_MARKER.test(text) ? [line] : [])),
  )

export function readBrief({ meta, sections }: ScannedBrief): Brief {
  const lines = (id: SectionId): string[] => find(sections, id)?.items.map((item) => item.text) ?? []
  const memory = find(sections, 'memory')
  const age = memory === undefined ? null : readMemoryAge(memory)
  const preamble = readPreamble(find(sections, 'preamble'))
  return {
    meta,
    status: lines('status'),
    notes: memory === undefined ? null : readMemory(memory, meta.notes?.capturedAt ?? null),
    ...(age === null ? {} : { notesAge: age }),
    ...(memory !== undefined && readMemoryChecked(memory) ? { notesChecked: true } : {}),
    closing: linesOf(find(sections, 'closing')),
    trail: linesOf(find(sections, 'trail')).filter((line) => !isTrailLead(line) && line !== ''),
    information: lines('information').map((line) => readText(line, 'model')),
    constraints: readRules(find(sections, 'constraints')),
    decisions: lines('decisions').map(readDecision),
    progress: readProgress(find(sections, 'progress')),
    files: readFiles(find(sections, 'files')),
    limitation: readLimitation(find(sections, 'files')),
    commands: find(sections, 'commands')?.items.flatMap((item) => readCommand(item) ?? []) ?? [],
    questions: lines('questions').map(readQuestion),
    nextSteps: lines('steps').map((line) => readText(line, 'agent')),
    previous: readPrevious(lines('previous')),
    cuts: readCuts(sections),
    ...(preamble === undefined ? {} : { preamble }),
  }
}

/** The lines of a section as they stand, without blank ones around them and the line that states a cut. */
function linesOf(section: ScannedSection | undefined): string[] {
  const lines = section?.lines.map(({ text }) => text).filter((text) => !CUT.test(text)) ?? []
  const first = lines.findIndex((line) => line.trim() !== '')
  return first === -1 ? [] : lines.slice(first, lines.findLastIndex((line) => line.trim() !== '') + 1)
}

const CUT = /^\((?:\d+ of \d+ listed|shortened)[^()]*\)$/

const find = (sections: ScannedSection[], id: SectionId): ScannedSection | undefined =>
  sections.find((section) => section.id === id)

function readRules(section: ScannedSection | undefined): TextFact[] {
  const lead = section?.lines.find(({ text }) => text === PASSING_LEAD)?.line ?? Number.POSITIVE_INFINITY
  return (section?.items ?? []).map(({ text, line }) => ({
    ...readQuote(text),
    ...(line > lead ? { certainty: 0 } : {}),
  }))
}

const words = (section: ScannedSection): string[] =>
  section.lines.filter((line) => !line.fenced && line.text.trim() !== '').map((line) => line.text)

/** Absent when it is the built-in one, null when there is none. */
function readPreamble(section: ScannedSection | undefined): string | null | undefined {
  const lines = section === undefined ? [] : words(section)
  const first = lines[lines[0]?.startsWith(GOAL_LEAD) ? 1 : 0]
  if (first === undefined || first.startsWith('The facts below were true')) return null
  const text = unescapeLine(first)
  return text === templates.preamble.text.trim() ? undefined : text
}

function readProgress(section: ScannedSection | undefined): Brief['progress'] {
  const progress: Brief['progress'] = { done: [], inProgress: [], pending: [] }
  let group = FIRST_GROUP
  for (const { text, fenced } of section?.lines ?? []) {
    if (fenced) continue
    const found = progressLabel(text)
    if (found !== undefined) group = found
    else if (text.startsWith('- ')) progress[group.list].push(readText(text.slice(2).trimEnd(), group.usual))
  }
  return progress
}

const FIRST_GROUP = { list: 'inProgress', usual: 'git' } as (typeof progressLabels)[number]

function readFiles(section: ScannedSection | undefined): Brief['files'] {
  const files = section?.items.flatMap(({ text }) => readFile(text) ?? []) ?? []
  if (section === undefined || !words(section).includes(NONE_HERE)) return files
  return files.map((file) => ({ ...file, mark: 'unverified' }))
}

function readLimitation(section: ScannedSection | undefined): string | null {
  const line =
    section === undefined ? undefined : words(section).find((text) => text.startsWith('Limitation: '))
  return line === undefined ? null : unescapeText(line.slice('Limitation: '.length))
}

function readPrevious([line = '']: string[]): Brief['previous'] {
  const [, id, createdAt = '', goal = ''] =
    /^\[(\d{8}T\d{6}-[0-9a-f]{8})\]\([^()]*\), (\S+): (.*)$/.exec(line) ?? []
  return id === undefined ? null : { id, createdAt, goal: unescapeText(goal) }
}

function readCuts(sections: ScannedSection[]): Record<string, string> {
  return Object.fromEntries(
    sections.flatMap((section) => {
      // Notes may hold such a line themselves.
      const cut = words(section).findLast((text) =>
        section.id === 'memory' ? text === MEMORY_CUT : CUT.test(text),
      )
      return section.id === null || cut === undefined ? [] : [[section.id, cut]]
    }),
  )
}
