import type { ParsedBrief } from '../brief/parse.ts'
import { isMemoryLead, PLACEHOLDER } from '../brief/working-memory.ts'
import { clipMiddle } from '../text/blocks.ts'
import { clipLine, codeSpan, escapeText, unescapeAlone } from '../text/safe-text.ts'
import type { CommandFact, DecisionFact, QuestionFact, TextFact } from '../types/evidence.ts'

/** One thing that a brief tells otherwise than an older one. Texts are safe in the middle of a line of markdown. */
export interface Change {
  what:
    | 'constraint'
    | 'chain'
    | 'goal'
    | 'decision'
    | 'question'
    | 'commit'
    | 'check'
    | 'next step'
    | 'working memory'
    | 'branch'
  is: 'added' | 'gone' | 'changed'
  text: string
  /** What it was, of what changed. */
  before?: string
}

/**
 * What `newer` tells otherwise than `older`, a dropped constraint first. A brief lists what matters for its goal, so that what
 * is merely absent from the newer one means nothing; only constraints and questions go on until something settles them. A closing
 * record says nothing of the lists: what was open is closed with it.
 */
export function changesBetween(older: ParsedBrief, newer: ParsedBrief): Change[] {
  const [from, to] = [older.meta.kind ?? 'handoff', newer.meta.kind ?? 'handoff']
  const ended = endingsIn(newer)
  const list = <T>(
    what: Change['what'],
    itemsOf: (parsed: ParsedBrief) => readonly T[],
    [keyOf, textOf]: readonly [(item: T) => string, (item: T) => string],
    section?: 'constraints' | 'questions',
  ): Change[] => {
    const [then, now] = [itemsOf(older), itemsOf(newer)]
    // What a section had to cut may still hold, and what the person ended is told by the decision that quotes it.
    const isSettled = section !== undefined && newer.brief.cuts[section] === undefined
    const gone = isSettled
      ? lacking(then, now, keyOf).filter((item) => !ended.has(sameText(keyOf(item))))
      : []
    return [
      ...gone.map((item): Change => ({ what, is: 'gone', text: textOf(item) })),
      ...lacking(now, then, keyOf).map((item): Change => ({ what, is: 'added', text: textOf(item) })),
    ]
  }
  const value = (what: Change['what'], before: string, text: string): Change[] =>
    sameText(before) === sameText(text) ? [] : [{ what, is: 'changed', before, text }]
  const closing: Change[] =
    from === to
      ? []
      : to === 'done'
        ? [{ what: 'chain', is: 'gone', text: say(newer.closed || 'nothing is open') }]
        : [{ what: 'chain', is: 'added', text: 'the older one of the two had closed it' }]
  const goal = value('goal', say(older.meta.goal), say(newer.meta.goal))
  const branch = value('branch', branchName(older), branchName(newer))
  if (from === 'done' || to === 'done') return [...closing, ...goal, ...branch]
  return [
    ...list('constraint', ({ brief }) => brief.constraints, [rawText, quotedText], 'constraints'),
    ...goal,
    ...list('decision', ({ brief }) => brief.decisions, [({ what }) => what, (one) => decisionText(one)]),
    ...list('question', ({ brief }) => brief.questions, [rawText, questionText], 'questions'),
    ...list('commit', ({ brief }) => brief.progress.done, [subjectOf, safeText]),
    ...checks(older.brief.commands, newer.brief.commands),
    ...list('next step', ({ brief }) => brief.nextSteps, [rawText, safeText]),
    ...memory(lacking(memoryItems(newer), memoryItems(older), rawText)),
    ...branch,
  ]
}

const LABELS: Readonly<Record<string, string | undefined>> = {
  'constraint gone': 'CONSTRAINT DROPPED',
  'chain gone': 'Chain closed',
  'chain added': 'Chain opened again',
  'question added': 'Question opened',
  'commit added': 'Committed',
  'working memory added': 'Working memory',
}

/** A change as one line, safe in markdown (behind a label nothing can start a block) and in a terminal. */
export function changeLine({ what, is, text, before }: Change): string {
  const label = LABELS[`${what} ${is}`] ?? `${what.charAt(0).toUpperCase()}${what.slice(1)} ${is}`
  return `${label}: ${before === undefined ? '' : `${before} → `}${text}`
}

/** The items of one list that another lacks, by their text; one that stands twice in one list counts twice. */
function lacking<T>(items: readonly T[], others: readonly T[], keyOf: (item: T) => string): T[] {
  const left = new Map<string, number>()
  for (const item of others) left.set(sameText(keyOf(item)), (left.get(sameText(keyOf(item))) ?? 0) + 1)
  return items.filter((item) => {
    const key = sameText(keyOf(item))
    const count = left.get(key) ?? 0
    left.set(key, count - 1)
    return count <= 0
  })
}

/** Commands that both tell, with another outcome. */
function checks(older: readonly CommandFact[], newer: readonly CommandFact[]): Change[] {
  const keyOf = ({ command, cwd }: CommandFact) => JSON.stringify([sameText(command), cwd])
  const then = new Map(older.map((fact) => [keyOf(fact), fact]))
  return newer.flatMap((after): Change[] => {
    const before = then.get(keyOf(after))
    if (before === undefined || before.outcome === after.outcome) return []
    const name = `${codeSpan(clipLine(after.command, MAX_TEXT))}${after.cwd === null ? '' : ` in ${codeSpan(after.cwd)}`}`
    return [{ what: 'check', is: 'changed', before: `${name}: ${endOf(before)}`, text: endOf(after) }]
  })
}

