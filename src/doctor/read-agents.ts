import { existsSync } from 'node:fs'
import { parse } from 'node:path'
import { adapters } from '../agents/table.ts'
import { isHandoffError } from '../errors/handoff-error.ts'
import type { Repo } from '../git/open-repo.ts'
import { setupPlace } from '../init/init-agents.ts'
import { runProgram } from '../model/program.ts'
import { unattendedEnv } from '../start/agent-env.ts'
import type { Adapter, HookTrust, OnUnread } from '../types/agent.ts'
import type { Place } from '../types/place.ts'
import { findProgram } from '../workspace/find-program.ts'
import { timeLimit } from '../workspace/time-limit.ts'
import type { AgentSetup } from './read-setup.ts'

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

export interface AgentFacts {
  id: string
  label: string
  /** What handoff does for it: finds its sessions, reads them, sets it up, starts it. */
  able: { find: boolean; read: true; setup: boolean; start: boolean }
  /** From what its reader was written. */
  basis: Adapter['basis']
  /** Absolute path of its program; null: not on PATH. */
  program: string | null
  /** What `--version` said; null when it did not, `why` then. */
  version: string | null
  why: string | null
  /** It has left its folder at home. */
  hasRun: boolean
  /** Sessions of this repository; null outside of one, or where they cannot be read, `sessionsProblem` then. */
  sessions: number | null
  sessionsProblem: string | null
  /** What lies where its sessions are and is none of them, and why; also sessions of another machine. */
  leftOut: string[]
  /** Null for one that cannot be set up, or outside of a repository. */
  setup: AgentSetup | null
  /** A skill or command of the person's own that wins over that of `init`, as people write it. */
  shadow: string | null
  /** What it must be told itself before it runs hooks; null where nobody can say. */
  trust: HookTrust | null
}

/** Every agent that is more than a format: its program, its sessions here, and what `init` has made of it. */
export async function lookAtAgents(
  place: Place,
  repo: Repo | null,
  roots: readonly string[],
  setups: ReadonlyMap<string, AgentSetup> | undefined,
): Promise<AgentFacts[]> {
  const root = repo?.root ?? place.root
  return Promise.all(
    adapters
      .filter(({ isNamed }) => isNamed !== true)
      .map(async (adapter) => {
        const [said, sessions, trust] = await Promise.all([
          askVersion(place, adapter),
          countSessions(place, adapter, repo === null ? null : roots),
          repo === null ? null : adapter.trust?.(setupPlace(place, root, adapter.id)),
        ])
        const home = adapter.traces?.({ ...place, root }).home ?? []
        return {
          id: adapter.id,
          label: adapter.label,
          able: ableOf(adapter),
          basis: adapter.basis,
          ...said,
          hasRun: home.some((path) => existsSync(path)),
          ...sessions,
          setup: setups?.get(adapter.id) ?? null,
          shadow: adapter.shadow?.(place)?.replace(place.home, '~') ?? null,
          trust: trust ?? null,
        }
      }),
  )
}

export const ableOf = ({ isNamed, setup, launch }: Adapter): AgentFacts['able'] => ({
  find: isNamed !== true,
  read: true,
  setup: setup !== undefined,
  start: launch !== undefined,
})

async function askVersion(
  { home, env, signal }: Place,
  { launch, program: shown }: Adapter,
): Promise<Pick<AgentFacts, 'program' | 'version' | 'why'>> {
  const name = launch?.program ?? shown
  const program = name === undefined ? null : await findProgram(name, env.PATH ?? '')
  if (program === null) return { program, version: null, why: 'not on PATH' }
  const own = { ...unattendedEnv(env, []).env, HOME: home, ...QUIET }
  const limit = timeLimit(LIMIT, signal)
  const asked = { file: program, args: ['--version'], stdin: '', cwd: OUTSIDE, env: own }
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
): Promise<Pick<AgentFacts, 'sessions' | 'sessionsProblem' | 'leftOut'>> {
  const leftOut: string[] = []
  if (roots === null) return { sessions: null, sessionsProblem: null, leftOut }
  const limit = timeLimit(SESSIONS_LIMIT, place.signal)
  try {
    const onUnread: OnUnread = ({ message }) => void leftOut.push(message)
    const found = await adapter.find({ ...place, signal: limit.signal }, [...roots], onUnread)
    return { sessions: found.length, sessionsProblem: null, leftOut }
  } catch (error) {
    place.signal?.throwIfAborted()
    const { message } = error as Error
    const why = isHandoffError(error) ? `${message} ${error.hint}` : message
    return {
      leftOut,
      sessions: null,
      sessionsProblem: limit.isOver() ? `No answer within ${SESSIONS_LIMIT / 1000} s.` : why,
    }
  }
}

/** Where a program is asked for its version: a repository may bring settings that the program obeys at its start. */
export const OUTSIDE = parse(process.execPath).root
