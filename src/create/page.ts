import { readFile, stat } from 'node:fs/promises'
import { relative, resolve } from 'node:path'
import { callerOf } from '../agents/caller.ts'
import { adapterById } from '../agents/table.ts'
import {
  type Capture,
  type NotesPlace,
  notesFrom,
  notesState,
  parseSlots,
  personOf,
  readSlots,
} from '../brief/notes.ts'
import type { CurrentBrief } from '../briefs/current.ts'
import { refreshLatest } from '../briefs/latest-file.ts'
import type { Invocation } from '../command.ts'
import { isHandoffError } from '../errors/handoff-error.ts'
import { badNotes } from '../errors/usage.ts'
import { notesRequired, notesWanted } from '../errors/writing.ts'
import { withoutAbort } from '../git/open-repo.ts'
import { branchName, readCommit, readHead } from '../git/refs.ts'
import { readConfig } from '../git/settings.ts'
import type { Scanner } from '../secrets/scanner.ts'
import { isUsed, readNotesFiles, readUsed, writeNotesFile } from '../store/notes.ts'
import { readPrivate, writePrivate } from '../store/private.ts'
import { ageText, plural } from '../text/count.ts'
import { oneLine, shellWord } from '../text/safe-text.ts'
import type { Notes } from '../types/brief.ts'
import { checkInput, openScanner } from '../workspace/input-secrets.ts'
import { openWorkspace } from '../workspace/workspace.ts'
import { digestOf } from './compose.ts'
import { isWriting } from './create-request.ts'
import type { Input, PickedNotes } from './gather.ts'

/** Bytes of a document that is looked into. */
const MOST_DOCUMENT = 64 * 1024

/** Working memory as it was handed in. */
export type GivenNotes =
  /** JSON, or the markdown answer to a handoff request. */
  | { read: () => Promise<string> }
  /** By slot; `typed`: as it was typed, before anything was taken apart. */
  | { slots: Record<string, unknown>; typed: readonly string[] }

/** What is said of notes that were kept. */
export const NOTED = 'Noted. It goes into the next brief of this session and branch, once, for an hour.'

/** Keeps working memory for the next brief of this session and branch. Throws `badNotes`, `secretInInput` and what opening throws. */
export async function recordNotes(
  invocation: Invocation,
  given: GivenNotes,
  { redact = false, byAgent = false }: { redact?: boolean; byAgent?: boolean } = {},
) {
  const { place, out } = invocation
  const { repo, loaded } = await openWorkspace(invocation)
  const caller = callerOf(place.env)
  const isPerson = caller === null && !byAgent
  const [{ ref }, commit, { identity }] = await Promise.all([
    readHead(repo),
    readCommit(repo, 'HEAD'),
    readConfig(repo),
  ])
  const capture: Capture = {
    capturedAt: place.now().toISOString(),
    capturedBySessionId: caller?.sessionId ?? null,
    ...{ branch: branchName(ref), head: commit?.oid ?? null },
    ...(isPerson ? { by: { person: personOf(identity.name) } } : {}),
  }
  const scanner = await openScanner(place, repo.root, loaded.config)
  const typed = 'read' in given ? [await given.read()] : given.typed
  // Before it is taken apart: `SESSION_SECRET=…` is no secret any more as a path and a reason.
  for (const text of typed) scanner.collect(text)
  const slots = 'read' in given ? parseSlots(typed.join('')) : readSlots(given.slots)
  const notes = notesFrom(await checkInput(scanner, 'notes', slots, redact), capture)
  const path = await writeNotesFile(repo.commonDir, notes)
  await refreshLatest(invocation, withoutAbort(repo))
  return { ok: true as const, notes, path, warnings: out.warnings }
}

/**
 * The page of this brief: the one handed in, else the newest that fits session, branch and goal, was used by no other brief, and after
 * which nothing was done. Others are offered in a line. Throws `badNotes`, `secretInInput`, `notesRequired`.
 */
