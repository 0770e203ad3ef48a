import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { hookLine, mcpServer } from '../hooks/runner.ts'
import type { SetupPlace } from '../types/agent.ts'
import type { Place } from '../types/place.ts'
import type { AgentId } from '../types/session.ts'
import { agentTemplate, packageFolder } from '../workspace/find-program.ts'

/** What an adapter needs to say what it wants where. */
export const setupPlace = (place: Pick<Place, 'home' | 'env'>, root: string, agent: AgentId): SetupPlace => ({
  root,
  home: place.home,
  env: place.env,
  hookCommand: (event) => hookLine(agent, event),
  mcp: mcpServer(agent),
  template: agentTemplate,
})

/**
 * Node and program for a process that outlives this one, absolute. The path by which handoff was called is kept when it leads to
 * this package: pnpm and npm change what lies behind it at an upgrade, and not the name.
 */
export function runnerProgram(argv: readonly string[] = process.argv): { node: string; program: string } {
  const bin = join(packageFolder(), 'bin', 'handoff.cjs')
  const called = argv[1]
  const isOurs = called !== undefined && realOrNull(called) === realOrNull(bin)
  // In a clone of this package npx keeps a link to it, which goes sooner than the clone.
  return { node: process.execPath, program: isOurs && !NPX_CACHE.test(called) ? called : bin }
}

/** The folder that `npx` fetches into; it may be emptied at any time. */
const NPX_CACHE = /[/\\]_npx[/\\]/

function realOrNull(path: string): string | null {
  try {
    return realpathSync(path)
  } catch {
    return null // Called in another way, as by a test.
  }
}
