import { createHash } from 'node:crypto'
import { callerOf } from '../agents/caller.ts'
import { adapterById } from '../agents/table.ts'
import { notesState } from '../brief/notes.ts'
import { notesContract } from '../brief/template.ts'
import { notesWanted } from '../errors/writing.ts'
import { branchName, readHead } from '../git/refs.ts'
import { shellWord } from '../text/shell-word.ts'
import { readNotesFiles } from '../store/notes.ts'
import { readPrivate, writePrivate } from '../store/private.ts'
import type { Invocation } from '../command.ts'
import type { Workspace } from '../workspace/workspace.ts'

/** An agent that was asked and calls again within this time gets its brief, in ms. */
const PATIENCE = 60 * 60_000

/**
 * Asks the agent that calls `create` for the page that only it can write, once per session, branch and hour. A pipeline and a person
 * at a terminal are not asked. Throws `notesWanted`, unless its session has notes for this branch, or it was asked before.
 */
export async function wantNotes(
  { place, out }: Invocation,
  goal: string,
  { repo, loaded }: Workspace,
): Promise<void> {
  const caller = place.env.CI || out.interactive ? null : callerOf(place.env)
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
