import { statSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { callerOf } from '../agents/caller.ts'
import { findSessions, identifyFile } from '../agents/find.ts'
import { adapterById, adapters } from '../agents/table.ts'
import {
  type HandoffError,
  noSession,
  type SessionCandidates,
  sessionAmbiguous,
  sessionTie,
  sessionUnknown,
  usage,
} from '../errors.ts'
import type { Adapter, AgentId, FrontMatter, Place, SessionRef } from '../types.ts'
import { mayAsk } from './at-terminal.ts'
import { sessionObject } from './session-object.ts'
import type { Invocation } from './table.ts'

export interface PickedSession {
  adapter: Adapter
  ref: SessionRef
  /** Its directory lies in this repository. */
  isOurs: boolean
}

export interface SessionChoice {
  /** Absolute tops of this repository's worktrees. */
  roots: readonly string[]
  /** `--from`: an agent id, `git`, or undefined. */
  from: string | undefined
  /** `--session`: an id, a prefix, a file, `-`, or undefined. */
  session: string | undefined
  /** Saves standard input to a private file and returns its path. */
  saveStdin: () => Promise<string>
  /** The front matter of every brief on the way here; asked for only where sessions tie. */
  briefs: () => Promise<readonly FrontMatter[]>
}

/** Two sessions whose last events are closer than this are a tie, in ms: the newer one need not be the one that is meant. */
const TIE_MS = 600_000

/**
 * The session that is meant: the one named, else the caller's own, else the newest of this repository.
 * Null for `--from git`. Throws `noSession`, `sessionTie`, `sessionUnknown`, `usage`, and what reading a file throws.
 */
export async function pickSession(
  invocation: Invocation,
  choice: SessionChoice,
): Promise<PickedSession | null> {
  const { place } = invocation
  const roots = [...choice.roots]
  if (choice.from === 'git') {
    if (choice.session !== undefined)
      throw usage('`--from git` takes no session.', 'Leave out one of the two.')
    return null
  }
  const only = choice.from === undefined ? undefined : agentNamed(choice.from)
  const onMissed = missedIn(invocation)
  const pick = (adapter: Adapter, ref: SessionRef): PickedSession => ({
    adapter,
    ref,
    isOurs: ref.cwd !== null && isInside(ref.cwd, roots),
  })

  if (choice.session !== undefined) {
    const file = choice.session === '-' ? await choice.saveStdin() : existingFile(place.root, choice.session)
    if (file !== null) {
      const { adapter, ref } = await identifyFile(file)
      return pick(adapter, ref)
    }
    const ref = await pickById(
      invocation,
      choice.session,
      await findSessions(place, roots, only, { onMissed }),
    )
    return pick(adapterOf(ref), ref)
  }

  const caller = callerOf(place.env)
  if (caller !== null && (only === undefined || only === caller.agent)) {
    if (caller.path !== null) {
      const { adapter, ref } = await identifyFile(caller.path)
      return pick(adapter, ref)
    }
    const adapter = adapterById(caller.agent)
    if (adapter === null) throw noSession(`${caller.agent}, which called this command`)
    if (caller.sessionId !== null) {
      // It may have been started outside this repository, so every session of that agent counts.
      const own = (await adapter.find(place, ['/'])).find((ref) => ref.id === caller.sessionId)
      if (own !== undefined) return pick(adapter, own)
      // Another session would be somebody else's work under the caller's name.
      throw sessionUnknown(caller.sessionId, candidatesOf(place, await adapter.find(place, roots)))
    }
    const [newest, next] = await findSessions(place, roots, adapter.id, { onMissed })
    if (newest === undefined) throw noSession(`${adapter.label}, which called this command`)
    // The caller is at work right now, so its session is the newest; the environment does not name it.
    if (next !== undefined && isTie(newest, next))
      invocation.out.warn(
        `${adapter.label} does not say which session calls; ${next.id} ended at nearly the same time`,
      )
    return pick(adapter, newest)
  }

  const found = await findSessions(place, roots, only, { within: TIE_MS, onMissed })
  const newest = await newestOf(invocation, found, choice.briefs)
  if (newest === null)
    throw noSession(only === undefined ? 'this repository' : `${choice.from} in this repository`)
  return pick(adapterOf(newest), newest)
}

/** Says that the sessions of one agent are missing among the others, and why. */
export const missedIn =
  ({ out }: Pick<Invocation, 'out'>) =>
  (error: HandoffError): void =>
    out.warn(`${error.message}. ${error.hint}`)

/** The newest session, or the one a person chooses among those that ended together. Throws `sessionTie`. */
async function newestOf(
  invocation: Invocation,
  found: SessionRef[],
  briefs: SessionChoice['briefs'],
): Promise<SessionRef | null> {
  const [first, second] = found
  if (first === undefined) return null
  if (second === undefined || !isTie(first, second)) return first
  const made = await briefs()
  const near = found.filter((ref) => isTie(first, ref) && !made.some((brief) => isPast(ref, first, brief)))
  if (near.length === 1) return first
  const chosen = await askWhich(invocation, near)
  if (chosen === null) throw sessionTie(candidatesOf(invocation.place, near))
  return chosen
}

const isTie = (newest: SessionRef, other: SessionRef): boolean =>
  Date.parse(newest.updatedAt) - Date.parse(other.updatedAt) < TIE_MS

/** The session was handed over by this brief, and was silent when the next one began: what one switch after another leaves. */
function isPast(ref: SessionRef, next: SessionRef, { agent, createdAt }: FrontMatter): boolean {
  if (agent.id !== ref.agent || agent.session !== ref.id || next.startedAt === null) return false
  const began = Date.parse(next.startedAt)
  return Date.parse(createdAt) < began && Date.parse(ref.updatedAt) < began
}

/** So many of them are told. */
const TOLD = 10

export function candidatesOf(place: Pick<Place, 'now'>, refs: readonly SessionRef[]): SessionCandidates {
  const told = refs.slice(0, TOLD)
  return { lines: told.map(describe), candidates: told.map((ref) => sessionObject(ref, place)) }
}

/** One line a person can choose by: agent, id, last event, size, title. */
const describe = (ref: SessionRef): string =>
  `  ${ref.id}  ${adapterOf(ref).label}, last event ${ref.updatedAt}, ${size(ref.bytes)}${ref.title ? `, ${ref.title}` : ''}`

/** `812 B`, `53 KB`, `4.2 MB`. */
export function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  if (bytes < 1024 * 1024) return `${Math.round(bytes / 1024)} KB`
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`
}

/** `40 s`, `3 min`, `5 h`, `12 days`. */
export function age(seconds: number): string {
  if (seconds < 90) return `${Math.max(0, Math.round(seconds))} s`
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`
  if (seconds < 172_800) return `${Math.round(seconds / 3600)} h`
  return `${Math.round(seconds / 86_400)} days`
}

