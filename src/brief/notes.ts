import * as z from 'zod/mini'
import { jsonProblem } from '../errors/handoff-error.ts'
import { badNotes } from '../errors/usage.ts'
import { oneLine } from '../text/safe-text.ts'
import type { Notes } from '../types/brief.ts'
import { notesContract } from './template.ts'

/** Bytes of the whole input. */
const MAX_INPUT = 64 * 1024
const CLOCK_SKEW = 5 * 60_000

export type Capture = Pick<Notes, 'capturedAt' | 'capturedBySessionId' | 'branch' | 'head'>

/**
 * Notes from what an agent wrote: a JSON object of the slots, or markdown, which is kept whole. Blank
 * items are left out. Throws `badNotes` with the place and the limit that was broken.
 */
export function parseNotes(text: string, capture: Capture): Notes {
  if (Buffer.byteLength(text) > MAX_INPUT) throw badNotes(`larger than ${MAX_INPUT} bytes`)
  const reason = pageProblem(text)
  if (reason !== null) throw badNotes(reason)
  return noteOf(isJson(text) ? json(text) : { other: text }, capture)
}

/** As `parseNotes`, from values a command or tool already has. */
export function noteOf(value: unknown, capture: Capture): Notes {
  const version = versionOf(value)
  if (version !== undefined && version !== 1)
    throw badNotes(`${schemaOf(version)}; this handoff knows schema 1`)
  const read = givenNotes.safeParse(value)
  if (!read.success) throw badNotes(problem(read.error.issues[0]))
  return tidy({ ...read.data, schemaVersion: 1, ...capture } as Notes)
}

type NotesState =
  | { usable: true; notes: Notes; ageMs: number }
  | { usable: false; reason: string; stale: { notes: Notes; age: string } | null }

/**
 * May a stored record go into the next brief: schema 1, same session and branch, not older than `maxAge` ms,
 * not blank. Otherwise the sentence that says why; `stale` has the notes when only their age or origin is against them.
 * A side that does not know its session contradicts nobody.
 */
export function notesState(
  value: unknown,
  place: { now: number; session: string | null; branch: string | null; maxAge: number },
): NotesState {
  const no = (why: string, notes?: Notes): NotesState => ({
    usable: false,
    reason: `notes ignored: ${why}`,
    stale: notes === undefined ? null : { notes, age: ageText(Math.max(0, ageMs)) },
  })
  let ageMs = 0
  const version = versionOf(value)
  if (version !== 1) return no(version === undefined ? 'unreadable' : schemaOf(version))
  const read = recordedNotes.safeParse(value)
  if (!read.success) return no(`unreadable, ${problem(read.error.issues[0])}`)
  const taken = Date.parse((read.data as Notes).capturedAt)
  if (Number.isNaN(taken)) return no('unreadable, capturedAt is no time')
  // As the front matter wants it, whatever form a clock took.
  const notes = tidy({ ...(read.data as Notes), capturedAt: new Date(taken).toISOString() })
  if (isBlank(notes)) return no('blank')
  ageMs = place.now - Date.parse(notes.capturedAt)
  const { capturedBySessionId: by } = notes
  if (by !== null && place.session !== null && by !== place.session) return no('from another session', notes)
  if (notes.branch !== place.branch) return no(`from branch ${oneLine(notes.branch ?? '(detached)')}`, notes)
  if (ageMs < -CLOCK_SKEW) return no('dated in the future', notes)
  if (ageMs > place.maxAge) return no(`${ageText(ageMs)} old`, notes)
  return { usable: true, notes, ageMs: Math.max(0, ageMs) }
}

/** True when no slot and no list says anything: such a record must never shadow a real one. */
export const isBlank = (notes: Notes): boolean =>
  [...TEXT_LISTS, ...OTHER_SLOTS].every((slot) => !notes[slot]?.length)

/** The slots that are lists of texts, and the others. */
export const TEXT_LISTS = [
  'abandonedApproaches',
  'openQuestions',
  'blockers',
  'nextSteps',
  'information',
] as const
type TextList = (typeof TEXT_LISTS)[number]
const OTHER_SLOTS = [
  'currentLineOfAttack',
  'activeHypothesis',
  'decisions',
  'files',
  'progress',
  'other',
] as const

/** `42 s`, `5 min`, `3 h`, `2 d`, rounded down. */
export function ageText(ms: number): string {
  const [unit, size] = (
    [
      ['d', 86_400_000],
      ['h', 3_600_000],
      ['min', 60_000],
    ] as const
  ).find(([, length]) => ms >= length) ?? ['s', 1000]
  return `${Math.floor(ms / size)} ${unit}`
}

/** Placeholders say nothing; they are the words of a template that was not filled in. */
const EMPTY = /^(?:n\/?a|none|nothing|null|tbd|todo|-|\.{3}|…)?\.?$/i
const real = (text: string): boolean => !EMPTY.test(text.trim())
const slotOf = (text: string | null): string | null => (text !== null && real(text) ? text.trim() : null)

