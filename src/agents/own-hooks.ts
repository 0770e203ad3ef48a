import type { HookDialect } from '../types/agent.ts'
import { readCall } from './claude-code/hooks.ts'
import { type Fields, fieldsOf, numberOf } from './fields.ts'

/**
 * The dialect of our own extensions, in agents that load code instead of calling a command: the common fields and the agent's own
 * figure `{tokens, window}` in, `{context, notice}` out. `compacts`: the tokens at which the agent compacts.
 */
export const ownHooks = (compacts: (window: number, fields: Fields) => number): HookDialect => ({
  read(payload) {
    const fields = fieldsOf(payload)
    const [tokens, window] = [numberOf(fields.tokens), numberOf(fields.window)]
    if (tokens === null || window === null || window <= 0) return readCall(fields)
    const at = compacts(window, fields)
    return {
      ...readCall(fields),
      fullness: { tokens, window, ...(at > 0 && at < window ? { compactsAt: at } : {}) },
    }
  },
  answer: (_event, { context, notice }) =>
    context === null && notice === null ? '' : `${JSON.stringify({ context, notice })}\n`,
})
