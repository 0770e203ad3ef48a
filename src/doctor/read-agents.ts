import { existsSync, statSync } from 'node:fs'
import { parse } from 'node:path'
import { adapters } from '../agents/table.ts'
import { isHandoffError } from '../errors/handoff-error.ts'
import type { Repo } from '../git/open-repo.ts'
import { setupPlace } from '../init/init-agents.ts'
import { timeLimit } from '../model/model.ts'
import { runProgram } from '../model/program.ts'
import { successorEnv } from '../start/start-agent.ts'
import type { Adapter, HookTrust } from '../types/agent.ts'
import type { Place } from '../types/place.ts'
import { findProgram } from '../workspace/find-program.ts'
import type { AgentFacts, Facts } from './facts.ts'
import type { SetupHere } from './read-setup.ts'

/** Ms that an agent has to say its version; those written in JavaScript take a second to start. */
const LIMIT = 5000
/** Ms that an agent has to tell its sessions, where it must be asked: OpenCode takes two to start, and more in a large database. */
const SESSIONS_LIMIT = 10_000
/** Asked for its version alone, an agent shall not look for a newer one. */
const QUIET = {
  CI: '1',
  NO_COLOR: '1',
  NO_UPDATE_NOTIFIER: '1',
  DISABLE_AUTOUPDATER: '1',
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  COPILOT_AUTO_UPDATE: 'false',
}

/** Every agent that is more than a format: its program, its sessions here, and what `init` has made of it. */
export async function lookAtAgents(
  place: Place,
  repo: Repo | null,
  roots: readonly string[],
  setup: SetupHere | null,
): Promise<AgentFacts[]> {
  const known = adapters.filter(({ id }) => id !== 'plain')
  return Promise.all(
    known.map(async (adapter) => {
      const own = repo === null ? null : ((await setup?.agents.get(adapter.id)) ?? null)
      const [said, sessions, trust] = await Promise.all([
        askVersion(place, adapter),
        countSessions(place, adapter, repo === null ? null : roots),
        trustOf(place, adapter, repo),
      ])
      const home = adapter.traces?.({ ...place, root: repo?.root ?? place.root }).home ?? []
      return {
        id: adapter.id,
        label: adapter.label,
        ...said,
        hasRun: home.some((path) => existsSync(path)),
        ...sessions,
        setup: own,
        shadow: shadowOf(place, adapter),
        trust,
      }
    }),
  )
}

const shadowOf = (place: Place, adapter: Adapter): string | null =>
  adapter.shadow?.(place)?.replace(place.home, '~') ?? null

/** What a program says of its version, or why it says nothing, in a clause. */
type SaidVersion = { version: string; why: null } | { version: null; why: string }

async function askVersion(
  { home, env, signal }: Place,
  { launch }: Adapter,
): Promise<SaidVersion & { program: string | null }> {
  const program = launch === undefined ? null : await findProgram(launch.program, env.PATH ?? '')
  if (program === null) return { program, version: null, why: 'not on PATH' }
  const marks = adapters.flatMap((adapter) => adapter.marks)
  const own = { ...successorEnv(env, [], marks), HOME: home, ...QUIET }
  const limit = timeLimit(LIMIT, signal)
  const asked = { file: program, args: ['--version'], stdin: '', cwd: outsideFolder(home), env: own }
  try {
    const { exit, stdout, stderr } = await runProgram({ ...asked, signal: limit.signal })
    const version = /\d+\.\d+[\w.+-]*/.exec(`${stdout}\n${stderr}`)?.[0]
    if (exit === 0 && version !== undefined) return { program, version, why: null }
    const why = exit === 0 ? 'it says no version' : `it ended with ${exit ?? 'a signal'}`
    return { program, version: null, why }
  } catch (error) {
    signal?.throwIfAborted()
    const why = limit.isOver() ? `no answer within ${LIMIT / 1000} s` : (error as Error).message
    return { program, version: null, why }
  }
}

async function countSessions(
  place: Place,
  adapter: Adapter,
  roots: readonly string[] | null,
): Promise<Pick<AgentFacts, 'sessions' | 'sessionsProblem'>> {
  if (roots === null) return { sessions: null, sessionsProblem: null }
  const limit = timeLimit(SESSIONS_LIMIT, place.signal)
  try {
    const found = await adapter.find({ ...place, signal: limit.signal }, [...roots])
    return { sessions: found.length, sessionsProblem: null }
  } catch (error) {
    place.signal?.throwIfAborted()
    if (limit.isOver())
      return { sessions: null, sessionsProblem: `No answer within ${SESSIONS_LIMIT / 1000} s.` }
    const { message } = error as Error
    return { sessions: null, sessionsProblem: isHandoffError(error) ? `${message} ${error.hint}` : message }
  }
}

const trustOf = async (place: Place, adapter: Adapter, repo: Repo | null): Promise<HookTrust | null> =>
  repo === null || adapter.trust === undefined
    ? null
    : adapter.trust(setupPlace(place, repo.root, adapter.id))

/**
 * Where a program is asked for its version: at home, or at the root where there is no home. A repository may bring settings that the
 * program obeys at its start, and nothing starts in a folder that does not exist.
 */
export const outsideFolder = (home: string): string => (stateOf(home) === 'there' ? home : parse(home).root)

/** What stands at the path of a folder; one that cannot be looked at is taken for missing. */
export function stateOf(path: string): Facts['home']['is'] {
  try {
    return statSync(path).isDirectory() ? 'there' : 'no folder'
  } catch {
    return 'missing'
  }
}
