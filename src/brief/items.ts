import type { DecisionFact, FileFact, QuestionFact, Source, TextFact } from '../types.ts'
import { isBriefId } from './id.ts'
import { evidenceOrder } from './relevance.ts'
import {
  codeSpan,
  escapeAlone,
  escapeLine,
  escapeLineAlone,
  escapeText,
  readCodeSpan,
  unescapeAlone,
  unescapeLine,
  unescapeLineAlone,
  unescapeText,
} from './safe-text.ts'

/**
 * How one fact stands on one line, and how it is read back. Every line ends in a label `[source …]`, so that the label
 * is found from the right and no text can forge it; ` — from <id>` marks what an earlier brief said. A line without a
 * label was written by hand: its source is the user.
 */
export interface ItemLine {
  text: string
  /** The fenced block that belongs to the item. */
  block: string | null
}

const SOURCES: ReadonlySet<string> = new Set(['git', 'transcript', 'agent', 'model', 'user'])
const EVIDENCE: ReadonlySet<string> = new Set(evidenceOrder)

export const isSource = (word: string): word is Source => SOURCES.has(word)
/** Where a fact comes from: an earlier brief, and the first digits of the commit that one was made at. */
export type Origin = { from?: string; fromHead?: string }

/** The label at the end of a line, and where it comes from. */
export const label = (words: string, origin: Origin = {}): string => ` [${words}]${fromText(origin)}`

/** The mark of what an earlier brief said; empty for what none did. */
export const fromText = ({ from, fromHead }: Origin): string =>
  from === undefined ? '' : ` — from ${from}${fromHead === undefined ? '' : `@${fromHead}`}`

interface Labelled extends Origin {
  text: string
  label: string | null
}

/** A line without its label. */
export function readLabel(line: string): Labelled {
  const match = /^(.*?)(?: \[([^[\]]*)\])(?: — from (\S+))?$/.exec(tail(line))
  const [, from, fromHead] = /^([^@]*)(?:@([0-9a-f]{8}))?$/.exec(match?.[3] ?? '') ?? []
  if (match === null || (match[3] !== undefined && !isBriefId(from))) return { text: line, label: null }
  const text = line.slice(0, line.length - tail(line).length) + (match[1] ?? '')
  return { text, label: match[2] ?? '', ...originOf({ from: from || undefined, fromHead }) }
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

// ---------------------------------------------------------------- sentences

export const renderText = (fact: TextFact): string =>
  `- ${escapeLineAlone(fact.text)}${label(fact.source, fact)}`

export function readText(line: string): TextFact {
  const read = readLabel(line)
  const known = read.label !== null && isSource(read.label)
  return {
    text: unescapeLineAlone(known ? read.text : line),
    source: known ? (read.label as Source) : 'user',
    at: null,
    ...(known ? originOf(read) : {}),
  }
}

/** The user's own words stand in quotation marks. */
export const renderQuote = (fact: TextFact): string =>
  `- "${escapeAlone(fact.text)}"${label(fact.source, fact)}`

export function readQuote(line: string): TextFact {
  const read = readLabel(line)
  const quoted = /^"(.*)"$/s.exec(read.text)?.[1]
  if (quoted === undefined || read.label === null || !isSource(read.label)) return readText(line)
  return { text: unescapeAlone(quoted), source: read.label, at: null, ...originOf(read) }
}

// ---------------------------------------------------------------- decisions

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

// ---------------------------------------------------------------- questions

export function renderQuestion(fact: QuestionFact): string {
  const text = escapeLineAlone(fact.text)
  const plain = fact.kind === 'question' && !/^(?:question|failing|blocker|risk):(?: |$)/.test(text)
  return `- ${plain ? text : `${fact.kind}: ${text}`}${label(fact.source, fact)}`
}

export function readQuestion(line: string): QuestionFact {
  const [, kind, rest] = /^(question|failing|blocker|risk): (.*)$/s.exec(line) ?? []
  const fact = readText(rest ?? line)
  return { ...fact, kind: (kind as QuestionFact['kind'] | undefined) ?? 'question' }
}

// ---------------------------------------------------------------- files

/**
 * The kinds of evidence that a label names: the two strongest, or the strongest and `notes`, whose reason is told then.
 * The budget is better spent on one file more.
 */
export const shownEvidence = (evidence: FileFact['evidence']): FileFact['evidence'] =>
  evidence.includes('notes')
    ? [...new Set([...evidence.slice(0, 1), 'notes' as const])]
    : evidence.slice(0, 2)

/** The evidence tells the source, as a rule; only another one is named. */
export function renderFile(fact: FileFact): string {
  const reason = fact.reason === '' ? '' : ` — ${escapeText(fact.reason)}`
  const shown = shownEvidence(fact.evidence)
  const source = shown.length > 0 && fact.source === impliedSource(shown) ? [] : [fact.source]
  const kinds = shown.length > 0 ? [shown.join(', ')] : []
  const mark = fact.mark === undefined ? '' : `${fact.mark}; `
  return `- ${codeSpan(fact.path)}${reason}${label(mark + [...source, ...kinds].join(': '), fact)}`
}

export function readFile(line: string): FileFact | null {
  const span = readCodeSpan(line)
  if (span === null) return null
  const read = readLabel(span.rest)
  const [, mark, words = ''] = /^(?:(planned|gone|unverified); )?(.*)$/.exec(read.label ?? '') ?? []
  const [first = '', second] = words.split(': ')
  const kinds = (isSource(first) ? (second ?? '') : first).split(', ').filter((word) => word !== '')
  const known = read.label !== null && kinds.every((word) => EVIDENCE.has(word))
  const evidence = known ? (kinds as FileFact['evidence']) : ['named' as const]
  return {
    path: span.code,
    reason: unescapeText((known ? read.text : span.rest).replace(/^ — /, '').trim()),
    evidence,
    source: known ? (isSource(first) ? first : impliedSource(evidence)) : 'user',
    ...(known && mark !== undefined ? { mark: mark as NonNullable<FileFact['mark']> } : {}),
    ...(known ? originOf(read) : {}),
  }
}

const SEEN: readonly FileFact['evidence'][number][] = ['edited', 'created', 'read', 'searched', 'command']
const IN_GIT: readonly FileFact['evidence'][number][] = [
  'uncommitted',
  'committed',
  'renamed',
  'deleted',
  'together',
]

function impliedSource(evidence: FileFact['evidence']): Source {
  if (evidence.some((kind) => SEEN.includes(kind))) return 'transcript'
  return evidence.some((kind) => IN_GIT.includes(kind)) ? 'git' : 'user'
}
