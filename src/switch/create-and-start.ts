import type { Invocation, Outcome } from '../command.ts'
import { createBrief } from '../create/create-brief.ts'
import { type CreateRequest, isWriting, openForCreate } from '../create/create-request.ts'
import { notARepository } from '../errors/git.ts'
import { isHandoffError } from '../errors/handoff-error.ts'
import { findDestination } from '../start/destination.ts'
import { notStarted, startOnMade } from '../start/start-successor.ts'

/** Whoever wrote the brief can be started, as far as one can tell before it is written. */
export const ANYBODY = { agent: { id: 'claude-code', label: 'Claude Code' } } as const

/**
 * Makes a brief and starts an agent on it. `onMade` is told of the brief before the agent starts. Throws what `createBrief` throws,
 * `notARepository`, `noDestination`; once the brief stands, what went wrong is the failure of the outcome.
 */
export async function createAndStart(
  invocation: Invocation,
  request: CreateRequest,
  to: string,
  onMade: (made: Outcome) => void,
): Promise<Outcome> {
  const workspace = await openForCreate(invocation, request)
  const { repo } = workspace
  if (repo === null) throw notARepository(workspace.root)
  const here = { ...workspace, repo }
  // Who goes on is settled first, so that a mistyped name costs nothing.
  await findDestination(invocation, here, ANYBODY, to)
  const made = await createBrief(invocation, request, workspace)
  if (!isWriting(request)) return made
  onMade(made)
  const { result } = made
  const headless = request.headless === true
  try {
    const started = await startOnMade(invocation, here, result.id, to, { headless })
    if (started === null) return { result: { ...result, successor: null }, text: null, said: [] }
    const { destination, exit, output } = started
    const successor = { agent: destination.adapter.id, cwd: destination.cwd, exit, output }
    return { result: { ...result, successor }, text: headless ? output : null, said: [] }
  } catch (error) {
    if (!isHandoffError(error)) throw error
    return notStarted({ ...result, successor: null }, error)
  }
}
