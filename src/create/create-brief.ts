import type { Invocation } from '../command.ts'
import { openAnywhere, type Workspace } from '../workspace/workspace.ts'
import { type CreateRequest, isWriting } from './create-request.ts'
import type { CreateOutcome } from './write-brief.ts'

/** A brief that can be made: the repository is open, and nothing was written yet. */
export interface Making {
  workspace: Workspace
  make(): Promise<CreateOutcome>
}

/** Joins session, git and notes into a brief, and writes and commits it as asked. Throws what is wrong with any of them. */
export async function createBrief(invocation: Invocation, request: CreateRequest): Promise<CreateOutcome> {
  const { make } = await openMaking(invocation, request)
  return make()
}

/** Throws what opening and configuration throw. */
export async function openMaking(invocation: Invocation, request: CreateRequest): Promise<Making> {
  invocation.place.signal?.throwIfAborted()
  // The large part is loaded while git answers.
  const [workspace, { makeBrief }] = await Promise.all([
    openAnywhere(invocation, {
      flags: request.flags,
      // Standard input may come slowly; git is asked when the session is whole.
      ...(request.session === '-' ? {} : { reads: { writes: isWriting(request) } }),
    }),
    import('./make-brief.ts'),
  ])
  return { workspace, make: () => makeBrief(invocation, request, workspace) }
}
