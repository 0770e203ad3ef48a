import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { callerOf } from '../agents/caller.ts'
import { adapterById } from '../agents/table.ts'
import { notesFrom, notesState, parseSlots } from '../brief/notes.ts'
import { notesContract } from '../brief/template.ts'
import type { Invocation } from '../command.ts'
import { badNotes } from '../errors/usage.ts'
import { notesRequired, notesWanted } from '../errors/writing.ts'
import { branchName, readHead } from '../git/refs.ts'
import type { Scanner } from '../secrets/scanner.ts'
import { readNotesFiles } from '../store/notes.ts'
import { readPrivate, writePrivate } from '../store/private.ts'
import { shellWord } from '../text/shell-word.ts'
import type { Notes } from '../types/brief.ts'
import type { Config } from '../types/config.ts'
import { checkInput } from '../workspace/input-secrets.ts'
import type { Workspace } from '../workspace/workspace.ts'
import type { CreateRequest } from './create-request.ts'

export interface PickedNotes {
  notes: Notes | null
  /** Age of notes shown although they are stale. */
  age: string | null
  /** They were written for this brief and are not kept yet. */
  isNew?: boolean
  /** A brief told them, and they were checked for it. */
  isChecked?: boolean
}

/** How often the notes are looked for while waiting, in ms. */
const POLL = 200

/**
 * The notes of this brief: those handed in, else the newest usable record of the same session and branch.
 * Why a record was not used is warned about. Throws `badNotes`, `secretInInput`, `notesRequired`.
 */
export async function pickNotes(
  invocation: Invocation,
  request: CreateRequest,
  at: { repo: Workspace['repo']; session: string | null; branch: string | null; head: string | null },
  config: Config,
  scanner: Scanner,
): Promise<PickedNotes> {
  const { place, out } = invocation
  const { repo, session, branch, head } = at
  const clean = <T>(notes: T) => checkInput(scanner, 'notes', notes, request.redact === true)
  if (request.notes !== null) {
    const text = await readGiven(invocation, request.notes)
    // Before it is taken apart: a part of a secret is not known for one.
    scanner.collect(text)
    const capture = { capturedAt: place.now().toISOString(), capturedBySessionId: session, branch, head }
    return { notes: notesFrom(await clean(parseSlots(text)), capture), age: null, isNew: true }
  }
  const end = place.now().getTime() + request.waitNotes
  for (;;) {
    const now = place.now().getTime()
    const within = { now, session, branch, maxAge: config.notes.maxAge }
    const found = repo === null ? null : await newestRecord(repo.commonDir, within)
    // Checked when they were taken, but the session may have shown since that a value in them is secret.
    if (found?.usable) return { notes: await clean(found.notes), age: null }
    if (now >= end) {
      const why = found?.reason.replace('notes ignored: ', '') ?? 'none were recorded'
      if (found?.stale && request.includeStaleNotes) {
        out.warn(`stale notes are shown: ${why}`)
        return { notes: await clean(found.stale.notes), age: found.stale.age }
      }
      if (config.notes.require) throw notesRequired(why)
      if (found !== null) out.warn(found.reason)
      return { notes: null, age: null }
    }
    await sleep(POLL, undefined, place.signal === undefined ? {} : { signal: place.signal })
  }
}

/** The newest usable record; else the newest that says something, so that a blank one never shadows it. */
async function newestRecord(commonDir: string, at: Parameters<typeof notesState>[1]) {
  const states = (await readNotesFiles(commonDir)).map(({ value }) => notesState(value, at))
  const told = states.filter((state) => state.usable || state.reason !== 'notes ignored: blank')
  return (
    told.find((state) => state.usable) ??
    told.find((state) => !state.usable && state.stale) ??
    told[0] ??
    null
  )
}

async function readGiven(invocation: Invocation, file: string): Promise<string> {
  if (file === '-') return invocation.readStdin()
  return readFile(resolve(invocation.place.root, file), 'utf8').catch((cause: Error) => {
    throw badNotes(cause.message)
  })
}

/** An agent that was asked and calls again within this time gets its brief, in ms. */
const PATIENCE = 60 * 60_000

/**
 * Asks the agent that calls `create` for the page that only it can write, once per session, branch and hour. A pipeline and a person
 * are not asked; an agent is, even where its shell is a terminal (Gemini CLI, Qwen Code). Throws `notesWanted`, unless its session
 * has notes for this branch, or it was asked before.
 */
export async function wantNotes(
  { place }: Invocation,
  goal: string,
  { repo, loaded }: Workspace,
): Promise<void> {
  const caller = place.env.CI ? null : callerOf(place.env)
  if (caller === null || repo === null) return
  const { agent, sessionId: session } = caller
  const now = place.now().getTime()
  const branch = branchName((await readHead(repo)).ref)
  const { maxAge } = loaded.config.notes
  const known = await readNotesFiles(repo.commonDir)
  if (known.some(({ value }) => notesState(value, { now, session, branch, maxAge }).usable)) return
  const key = createHash('sha256').update([agent, session, branch].join('\0')).digest('hex').slice(0, 16)
  const asked = Number((await readPrivate(repo.commonDir, `wanted/${key}`)) ?? 0)
  if (now - asked < PATIENCE) return
  await writePrivate(repo.commonDir, `wanted/${key}`, String(now), { flush: false })
  throw notesWanted(shellWord(goal), notesContract, adapterById(agent)?.launch?.refusesBackquotes !== true)
}