export async function pickNotes(invocation: Invocation, input: Input): Promise<PickedNotes> {
  const { out } = invocation
  const { request, config, scanner } = input
  const { repo } = input.workspace
  const isRedacted = request.redact === true
  if (request.notes !== null) {
    const text = await (request.notes === '-'
      ? invocation.readStdin()
      : readFile(resolve(invocation.place.root, request.notes), 'utf8').catch((cause: Error) => {
          throw badNotes(cause.message)
        }))
    // Before it is taken apart: a part of a secret is not known for one.
    scanner.collect(text)
    const capture = captureOf(invocation, input, writerOf(invocation, input, request.notes))
    const notes = notesFrom(await checkInput(scanner, 'notes', parseSlots(text), isRedacted), capture)
    // A refused brief does not lose it.
    if (repo !== null && isWriting(request)) await writeNotesFile(repo.commonDir, notes)
    return { notes, age: null }
  }
  if (repo === null) return { notes: null, age: null }
  const at = placeOf(invocation, input)
  const document = await documentOf(invocation, input)
  const used = await usedBefore(input, at)
  const records = (await readNotesFiles(repo.commonDir)).map(({ value }) => value)
  const found = newestOf(document === null ? records : [document, ...records], at, used)
  if (found?.usable) {
    const { by } = found.notes
    if (by !== undefined && 'document' in by)
      out.say(`Page: ${by.document}, which the session wrote at ${clock(found.notes)}`)
    return {
      notes: found.notes === document ? document : await checkAgain(scanner, found.notes, isRedacted),
      age: null,
    }
  }
  const { value: why } = await scanner.redact(found?.why ?? 'none were recorded')
  if (found?.stale && request.includeStaleNotes) {
    out.warn(`stale notes are shown: ${why}`)
    return {
      notes: await checkAgain(scanner, found.stale.notes, isRedacted),
      age: found.stale.age,
    }
  }
  if (config.notes.require) throw notesRequired(why)
  if (found?.stale)
    out.warn(`page of ${clock(found.stale.notes)} not used: ${why}; \`--include-stale-notes\` uses it`)
  else if (found !== null) out.warn(`notes ignored: ${why}`)
  return { notes: null, age: null }
}

/**
 * The page of a brief that is made anew: its own, or what the same session noted for it since, with the time that it was really taken at;
 * an explicit resume uses it whatever its age. Throws `secretInInput`.
 */
export async function notesOnward(
  invocation: Invocation,
  input: Input,
  { parsed: { meta, brief } }: CurrentBrief,
): Promise<PickedNotes> {
  const { repo } = input.workspace
  const { now, end = null, goal = '' } = placeOf(invocation, input)
  const session = meta.agent.session ?? null
  const at = { now, end, goal, session, branch: meta.branch, maxAge: Number.POSITIVE_INFINITY }
  const records = repo === null ? [] : (await readNotesFiles(repo.commonDir)).map(({ value }) => value)
  const noted = newestOf(records, at, null)
  const own = brief.notes && { ...brief.notes, capturedAt: brief.notes.capturedAt || meta.createdAt }
  // Of the same moment, what was committed counts: somebody may have edited it.
  const isNoted = noted?.usable === true && !(own && own.capturedAt >= noted.notes.capturedAt)
  const notes = isNoted ? noted.notes : own
  if (notes === null) return { notes, age: null }
  const ms = now - Date.parse(notes.capturedAt)
  const age = Number.isNaN(ms) ? null : ageText(Math.max(0, ms))
  if (isNoted) return { notes: await checkAgain(input.scanner, notes, false), age }
  const { value } = await input.scanner.redact(notes)
  return { notes: value, age, isCarried: true, isChecked: brief.notesChecked === true }
}

/**
 * Checked when it was taken, but the session may have shown since that a value in it is secret. The branch is git's, not the writer's: a key
 * in its name is masked.
 */
async function checkAgain(scanner: Scanner, notes: Notes, redact: boolean): Promise<Notes> {
  const { value: branch } = await scanner.redact(notes.branch)
  return checkInput(scanner, 'notes', { ...notes, branch }, redact)
}

/** When, where and for what a page of this brief is written. */
export const captureOf = (
  { place }: Invocation,
  { picked, git, request }: Input,
  by: Notes['by'],
): Capture => ({
  capturedAt: place.now().toISOString(),
  capturedBySessionId: picked?.ref.id ?? null,
  branch: git?.branch ?? null,
  head: git?.head ?? null,
  goal: request.goal,
  ...(by === undefined ? {} : { by }),
})

/** Who wrote the file that is handed in: the session, or the person where no agent calls. */
function writerOf({ place }: Invocation, { work, git, request }: Input, file: string): Notes['by'] {
  if (file !== '-' && work.document()?.path === resolve(place.root, file)) return { document: file }
  if (request.byAgent || callerOf(place.env) !== null) return undefined
  return { person: personOf(git?.identity.name ?? '') }
}

