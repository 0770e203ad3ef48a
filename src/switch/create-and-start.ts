import { readCurrent } from '../briefs/current.ts'
import type { Invocation } from '../command.ts'
import type { Making } from '../create/create-brief.ts'
import type { CreateOutcome } from '../create/write-brief.ts'
import { notARepository } from '../errors/git.ts'
import { type HandoffError, isHandoffError } from '../errors/handoff-error.ts'
import { type Repo, withoutAbort } from '../git/open-repo.ts'
import { findDestination } from '../start/destination.ts'
import { endOf, notStarted, startSuccessor } from '../start/start-successor.ts'
import type { Workspace } from '../workspace/workspace.ts'

/** A brief that was made, and what became of starting an agent on it. */
export interface StartOutcome {
  /** The object of `--json`: the brief and its successor, or why there is none. */
  object: object
  /** What a headless agent printed. */
  output: string
  /** Why nobody goes on; the brief stands all the same. */
  failure: HandoffError | null
}

/** Whoever wrote the brief can be started, as far as one can tell before it is written. */
const ANYBODY = { agent: { id: 'claude-code', label: 'Claude Code' } } as const

/** Who goes on is settled first, so that a mistyped name costs nothing. Throws `notARepository`, `noDestination`. */
export async function checkDestination(
  invocation: Invocation,
  { workspace }: Making,
  to: string,
): Promise<void> {
  await findDestination(invocation, inRepository(workspace), ANYBODY, to)
}

/** Starts the successor on the brief that was just made. */
export async function startOnMade(
  invocation: Invocation,
  { workspace }: Making,
  { result }: CreateOutcome,
  { to, headless }: { to: string; headless: boolean },
): Promise<StartOutcome> {
  const here = inRepository(workspace)
  // It stands now, and whoever cancels is told so.
  const after = { ...here, repo: withoutAbort(here.repo) }
  const brief = await readCurrent(after.repo)
  try {
    // Parked or not committed: there is no current brief that is this one.
    if (brief === null || brief.id !== result.id || brief.parked) {
      invocation.out.warn('the brief waits for its branch, so nobody was started on it')
      return { object: { ...result, successor: null }, output: '', failure: null }
    }
    const destination = await findDestination(invocation, after, brief.parsed.meta, to)
    const how = { headless, timeout: undefined }
    const successor = await startSuccessor(invocation, after, brief, destination, how)
    const failure = endOf(destination, successor, headless)
    if (failure !== null) throw failure
    const { exit, output } = successor
    const told = { agent: destination.adapter.id, cwd: destination.cwd, exit, output }
    return { object: { ...result, successor: told }, output, failure: null }
  } catch (error) {
    if (!isHandoffError(error)) throw error
    return { object: notStarted({ ...result, successor: null }, error), output: '', failure: error }
  }
}

function inRepository(workspace: Workspace): Workspace & { repo: Repo } {
  const { repo } = workspace
  if (repo === null) throw notARepository(workspace.root)
  return { ...workspace, repo }
}
