import * as z from 'zod/mini'
import { jsonProblem } from '../errors/handoff-error.ts'
import { badNotes } from '../errors/usage.ts'
import { ageText } from '../text/count.ts'
import { clipLine, codeSpan, oneLine } from '../text/safe-text.ts'
import type { NoteSlots, Notes } from '../types/brief.ts'
import { notesContract } from './template.ts'

/** Bytes of the whole input. */
const MAX_INPUT = 64 * 1024

export type Capture = Omit<Notes, 'schemaVersion' | 'page'>

/**
 * What an agent wrote: markdown, which is the page, or a JSON object of slots.
 * Throws `badNotes` with the place and the limit that was broken.
 */
export function parseSlots(text: string): NoteSlots {
  if (Buffer.byteLength(text) > MAX_INPUT) throw badNotes(`larger than ${MAX_INPUT} bytes`)
  const reason = pageProblem(text)
  if (reason !== null) throw badNotes(reason)
  return readSlots(isJson(text) ? json(text) : { other: text })
}

/** As `parseSlots`, from values a command or tool already has. */
export function readSlots(value: unknown): NoteSlots {
  const read = givenNotes.safeParse(value)
  if (!read.success) throw badNotes(problem(read.error.issues[0]))
  return read.data as NoteSlots
}

/** The slots as one page. Throws `badNotes` when none says anything. */
export function notesFrom(slots: NoteSlots, capture: Capture): Notes {
  const page = pageFrom(slots)
  if (page === '') throw badNotes('every slot is empty')
  return { schemaVersion: 1, ...capture, page }
}

/** The slots in the order of the page, and the label of their lines. */
const SLOTS = [
  ['currentLineOfAttack', 'Current line of attack'],
  ['activeHypothesis', 'Active hypothesis'],
  ['decisions', 'Decision'],
  ['progress', 'Progress'],
  ['information', 'Context'],
  ['abandonedApproaches', 'Abandoned'],
  ['blockers', 'Blocker'],
  ['openQuestions', 'Open question'],
  ['nextSteps', 'Next step'],
  ['files', 'File'],
] as const

/** One labelled line for each slot that says something, then what was written as markdown. */
function pageFrom(slots: NoteSlots): string {
  const lines = SLOTS.flatMap(([key, label]) =>
    [slots[key] ?? []]
      .flat()
      .map(slotText)
      .filter((text) => text !== '')
      .map((text) => `- ${label}: ${text}`),
  )
  const other = slots.other?.trim() ? [slots.other] : []
  return [...(lines.length === 0 ? [] : [lines.join('\n')]), ...other].join('\n\n')
}

/** Placeholders say nothing; they are the words of a template that was not filled in. */
const EMPTY = /^(?:n\/?a|none|nothing|null|tbd|todo|-|\.{3}|…)?\.?$/i

function slotText(item: string | NoteSlots['decisions'][number] | NoteSlots['files'][number]): string {
  const said = (text: string | null, lead = ''): string[] => {
    const line = oneLine(text ?? '')
    return EMPTY.test(line) ? [] : [lead + line]
  }
  if (typeof item === 'string') return said(item).join('')
  if ('path' in item)
    return EMPTY.test(item.path.trim()) ? '' : [codeSpan(item.path), ...said(item.reason)].join(' — ')
  const what = said(item.what)
  const others = item.alternatives.flatMap((text) => said(text, 'instead of: '))
  return what.length === 0 ? '' : [...what, ...said(item.why, 'why: '), ...others].join('; ')
}

type NotesState =
  | { usable: true; notes: Notes; ageMs: number }
  | { usable: false; why: string; stale: { notes: Notes; age: string } | null }

/** Where a page is to be used. A side that does not know its session contradicts nobody. */
export interface NotesPlace {
  now: number
  session: string | null
  branch: string | null
  maxAge: number
  /** Absent: whatever the page was written for. */
  goal?: string
  /** The brief has no session at all, so no page of one. */
  isSessionless?: boolean
  /** The session is told up to this time alone. */
  end?: string | null
  /** What was done after the page was written, in a clause; null: nothing. */
  since?: (notes: Notes) => string | null
}

