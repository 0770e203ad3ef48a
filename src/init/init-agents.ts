import { existsSync } from 'node:fs'
import { adapterById, adapters } from '../agents/table.ts'
import { noSuchSetup, usage } from '../errors/usage.ts'
import { hookLine, mcpServer, notSetUpLine } from '../hooks/runner.ts'
import type { Adapter, SetupPlace } from '../types/agent.ts'
import type { Home } from '../types/config.ts'
import type { AgentId } from '../types/session.ts'
import { agentTemplate, findProgram } from '../workspace/find-program.ts'
import { nearest } from '../workspace/nearest.ts'

/** An agent that can be set up, and what shows that it is used here. */
export interface FoundAgent {
  adapter: Adapter & { setup: NonNullable<Adapter['setup']> }
  /** Its program is on PATH. */
  isInstalled: boolean
  /** It has left its folder at home. */
  hasRun: boolean
  /** It is used here, as far as can be seen. */
  isFound: boolean
}

/** Every agent that can be set up, in the order of the table. */
export async function lookForAgents(place: Home, root: string): Promise<FoundAgent[]> {
  const able = adapters.flatMap((adapter) =>
    adapter.setup === undefined ? [] : [{ ...adapter, setup: adapter.setup }],
  )
  return Promise.all(
    able.map(async (adapter) => {
      const traces = adapter.traces?.({ root, ...place }) ?? { project: [], home: [] }
      const program = adapter.launch?.program
      const isInstalled = program !== undefined && (await isOnPath(program, place.env.PATH ?? ''))
      const hasRun = traces.home.some((path) => existsSync(path))
      const isFound = isInstalled || hasRun || traces.project.some((path) => existsSync(path))
      return { adapter, isInstalled, hasRun, isFound }
    }),
  )
}

/**
 * Those named with `--agent`, else those that an earlier run set up, `before` by id, else those found here. Throws `usage` for a
 * name that is no agent.
 */
export function pickAgents(
  found: readonly FoundAgent[],
  asked: string | undefined,
  before: ReadonlySet<string> = new Set(),
): FoundAgent[] {
  if (asked !== undefined) return named(asked, found)
  const kept = found.filter(({ adapter }) => before.has(adapter.id))
  return kept.length > 0 ? kept : found.filter(({ isFound }) => isFound)
}

function named(list: string, found: readonly FoundAgent[]): FoundAgent[] {
  const names = list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  if (names.includes('all')) return [...found]
  const ids = found.map(({ adapter }) => adapter.id)
  const strange = names.find((name) => !ids.some((id) => id === name))
  if (strange !== undefined) throw noSuchSetup(strange, ids, nearest(strange, [...ids, 'all']))
  if (names.length === 0) throw usage('--agent names nobody.', `Choose from ${ids.join(', ')}, or \`all\`.`)
  return found.filter(({ adapter }) => names.includes(adapter.id))
}

export const isOnPath = async (program: string, path: string): Promise<boolean> =>
  (await findProgram(program, path)) !== null

/** What an adapter needs to say what it wants where. */
export const setupPlace = (place: Home, root: string, agent: AgentId): SetupPlace => ({
  root,
  home: place.home,
  env: place.env,
  hookCommand: (event) => hookLine(agent, event),
  ...notSetUp(agent),
  mcp: mcpServer(agent),
  template: agentTemplate,
})

/** The line by which an agent shows the person at its start that the clone is not set up, if it can. */
function notSetUp(agent: AgentId): Pick<SetupPlace, 'notSetUp'> {
  const hooks = adapterById(agent)?.hooks
  if (hooks === undefined || hooks.isHeard?.('session-start', hooks.read(null)) === false) return {}
  const answer = hooks.answer('session-start', { context: null, notice: 'TEXT' })
  return answer === '' ? {} : { notSetUp: notSetUpLine(agent, answer) }
}