async function askWhich(invocation: Invocation, candidates: SessionRef[]): Promise<SessionRef | null> {
  if (!mayAsk(invocation)) return null
  const { askSession } = await import('./ask-session.ts')
  return askSession(invocation, candidates)
}

/** The one session of that id or prefix, or the one a person chooses of those it fits. */
async function pickById(invocation: Invocation, wanted: string, found: SessionRef[]): Promise<SessionRef> {
  const exact = found.find((ref) => ref.id === wanted)
  const fitting = exact === undefined ? found.filter((ref) => ref.id.startsWith(wanted)) : [exact]
  const [only] = fitting
  if (only === undefined || wanted === '') throw sessionUnknown(wanted, candidatesOf(invocation.place, found))
  const chosen = fitting.length === 1 ? only : await askWhich(invocation, fitting)
  if (chosen === null) throw sessionAmbiguous(wanted, candidatesOf(invocation.place, fitting))
  return chosen
}

function agentNamed(name: string): AgentId {
  const adapter = adapters.find((a) => a.id === name)
  if (adapter === undefined)
    throw usage(
      `Unknown agent: ${name}`,
      `\`--from\` takes git or one of ${adapters.map((a) => a.id).join(', ')}.`,
    )
  return adapter.id
}

export function adapterOf(ref: SessionRef): Adapter {
  const adapter = adapterById(ref.agent)
  if (adapter === null)
    throw usage(`No adapter reads ${ref.agent}.`, 'Choose another session with `--session`.')
  return adapter
}

/** A path if it names a file; an id never contains a slash, so a missing path is told as unreadable. */
function existingFile(root: string, value: string): string | null {
  const path = resolve(root, value)
  if (isAbsolute(value) || value.includes('/')) return path
  try {
    return statSync(path).isFile() ? path : null
  } catch {
    return null // An id.
  }
}

const isInside = (path: string, roots: readonly string[]): boolean =>
  roots.some((root) => path === root || path.startsWith(`${root}/`))
