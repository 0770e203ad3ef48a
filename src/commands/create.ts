import { defineCreate, isWriting, readRequest } from '../create/create-request.ts'
import type { CommandModule } from '../command.ts'
import { openAnywhere } from '../workspace/workspace.ts'

export const define = defineCreate

export const run: CommandModule['run'] = async (invocation, args, options) => {
  const asked = readRequest(args, options)
  invocation.place.signal?.throwIfAborted()
  // The large part is loaded while git answers.
  const [workspace, { createBrief }] = await Promise.all([
    openAnywhere(invocation, {
      flags: asked.flags,
      // Standard input may come slowly; git is asked when the session is whole.
      ...(asked.session === '-' ? {} : { reads: { writes: isWriting(asked) } }),
    }),
    import('../create/create-brief.ts'),
  ])
  if (asked.to === null) return createBrief(invocation, asked, workspace)
  const { createAndStart } = await import('../switch/create-and-start.ts')
  return createAndStart(invocation, asked, workspace, asked.to)
}
