import type { z } from 'zod/mini'
import { jsonProblem } from '../errors/handoff-error.ts'
import { badNotes } from '../errors/usage.ts'
import { oneLine } from '../text/safe-text.ts'
import type { Notes } from '../types/brief.ts'
import { given, record } from './notes-schema.ts'
import { isJson, pageProblem } from './page.ts'

/** Bytes of the whole input. */
const MAX_INPUT = 64 * 1024
const CLOCK_SKEW = 5 * 60_000

/** Where and when notes are taken. */
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
  const read = given.safeParse(value)
  if (!read.success) throw badNotes(problem(read.error.issues[0]))
  return tidy({ ...read.data, schemaVersion: 1, ...capture } as Notes)
}

export type NotesState =
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
  const read = record.safeParse(value)
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
  [notes.currentLineOfAttack, notes.activeHypothesis, notes.other].every((text) => text === null) &&
  [
    notes.abandonedApproaches,
    notes.openQuestions,
    notes.decisions,
    notes.blockers,
    notes.nextSteps,
    notes.information,
    notes.files,
    notes.progress ?? [],
  ].every((items) => items.length === 0)

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
    abandonedApproaches: items(notes.abandonedApproaches),
    openQuestions: items(notes.openQuestions),
    decisions: notes.decisions
      .filter(({ what }) => real(what))
      .map(({ what, why, alternatives }) => ({
        what: what.trim(),
        why: slotOf(why),
        alternatives: items(alternatives),
      })),
    blockers: items(notes.blockers),
    nextSteps: items(notes.nextSteps),
    information: items(notes.information),
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