const endOf = ({ outcome, exitCode }: CommandFact): string =>
  outcome === 'unknown'
    ? 'outcome unknown'
    : `${outcome}${outcome === 'failed' && exitCode !== null ? ` (exit ${exitCode})` : ''}`

/** Each agent writes its notes anew, so that a heading is one line, whatever is new under it. */
function memory(items: readonly MemoryItem[]): Change[] {
  const headings = new Map<string, string[]>()
  for (const { heading, text } of items) headings.set(heading, [...(headings.get(heading) ?? []), text])
  return [...headings].map(([heading, texts]) => ({
    what: 'working memory',
    is: 'added',
    text: `${say(heading)} — ${say(texts.join('; '))}`,
  }))
}

const branchName = ({ meta: { branch } }: ParsedBrief): string =>
  branch === null ? '(detached)' : codeSpan(branch)

/** By subject, since a rebase gives a commit another id. */
const subjectOf = ({ text }: TextFact): string => text.replace(/^`[0-9a-f]+` /, '')

/** Characters of one text in a line; the whole of it stands in the brief. */
export const MAX_TEXT = 240

/** A text in the middle of a line. */
export const say = (text: string): string => escapeText(clipLine(text, MAX_TEXT))
const rawText = ({ text }: { text: string }): string => text
const safeText = ({ text }: { text: string }): string => say(text)
const quotedText = ({ text }: { text: string }): string => `"${say(text)}"`

/** Of a question before its answer, which says what was decided. */
const MAX_QUESTION = 160

/** `person`: who the user was, where that is known. */
export const decisionText = (
  { what, why, alternatives, by }: DecisionFact,
  person: string | undefined = undefined,
): string => {
  const others = alternatives.length === 0 ? '' : `; instead of: ${alternatives.map(say).join(', ')}`
  const [, question = '', answer = what] = /^(.*) → (?:#+ )?(.*)$/s.exec(what) ?? []
  const short = clipMiddle(question, MAX_QUESTION)
  // In quotation marks stand the person's own words, and behind them what the agent had proposed.
  const isQuote = short.startsWith('"')
  const end = isQuote && !short.endsWith('"') ? '"' : ''
  const asked = question === '' ? '' : `${escapeText(short)}${end}${isQuote ? ', of: ' : ' → '}`
  return `${asked}${say(answer)}${why === null ? '' : ` — ${say(why)}`}${others} (by ${person === undefined ? by : say(person)})`
}

export const questionText = ({ kind, text }: QuestionFact): string =>
  kind === 'question' ? say(text) : `${kind}: ${say(text)}`

/** The same text for our purpose: case, white space, quotation marks and a closing mark tell nothing. */
export const sameText = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[“”„«»]/g, '"')
    .replace(/[‘’]/g, "'")
    .replace(/\s+/g, ' ')
    .replace(/(?<![\s.。!])[\s.。!]+$/, '')
    .trim()

const ENDED = /^(.*?) \((answers|takes back): (.*)\)$/s

/** How the person ended a question or a rule of an earlier brief. */
export interface Ending {
  by: 'answers' | 'takes back'
  text: string
  quote: string
}

/** By the text of what was ended, in `sameText`. An agent ends nothing. */
export function endingsIn({ brief }: ParsedBrief): Map<string, Ending> {
  const endings = new Map<string, Ending>()
  for (const { what, by } of brief.decisions) {
    const [, quote, how, text] = (by === 'user' && ENDED.exec(what)) || []
    if (quote !== undefined && text !== undefined)
      endings.set(sameText(text), { by: how as Ending['by'], text, quote })
  }
  return endings
}

/** One thing that the departing agent wrote, and the heading it stands under. */
export interface MemoryItem {
  heading: string
  text: string
}

export type MemoryKind = 'decided' | 'dropped' | 'next' | 'fails' | 'not proven'

/** The headings that a page is asked for, and the labels of the slots that `note` takes. */
const KINDS: Readonly<Record<string, MemoryKind>> = {
  decisions: 'decided',
  decision: 'decided',
  'tried and dropped': 'dropped',
  abandoned: 'dropped',
  'fails now': 'fails',
  'next step': 'next',
  'not proven': 'not proven',
}

/** What stands under a heading; null for all that only tells where the work is. */
export const kindOf = ({ heading }: MemoryItem): MemoryKind | null => KINDS[heading.toLowerCase()] ?? null

/** What the working memory says, item by item: slots by their label, markdown by its headings; code is left out. */
export function memoryItems({ sections }: ParsedBrief): MemoryItem[] {
  const items: MemoryItem[] = []
  let heading: string | null = null
  let open: MemoryItem | null = null
  for (const { text: line, fenced } of sections.find(({ id }) => id === 'memory')?.lines ?? []) {
    const name = fenced ? undefined : /^#{1,6}\s+(.*)$/.exec(line)?.[1]
    if (name !== undefined) heading = unescapeAlone(name.replace(/[\s:#]+$/, ''))
    if (
      fenced ||
      name !== undefined ||
      line.trim() === '' ||
      line.trim() === PLACEHOLDER ||
      isMemoryLead(line)
    ) {
      open = null
      continue
    }
    const [, mark, words = ''] = /^\s*([-*+]\s+|\d{1,3}[.)]\s+)?(.*)$/.exec(line) ?? []
    const [, label, rest = words] = (heading === null && /^([A-Z][a-z ]{2,30}): (.*)$/.exec(words)) || []
    const text = unescapeAlone(rest.trim())
    if (open !== null && mark === undefined) open.text += ` ${text}`
    else {
      open = { heading: heading ?? label ?? 'Notes', text }
      items.push(open)
    }
  }
  return items
}
