import type { HookDialect } from '../types.ts'
import { readCall } from './claude-code-hooks.ts'
import { fieldsOf, numberOf } from './fields.ts'

/**
 * The dialect of our own extensions, in agents that load code instead of calling a command: the common fields and the agent's own
 * figure `{tokens, window}` in, `{context, notice}` out.
 */
export const ownHooks: HookDialect = {
  read(payload) {
    const fields = fieldsOf(payload)
    const [tokens, window] = [numberOf(fields.tokens), numberOf(fields.window)]
    return {
      ...readCall(fields),
      fullness: tokens === null || window === null || window <= 0 ? null : { tokens, window },
    }
  },
  answer: (_event, { context, notice }) =>
    context === null && notice === null ? '' : `${JSON.stringify({ context, notice })}\n`,
}
