import { callerOf } from '../agents/caller.ts'
import { type Capture, notesFrom, parseSlots, personOf, readSlots } from '../brief/notes.ts'
import { refreshLatest } from '../briefs/latest-file.ts'
import type { Invocation } from '../command.ts'
import { withoutAbort } from '../git/open-repo.ts'
import { writeNotesFile } from '../store/notes.ts'
import type { Notes } from '../types/brief.ts'
import { checkInput, openScanner } from '../workspace/input-secrets.ts'
import { openWorkspace } from '../workspace/workspace.ts'

/** Working memory as it was handed in. */
export type GivenNotes =
  /** JSON, or the markdown answer to a handoff request. */
  | { read: () => Promise<string> }
  /** By slot; `typed`: as it was typed, before anything was taken apart. */
  | { slots: Record<string, unknown>; typed: readonly string[] }

/** The object of `note --json`. */
export interface NoteResult {
  ok: true
  notes: Notes
  path: string
  warnings: string[]
}

/** What is said of notes that were kept. */
export const NOTED = 'Noted. It goes into the next brief of this session and branch, once, for an hour.'

/** Keeps working memory for the next brief of this session and branch. Throws `badNotes`, `secretInInput` and what opening throws. */
export async function recordNotes(
  invocation: Invocation,
  given: GivenNotes,
  { redact = false, byAgent = false }: { redact?: boolean; byAgent?: boolean } = {},
): Promise<NoteResult> {
  const { place, out } = invocation
  const { repo, loaded } = await openWorkspace(invocation)
  const caller = callerOf(place.env)
  const isPerson = caller === null && !byAgent
  const [branch, head, name] = await Promise.all([
    repo.git(['symbolic-ref', '-q', '--short', 'HEAD'], { answers: [1] }),
    repo.git(['rev-parse', '-q', '--verify', 'HEAD'], { answers: [1] }),
    isPerson ? repo.git(['config', 'user.name'], { answers: [1] }) : '',
  ])
  const capture: Capture = {
    capturedAt: place.now().toISOString(),
    capturedBySessionId: caller?.sessionId ?? null,
    branch: branch.trim() || null,
    head: head.trim() || null,
    ...(isPerson ? { by: { person: personOf(name) } } : {}),
  }
  const scanner = await openScanner(place, repo.root, loaded.config)
  const typed = 'read' in given ? [await given.read()] : given.typed
  // Before it is taken apart: `SESSION_SECRET=…` is no secret any more as a path and a reason.
  for (const text of typed) scanner.collect(text)
  const slots = 'read' in given ? parseSlots(typed.join('')) : readSlots(given.slots)
  const notes = notesFrom(await checkInput(scanner, 'notes', slots, redact), capture)
  const path = await writeNotesFile(repo.commonDir, notes)
  await refreshLatest(invocation, withoutAbort(repo))
  return { ok: true, notes, path, warnings: out.warnings }
}
