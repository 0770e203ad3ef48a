import { notARepository } from '../errors/git.ts'
import { isHandoffError } from '../errors/handoff-error.ts'
import { withoutAbort } from '../git/open-repo.ts'
import { createBrief } from '../create/create-brief.ts'
import { type CreateRequest, isWriting } from '../create/create-request.ts'
import { readCurrent } from '../briefs/current.ts'
import { findDestination } from '../start/destination.ts'
import { endOf, startSuccessor, tellNotStarted } from '../start/start-successor.ts'
import type { ExitCode, Invocation } from '../command.ts'
import type { Workspace } from '../workspace/workspace.ts'

/** Whoever wrote the brief can be started, as far as one can tell before it is written. */
const ANYBODY = { agent: { id: 'claude-code', label: 'Claude Code' } } as const

/**
 * `create --to`: who goes on is settled first, so that a mistyped name costs nothing; then
 * it is made; then the successor starts. When that fails the brief stays, and with `--json` the one object carries both the brief and the error.
 */
export async function createAndStart(
  invocation: Invocation,
  asked: CreateRequest,
  workspace: Workspace,
  to: string,
): Promise<ExitCode> {
  const { repo } = workspace
  if (repo === null) throw notARepository(workspace.root)
  const here = { ...workspace, repo }
  await findDestination(invocation, here, ANYBODY, to)
  if (!isWriting(asked)) return createBrief(invocation, asked, workspace)
  const { out } = invocation
  let created: object = {}
  const held = { ...out, result: (_text: string, object: object) => (created = object) }
  const code = await createBrief(out.json ? { ...invocation, out: held } : invocation, asked, workspace)
  // It stands now, and whoever cancels is told so.
  const after = { ...workspace, repo: withoutAbort(repo) }
  const brief = await readCurrent(after.repo)
  try {
    // Parked or not committed: there is no current brief that is this one.
    const id = 'id' in created ? created.id : brief?.id
    if (brief === null || brief.id !== id || brief.parked) return tell(null)
    const destination = await findDestination(invocation, after, brief.parsed.meta, to)
    const { headless } = asked
    const successor = await startSuccessor(invocation, after, brief, destination, {
      headless,
      timeout: undefined,
    })
    const end = endOf(destination, successor, headless)
    if (end !== null) throw end
    if (headless) out.raw(successor.output)
    return tell({
      agent: destination.adapter.id,
      cwd: destination.cwd,
      exit: successor.exit,
      output: successor.output,
    })
  } catch (error) {
    if (!out.json || !isHandoffError(error)) throw error
    return tellNotStarted(out, { ...created, successor: null }, error)
  }

  function tell(successor: object | null): ExitCode {
    if (successor === null) out.warn('the brief waits for its branch, so nobody was started on it')
    out.object({ ...created, successor })
    return code
  }
}
