import type { ChainResult } from '../briefs/results.ts'
import { argvOf, type Flags, SURROUNDINGS } from './argv.ts'
import { call, type Surroundings } from './call.ts'

export interface ChainOptions extends Surroundings {
  /** Of all branches, remotes, worktrees and parked briefs; else of the current branch. */
  all?: boolean
  /** Only the line that leads to the current brief. */
  line?: boolean
  /** Only those about this branch, of this agent, of this persona. */
  branch?: string
  agent?: string
  persona?: string
  /** Only those made since a date (`2026-11-01`, UTC) or a span (`7d`). */
  since?: string
  /** At most so many, newest first. */
  limit?: number
}

const FLAGS: Flags<ChainOptions> = {
  ...SURROUNDINGS,
  all: '--all',
  line: '--chain',
  branch: '--branch',
  agent: '--agent',
  persona: '--persona',
  since: '--since',
  limit: '--limit',
}

/** The briefs that history holds, each once by its id, as `handoff log` lists them. Throws `HandoffError`. */
export async function chain(options: ChainOptions = {}): Promise<ChainResult> {
  return call(['log', ...argvOf('chain', options, FLAGS), '--'], options)
}