function tidy(notes: Notes): Notes {
  const items = (texts: string[]): string[] => texts.map((text) => text.trim()).filter(real)
  const { progress, ...rest } = notes
  return {
    ...rest,
    currentLineOfAttack: slotOf(notes.currentLineOfAttack),
    activeHypothesis: slotOf(notes.activeHypothesis),
    ...(Object.fromEntries(TEXT_LISTS.map((list) => [list, items(notes[list])])) as Pick<Notes, TextList>),
    decisions: notes.decisions
      .filter(({ what }) => real(what))
      .map(({ what, why, alternatives }) => ({
        what: what.trim(),
        why: slotOf(why),
        alternatives: items(alternatives),
      })),
    files: notes.files.filter(({ path }) => real(path)),
    ...(progress === undefined || items(progress).length === 0 ? {} : { progress: items(progress) }),
    other: notes.other?.trim() ? notes.other : null,
  }
}

function json(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (cause) {
    throw badNotes(`not JSON: ${oneLine(jsonProblem(cause))}`)
  }
}

const versionOf = (value: unknown): unknown =>
  value !== null && typeof value === 'object' && 'schemaVersion' in value ? value.schemaVersion : undefined

/** Whatever stands there, in a word. */
const schemaOf = (version: unknown): string =>
  typeof version === 'number' ? `schema ${version}` : 'a schema that is no number'

function problem(issue: z.core.$ZodIssue | undefined): string {
  const path = issue?.path.map(String).join('.') || 'the notes'
  if (issue?.code === 'too_big' && path === 'other')
    return `the page is longer than ${issue.maximum} characters; 700 words are asked for`
  if (issue?.code === 'too_big') return `${path} is longer than ${issue.maximum}`
  if (issue?.code === 'invalid_type') return `${path} must be ${issue.expected}`
  if (issue?.code === 'unrecognized_keys')
    return `unknown key ${issue.keys.map((key) => oneLine(key)).join(', ')}`
  return `${path} is not valid`
}

/** Words of a page that names nothing, below which it says nothing. */
const LEAST_WORDS = 6
/** A refusal is short; a page may begin with an excuse. */
const MOST_REFUSAL = 60
const MOST_COPIED = 4

const isJson = (text: string): boolean => /^\s*\{/.test(text)

/** Why a page of an agent cannot be used, and what is missing; null for one that says something, and for JSON. */
export function pageProblem(page: string): string | null {
  const text = page.trim()
  if (isJson(text)) return null
  const words = wordsIn(text)
  if (words === 0) return 'the page is empty'
  if (/^(?:```\w*\s*)?<(?:\w+:)?(?:function_calls|tool_call|tool_use|invoke)\b/.test(text))
    return 'the page is a call of a tool'
  if (
    words < MOST_REFUSAL &&
    /^(?:i['’]m (?:sorry|unable)|sorry\b|i (?:can(?:no|['’])t|won['’]t|am unable))/i.test(text)
  )
    return 'the page refuses to answer; where the work stands is missing'
  const lines = new Set(text.split('\n').map((line) => line.trim()))
  const copied = GUIDES.filter((line) => lines.has(line)).length
  if (copied >= MOST_COPIED) return 'the page repeats the instructions; the headings are empty'
  // A heading says nothing by itself.
  const said = text.replace(/^#{1,6}[ \t].*$/gm, '')
  const isShort = said === text ? words < LEAST_WORDS : wordsIn(said.replace(FILLER, '')) === 0
  if (isShort && !/[`\d#]|\w[./_]\w/.test(said))
    return 'the page names nothing: where the work stands, what was decided and the next step are missing'
  return null
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
const list = () => z._default(z.array(item()).check(z.maxLength(MAX_ITEMS)), [])
const slot = () => z._default(z.nullable(z.string().check(z.maxLength(MAX_SLOT))), null)
const many = <T extends z.ZodMiniType>(of: T) => z._default(z.array(of).check(z.maxLength(MAX_ITEMS)), [])

/** What an agent may give: the four slots and the optional lists. Unknown keys are an error, so that none is lost unseen. */
export const givenNotes = z.strictObject({
  schemaVersion: z.optional(z.literal(1)),
  currentLineOfAttack: slot(),
  activeHypothesis: slot(),
  abandonedApproaches: list(),
  openQuestions: list(),
  decisions: many(
    z.strictObject({ what: item(), why: z._default(z.nullable(item()), null), alternatives: list() }),
  ),
  blockers: list(),
  nextSteps: list(),
  information: list(),
  files: many(z.strictObject({ path: item(), reason: z._default(item(), '') })),
  progress: z.optional(z.array(item()).check(z.maxLength(MAX_ITEMS))),
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

/** What is kept privately: the same, with where and when. */
const recordedNotes = z.extend(givenNotes, {
  schemaVersion: z.literal(1),
  capturedAt: z.string().check(z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/)),
  capturedBySessionId: z._default(z.nullable(z.string()), null),
  branch: z._default(z.nullable(z.string()), null),
  head: z._default(z.nullable(z.string()), null),
})
