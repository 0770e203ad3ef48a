import type { ParsedBrief } from '../brief/parse.ts'
import { isMemoryLead, PLACEHOLDER } from '../brief/working-memory.ts'
import { unescapeAlone } from '../text/safe-text.ts'
import type { FrontMatter } from '../types/brief.ts'
import type { CommandFact, DecisionFact, QuestionFact, TextFact } from '../types/evidence.ts'

/** What changed from one brief to another, by meaning. */
export interface BriefChange {
  older: FrontMatter
  newer: FrontMatter
  /** What is gone is told only of constraints and questions, which stand until something settles them. */
  constraints: ListChange<TextFact>
  decisions: ListChange<DecisionFact>
  questions: ListChange<QuestionFact>
  commits: ListChange<TextFact>
  nextSteps: ListChange<TextFact>
  notes: ListChange<MemoryItem>
  /** Commands that both tell, with another outcome. */
  checks: ValueChange<CommandFact>[]
  goal: ValueChange<string> | null
  branch: ValueChange<string | null> | null
  /** The newer one closes the chain, or opens it again. */
  kind: ValueChange<'handoff' | 'done'> | null
  /** How the chain was closed, when the newer brief closes it. */
  closed: string | null
}

/**
 * What `newer` tells otherwise than `older`. A brief lists what matters for its goal, so that what is merely absent from the newer
 * one means nothing; only constraints and questions stand until something settles them. Marks of inheritance count for nothing. A
 * closing record says nothing of the lists: what was open is closed with it.
 */
export function compareBriefs(older: ParsedBrief, newer: ParsedBrief): BriefChange {
  const [from, to] = [older.meta.kind ?? 'handoff', newer.meta.kind ?? 'handoff']
  const isRecord = from === 'done' || to === 'done'
  const ended = endingsIn(newer)
  const list = <T>(
    itemsOf: (brief: ParsedBrief['brief'], parsed: ParsedBrief) => readonly T[],
    textOf: (item: T) => string,
    settledIn?: 'constraints' | 'questions',
  ): ListChange<T> => {
    if (isRecord) return { added: [], gone: [] }
    const { added, gone } = differing(itemsOf(older.brief, older), itemsOf(newer.brief, newer), textOf)
    // What a section had to cut may still stand.
    const isSettled = settledIn !== undefined && newer.brief.cuts[settledIn] === undefined
    // The decision that ended it says so.
    return { added, gone: isSettled ? gone.filter((item) => !ended.has(sameText(textOf(item)))) : [] }
  }
  return {
    older: older.meta,
    newer: newer.meta,
    constraints: list(({ constraints }) => constraints, textOf, 'constraints'),
    decisions: list(
      ({ decisions }) => decisions,
      ({ what }) => what,
    ),
    questions: list(({ questions }) => questions, textOf, 'questions'),
    commits: list(({ progress }) => progress.done, subjectOf),
    nextSteps: list(({ nextSteps }) => nextSteps, textOf),
    notes: list((_, parsed) => memoryItems(parsed), textOf),
    checks: isRecord ? [] : checks(older.brief.commands, newer.brief.commands),
    goal: valueChange(older.meta.goal, newer.meta.goal),
    branch: valueChange(older.meta.branch, newer.meta.branch),
    kind: valueChange(from, to),
    closed: newer.closed,
  }
}

const textOf = ({ text }: { text: string }): string => text

function valueChange<T>(before: T, after: T): ValueChange<T> | null {
  const isSame =
    typeof before === 'string' && typeof after === 'string'
      ? sameText(before) === sameText(after)
      : before === after
  return isSame ? null : { before, after }
}

/** By subject, since a rebase gives a commit another id. */
const subjectOf = ({ text }: TextFact): string => text.replace(/^`[0-9a-f]+` /, '')

function checks(older: readonly CommandFact[], newer: readonly CommandFact[]): ValueChange<CommandFact>[] {
  const keyOf = ({ command, cwd }: CommandFact) => JSON.stringify([sameText(command), cwd])
  const then = new Map(older.map((fact) => [keyOf(fact), fact]))
  return newer.flatMap((after) => {
    const before = then.get(keyOf(after))
    return before === undefined || before.outcome === after.outcome ? [] : [{ before, after }]
  })
}

export interface ValueChange<T> {
  before: T
  after: T
}

export interface ListChange<T> {
  added: T[]
  gone: T[]
}

/** The items that only one of two lists has, by their text; one that stands twice in one list counts twice. */
function differing<T>(older: readonly T[], newer: readonly T[], textOf: (item: T) => string): ListChange<T> {
  const lacking = (from: readonly T[], others: readonly T[]): T[] => {
    const left = new Map<string, number>()
    for (const item of others) {
      const key = sameText(textOf(item))
      left.set(key, (left.get(key) ?? 0) + 1)
    }
    return from.filter((item) => {
      const key = sameText(textOf(item))
      const count = left.get(key) ?? 0
      left.set(key, count - 1)
      return count <= 0
    })
  }
  return { added: lacking(newer, older), gone: lacking(older, newer) }
}

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

export type MemoryKind = 'decided' | 'dropped' | 'open' | 'next' | 'constraint' | 'fails' | 'unproven'

/** The first that fits says what stands under a heading, whatever words an agent chose for it. */
const KINDS: readonly (readonly [MemoryKind, RegExp])[] = [
  ['unproven', /not (?:proven|verified|tested)|unproven|untested/i],
  ['dropped', /tried|attempt|dropped|abandoned|dead end|rejected/i],
  ['decided', /decision|decided|chosen/i],
  ['constraint', /constraint|preference/i],
  ['fails', /fail/i],
  ['next', /next/i],
  ['open', /question|blocker/i],
]

/** What stands under a heading; null for all that only tells where the work is. */
export const kindOf = ({ heading }: MemoryItem): MemoryKind | null =>
  KINDS.find(([, pattern]) => pattern.test(heading))?.[0] ?? null

/** What the working memory says, item by item: slots by their label, markdown by its headings; code is left out. */
export function memoryItems({ sections }: ParsedBrief): MemoryItem[] {
  const items: MemoryItem[] = []
  let heading: string | null = null
  let open: MemoryItem | null = null
  for (const { text: line, fenced } of sections.find(({ id }) => id === 'memory')?.lines ?? []) {
    const name = fenced ? undefined : /^#{1,6}\s+(.*)$/.exec(line)?.[1]
    if (name !== undefined) heading = unescapeAlone(name.replace(/[\s:#]+$/, ''))
    if (fenced || name !== undefined || line.trim() === '' || line === PLACEHOLDER || isMemoryLead(line)) {
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