/**
 * May a stored page go into the next brief: schema 1, same session, branch and goal, nothing done since, not older than `maxAge` ms, not
 * ended by `done`, not blank. Otherwise a clause that says why; `stale` has the page when it can be read.
 */
export function notesState(value: unknown, place: NotesPlace): NotesState {
  const no = (why: string): NotesState => ({ usable: false, why, stale: null })
  if (value instanceof Error) return no(`unreadable, ${oneLine(value.message)}`)
  const read = recordedNotes.safeParse(value)
  if (!read.success) return no(`unreadable, ${problem(read.error.issues[0])}`)
  const { capturedAt, capturedBySessionId, branch, head, page, goal, by, endedBy } = read.data
  const taken = Date.parse(capturedAt)
  if (Number.isNaN(taken)) return no('unreadable, capturedAt is no time')
  const notes: Notes = {
    ...{ schemaVersion: 1, capturedBySessionId, branch, head },
    ...(goal === undefined ? {} : { goal }),
    ...(by === undefined ? {} : { by }),
    // As the front matter wants it, whatever form a clock took.
    capturedAt: new Date(taken).toISOString(),
    page,
  }
  if (notes.page.trim() === '') return no('blank')
  const ageMs = Math.max(0, place.now - taken)
  const isOther = capturedBySessionId !== null && place.session !== null
  const since = place.since?.(notes) ?? null
  const why = [
    ...(goal === undefined || place.goal === undefined || isSameGoal(goal, place.goal)
      ? []
      : [`written for "${clipLine(goal, GOAL)}"`]),
    ...(isOther && capturedBySessionId !== place.session ? ['from another session'] : []),
    ...(place.isSessionless && !isByPerson(notes) ? ['of a session, and this brief has none'] : []),
    ...(branch === place.branch ? [] : [`from branch ${oneLine(branch ?? '(detached)')}`]),
    ...(endedBy === undefined ? [] : ['ended by `done`']),
    ...(since === null ? [] : [`since then ${since}`]),
    ...(place.end && taken >= Date.parse(place.end) ? ['written after the turn that is handed over'] : []),
    ...(ageMs > place.maxAge ? [`${ageText(ageMs)} old`] : []),
  ]
  return why.length === 0
    ? { usable: true, notes, ageMs }
    : { usable: false, why: why.join('; '), stale: { notes, age: ageText(ageMs) } }
}

/** Characters of a goal that are shown of it. */
const GOAL = 80

const isSameGoal = (one: string, other: string): boolean => oneLine(one) === oneLine(other)

/** How a person is named as the one who noted something. */
export const personOf = (name: string): string => oneLine(name).slice(0, 200) || 'a person'

export const isByPerson = ({ by }: Pick<Notes, 'by'>): boolean => by !== undefined && 'person' in by

function json(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (cause) {
    throw badNotes(`not JSON: ${oneLine(jsonProblem(cause))}`)
  }
}

function problem(issue: z.core.$ZodIssue | undefined): string {
  const path = issue?.path.map(String).join('.') || 'the notes'
  if (path === 'schemaVersion') return 'this handoff knows schema 1 of notes and no other'
  if (issue?.code === 'too_big' && path === 'other')
    return `the page is longer than ${issue.maximum} characters; 700 words are asked for`
  if (issue?.code === 'too_big') return `${path} is longer than ${issue.maximum}`
  if (issue?.code === 'invalid_type') return `${path} must be ${issue.expected}`
  if (issue?.code === 'unrecognized_keys')
    return `unknown key ${issue.keys.map((key) => oneLine(key)).join(', ')}`
  return `${path} is not valid`
}

/** A refusal is short; a page may begin with an excuse. */
const MOST_REFUSAL = 60
const MOST_COPIED = 4