/** Where a page would be used, and what was done after it was written. */
function placeOf({ place }: Invocation, { request, picked, git, config, work }: Input): NotesPlace {
  return {
    now: place.now().getTime(),
    session: picked?.ref.id ?? null,
    end: picked?.cut?.end ?? null,
    branch: git?.branch ?? null,
    maxAge: config.notes.maxAge,
    goal: request.goal,
    isSessionless: picked === null,
    since({ capturedAt, head }) {
      const edits = work.editsAfter(capturedAt)
      const at = git?.commits.findIndex(({ sha }) => sha === head) ?? -1
      // The clock decides where the list does not reach back to the commit that it was written at.
      const commits = (git?.commits ?? []).filter(
        ({ files, at: made }, nth) =>
          files.length > 0 && (at === -1 ? Date.parse(made) > Date.parse(capturedAt) : nth < at),
      )
      const told = [edits && plural(edits, 'edit'), commits.length && plural(commits.length, 'commit')]
      return told.filter(Boolean).join(' and ') || null
    },
  }
}

/** The usable page that was captured last; else the newest that says something, so that a blank one never shadows it. */
function newestOf(values: readonly unknown[], at: NotesPlace, used: Notes | null) {
  const states = values.map((value) => notesState(value, at))
  const usable = states.flatMap((state) => (state.usable ? [state] : []))
  const [newest] = usable.sort((a, b) => a.ageMs - b.ageMs)
  if (newest !== undefined) return newest
  if (used !== null) return { usable: true as const, notes: used, ageMs: 0 }
  const told = states.flatMap((state) => (state.usable || state.why === 'blank' ? [] : [state]))
  return told.find(({ stale }) => stale !== null) ?? told[0] ?? states.find(({ usable: is }) => !is) ?? null
}

/** The page of the current brief, where that is for the same goal and nothing was done since: the same brief is made again. */
async function usedBefore({ current, request, workspace }: Input, at: NotesPlace): Promise<Notes | null> {
  if (workspace.repo === null || current?.parsed.meta.goal !== request.goal) return null
  const value = await readUsed(workspace.repo.commonDir, current.id)
  const state = value === null ? null : notesState(value, { ...at, maxAge: Number.POSITIVE_INFINITY })
  return state?.usable ? state.notes : null
}

/** The handoff document that the session wrote by itself, as a page; null: it wrote none, or it is used, or is no page. */
async function documentOf(invocation: Invocation, input: Input): Promise<Notes | null> {
  const { work, picked, scanner, workspace, hide } = input
  const found = work.document()
  if (found === null || picked === null || workspace.repo === null) return null
  const info = await stat(found.path).catch(() => null)
  if (!info?.isFile() || info.size > MOST_DOCUMENT) return null
  const text = await readFile(found.path, 'utf8').catch(() => null)
  if (text === null || (await isUsed(workspace.repo.commonDir, text))) return null
  const inside = relative(workspace.root, found.path)
  const name = hide(inside.startsWith('..') ? found.path : inside)
  try {
    const { value } = await scanner.redact(parseSlots(text))
    const capture = captureOf(invocation, input, { document: name })
    // By its time alone it is known what was done since.
    return notesFrom(value, { ...capture, capturedAt: found.at, head: null })
  } catch (error) {
    if (!isHandoffError(error)) throw error
    invocation.out.warn(`${name} is not taken as the page: ${error.message}`)
    return null
  }
}

/** The hour on the person's own clock. */
const clock = ({ capturedAt }: Notes): string => new Date(capturedAt).toTimeString().slice(0, 5)

/** An agent that was asked and calls again within this time gets its brief, in ms. */
const PATIENCE = 60 * 60_000

/**
 * Asks the agent that calls `create` for the page that only it can write, once per session, branch, goal, brief and hour. A pipeline and a
 * person are not asked; an agent is, even where its shell is a terminal (Gemini CLI, Qwen Code). Throws `notesWanted`.
 */
export async function wantNotes({ place }: Invocation, input: Input, contract: () => string): Promise<void> {
  const { request, workspace, git, current } = input
  const caller = place.env.CI ? null : callerOf(place.env)
  // It would write what it knows by now.
  const isThen = request.until !== undefined
  const isPlain = request.wantsNotes && request.session === undefined && request.ask !== true && !isThen
  if (!isPlain || !isWriting(request) || caller === null || workspace.repo === null) return
  const { commonDir } = workspace.repo
  const mark = `wanted/${digestOf(caller.agent, caller.sessionId ?? '').slice(0, 16)}`
  const page = digestOf(git?.branch ?? '', oneLine(request.goal), current?.id ?? '')
  const [asked, at] = ((await readPrivate(commonDir, mark)) ?? '').split(' ')
  const now = place.now().getTime()
  if (asked === page && now - Number(at) < PATIENCE) return
  await writePrivate(commonDir, mark, `${page} ${now}`, { flush: false })
  const refuses = adapterById(caller.agent)?.launch?.refusesBackquotes === true
  throw notesWanted(shellWord(request.goal), contract(), !refuses)
}
