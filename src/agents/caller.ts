import type { Caller, Place } from '../types.ts'
import { adapters } from './table.ts'

/**
 * The agent that started this process and what its environment tells about the session, or null when a person did.
 * The agent named may be one that cannot be read.
 */
export function callerOf(env: Place['env']): Caller | null {
  // oh-my-pi 18 sets CLAUDECODE as well, so its own mark decides first.
  if (env.OMPCODE) return { agent: 'oh-my-pi', sessionId: null, path: null }
  for (const adapter of adapters) {
    const caller = adapter.caller(env)
    if (caller) return caller
  }
  return null
}