const isJson = (text: string): boolean => /^\s*\{/.test(text)

/** Why a page of an agent cannot be used, and what is missing; null for one that says something, and for JSON. */
export function pageProblem(page: string): string | null {
  const text = page.trim()
  if (isJson(text)) return null
  if (text === '') return 'the page is empty'
  if (/^(?:```\w*\s*)?<(?:\w+:)?(?:function_calls|tool_call|tool_use|invoke)\b/.test(text))
    return 'the page is a call of a tool'
  if (
    wordsIn(text) < MOST_REFUSAL &&
    /^(?:i['’]m (?:sorry|unable)|sorry\b|i (?:can(?:no|['’])t|won['’]t|am unable))/i.test(text)
  )
    return 'the page refuses to answer; where the work stands is missing'
  const lines = new Set(text.split('\n').map((line) => line.trim()))
  if (GUIDES.filter((line) => lines.has(line)).length >= MOST_COPIED)
    return 'the page repeats the instructions; the headings are empty'
  // A heading says nothing by itself.
  return wordsIn(text.replace(/^#{1,6}[ \t].*$/gm, '').replace(FILLER, '')) > 0
    ? null
    : 'the page names nothing: where the work stands, what was decided and the next step are missing'
}

const wordsIn = (text: string): number =>
  text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}]+/gu)?.length ?? 0

/** Words that name no work. */
const FILLER =
  /\b(?:i|we|it|did|do|done|made|worked|was|were|have|has|on|of|the|an?|and|some|more|much|many|few|all|various|several|other|lots?|stuff|things?|work|changes?|everything|something)\b/gi

/** What stands below the headings of the contract. */
const GUIDES = notesContract.split('\n').filter((line) => line !== '' && !line.startsWith('#'))

/** UTF-16 units of one slot; an agent at 95 % of its context makes short statements, not summaries. */
const MAX_SLOT = 4000
const MAX_ITEM = 2000
/** UTF-16 units of markdown: more than 700 words, the length that is asked for. */
const MAX_TEXT = 16_000
const MAX_ITEMS = 50

const item = () => z.string().check(z.maxLength(MAX_ITEM))
const slot = () => z._default(z.nullable(z.string().check(z.maxLength(MAX_SLOT))), null)
const many = <T extends z.ZodMiniType>(of: T) => z.array(of).check(z.maxLength(MAX_ITEMS))
const list = () => z._default(many(item()), [])

/** What an agent may give: the four slots and the optional lists. Unknown keys are an error, so that none is lost unseen. */
export const givenNotes = z.strictObject({
  schemaVersion: z.optional(z.literal(1)),
  currentLineOfAttack: slot(),
  activeHypothesis: slot(),
  abandonedApproaches: list(),
  openQuestions: list(),
  decisions: z._default(
    many(z.strictObject({ what: item(), why: z._default(z.nullable(item()), null), alternatives: list() })),
    [],
  ),
  blockers: list(),
  nextSteps: list(),
  information: list(),
  files: z._default(many(z.strictObject({ path: item(), reason: z._default(item(), '') })), []),
  progress: z.optional(many(item())),
  other: z._default(
    z.nullable(
      z
        .string()
        .check(
          z.maxLength(MAX_TEXT),
          z.describe('one page of markdown, as `notes` of handoff_create asks for it'),
        ),
    ),
    null,
  ),
})

const text = () => z._default(z.nullable(z.string()), null)

/** What is kept privately: the page, with where and when. */
const recordedNotes = z.strictObject({
  schemaVersion: z.literal(1),
  capturedAt: z.string().check(z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/)),
  capturedBySessionId: text(),
  branch: text(),
  head: text(),
  page: z.string(),
  goal: z.optional(z.string()),
  by: z.optional(
    z.union([
      z.strictObject({ person: z.string() }),
      z.strictObject({ model: z.string() }),
      z.strictObject({ document: z.string() }),
    ]),
  ),
  endedBy: z.optional(z.string()),
})
