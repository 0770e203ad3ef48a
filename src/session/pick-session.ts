import { statSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { callerOf } from '../agents/caller.ts'
import { findSessions, identifyFile } from '../agents/find.ts'
import { adapterById, labelOf } from '../agents/table.ts'
import type { Invocation } from '../command.ts'
import { type HandoffError, orNull } from '../errors/handoff-error.ts'
import {
  callerUnreadable,
  noSession,
  sessionAmbiguous,
  sessionNotUnderstood,
  sessionTie,
  sessionUnknown,
} from '../errors/session.ts'
import { usage } from '../errors/usage.ts'
import type { Adapter } from '../types/agent.ts'
import type { FrontMatter } from '../types/brief.ts'
import type { ReadOptions, SessionCut, SessionRef } from '../types/session.ts'
import { mayAsk } from '../workspace/at-terminal.ts'
import { passedOver, passedOverLines } from './passed-over.ts'
import { askSession, candidatesOf, tellReading } from './session-list.ts'
import type { Here } from './session-place.ts'

export interface PickedSession {
  adapter: Adapter
  ref: SessionRef
  /** It worked in this worktree. */
  isOurs: boolean
  /** It is read up to here alone. */
  cut?: SessionCut
}

export interface SessionChoice {
  /** Absolute tops of this repository's worktrees. */
  roots: readonly string[]
  /** Which sessions are of here; all others have to be named. */
  here: Here
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
/** At a terminal, sessions of two agents that are closer than this are asked about, in ms. */
const DAY_MS = 86_400_000

/**
 * The session that is meant: the one named, else the caller's own, else the newest of this worktree and branch.
 * Null for `--from git`. Throws `noSession`, `sessionTie`, `sessionUnknown`, `usage`, and what reading a file throws.
 */
export async function pickSession(
  invocation: Invocation,
  choice: SessionChoice,
): Promise<PickedSession | null> {
  const { place } = invocation
  const { here } = choice
  const roots = [...choice.roots]
  if (choice.from === 'git') {
    if (choice.session !== undefined)
      throw usage('`--from git` takes no session.', 'Leave out one of the two.')
    return null
  }
  const only = choice.from
  const telling = tellFinding(invocation)
  const picked = (ref: SessionRef): PickedSession => pickedFrom(invocation, ref, here)

  if (choice.session !== undefined) {
    const file = choice.session === '-' ? await choice.saveStdin() : existingFile(place.root, choice.session)
    if (file !== null) return picked((await identifyFile(file)).ref)
    const found = await findSessions(place, roots, only, telling)
    return picked(await pickById(invocation, choice.session, found, here))
  }

  const caller = callerOf(place.env)
  if (caller !== null && (only === undefined || only === caller.agent)) {
    if (caller.path !== null) return picked((await identifyFile(caller.path)).ref)
    const adapter = adapterById(caller.agent)
    if (adapter === null) throw callerUnreadable(caller.agent)
    if (caller.sessionId !== null) {
      // It may have been started outside this repository, so every session of that agent counts.
      const own = (await adapter.find(place, ['/'])).find((ref) => ref.id === caller.sessionId)
      if (own !== undefined) return picked(own)
      // Another session would be somebody else's work under the caller's name.
      throw sessionUnknown(
        caller.sessionId,
        await candidatesOf(place, await adapter.find(place, roots), here),
      )
    }
    const found = await findSessions(place, roots, adapter.id, telling)
    // It may have changed the branch, but it is at work here.
    const [newest, next] = found.filter(here.isHome)
    if (newest === undefined)
      throw await nothingHere(place, `${adapter.label}, which called this command, in this worktree`, {
        found,
        here,
        only: adapter.id,
      })
    // The caller is at work right now, so its session is the newest; the environment does not name it.
    if (next !== undefined && isTie(newest, next))
      invocation.out.warn(
        `${adapter.label} does not say which session calls; ${next.id} ended at nearly the same time`,
      )
    return picked(newest)
  }

  const within = mayAsk(invocation) ? DAY_MS : TIE_MS
  const found = await findSessions(place, roots, only, { within, own: here.own, ...telling })
  const own = await withoutEmpty(invocation, await here.own(found))
  // A person who chooses from the list names it.
  const newest =
    own.length > 0
      ? await newestOf(invocation, own, here, choice.briefs)
      : found.length > 0
        ? await askSession(invocation, found, here)
        : null
  if (newest === null)
    throw await nothingHere(
      place,
      `${only === undefined ? '' : `${labelOf(only)} in `}this worktree and branch`,
      {
        ...{ found, here, only },
      },
    )
  return picked(newest)
}

/** A session with what reads it. */
export const pickedFrom = (
  invocation: Pick<Invocation, 'out'>,
  ref: SessionRef,
  here: Pick<Here, 'isHome'>,
): PickedSession => ({
  adapter: tellReading(invocation, adapterOf(ref)),
  ref,
  isOurs: here.isHome(ref),
})

/** Lines on what was passed over that an error has room for. */
const MOST_PASSED = 5

/** The error that names the sessions of elsewhere, and the newest that are of no worktree here. */
async function nothingHere(
  place: Invocation['place'],
  where: string,
  { found, here, only }: { found: SessionRef[]; here: Here; only: string | undefined },
): Promise<HandoffError> {
  const passed = passedOverLines(await passedOver(place, found, only, { isQuick: true }), place)
  return noSession(
    where,
    await candidatesOf(place, found, here),
    passed.slice(0, MOST_PASSED).map((line) => `  ${line}`),
  )
}

/** Sessions that are looked into at most, and the size in bytes from which one holds work for certain. */
const LOOKED_INTO = 4
const SURELY_WORK = 65_536

/** Without the newest sessions in which no agent said or did anything: they were opened and left. All of them where all are so. */
async function withoutEmpty({ place, out }: Invocation, found: SessionRef[]): Promise<SessionRef[]> {
  const left = [...found]
  const { onMissed } = tellFinding({ out })
  for (let at = 0, looked = 0; at < left.length && found.length > 1 && looked < LOOKED_INTO; looked++) {
    const [ref, first] = [left[at], left[0]]
    // What did not end with the newest one is not taken in its place.
    if (ref === undefined || first === undefined || !isTie(first, ref)) break
    const held = await lookInto(ref, place)
    if (held === 'work') at++
    else left.splice(at, 1)
    if (held === 'unknown') onMissed(sessionNotUnderstood(ref.path))
  }
  return left.length === 0 ? found : left
}

/** What a session holds: an agent's words or deeds, nothing yet, or records of kinds that nobody knows. */
async function lookInto(
  ref: SessionRef,
  place: Invocation['place'],
): Promise<'work' | 'nothing' | 'unknown'> {
  const adapter = adapterOf(ref)
  // To look into one whose agent has to be asked costs seconds.
  if (ref.bytes >= SURELY_WORK || adapter.lastWrite !== undefined) return 'work'
  let isUnknown = false
  const onSkip: ReadOptions['onSkip'] = (reason) => {
    isUnknown ||= reason === 'unknown'
  }
  try {
    for await (const batch of adapter.read(ref, { place, onSkip }))
      if (batch.some(({ kind }) => kind === 'reply' || kind === 'call')) return 'work'
    return isUnknown ? 'unknown' : 'nothing'
  } catch {
    return 'work' // Reading it again tells why it cannot be read.
  }
}

/** Says that the sessions of one agent are missing among the others, and why, or that they take long to find. */
export const tellFinding = ({ out }: Pick<Invocation, 'out'>) => ({
  onMissed: (error: HandoffError): void => out.warn(`${error.message}. ${error.hint}`),
  onSlow: (label: string): void => out.say(`Still looking for the sessions of ${label}; Ctrl-C cancels.`),
})

/** The newest session, or the one a person chooses among those that ended together. Throws `sessionTie`. */
async function newestOf(
  invocation: Invocation,
  found: SessionRef[],
  here: Here,
  briefs: SessionChoice['briefs'],
): Promise<SessionRef | null> {
  const [first, second] = found
  if (first === undefined) return null
  // A person is asked about the agents of a day, not only about what ended together.
  const isNear = (ref: SessionRef): boolean =>
    isTie(first, ref) || (mayAsk(invocation) && ref.agent !== first.agent && isWithin(DAY_MS, first, ref))
  if (second === undefined || !found.slice(1).some(isNear)) return first
  const made = await briefs()
  const near = found.filter((ref) => isNear(ref) && !made.some((brief) => isPast(ref, first, brief)))
  if (near.length === 1) return first
  const chosen = await askSession(invocation, near, here)
  if (chosen === null) {
    const isTold = new Set(near.map(({ agent }) => agent)).size === near.length
    throw sessionTie(await candidatesOf(invocation.place, near, here), isTold)
  }
  return chosen
}

const isWithin = (ms: number, newest: SessionRef, other: SessionRef): boolean =>
  Date.parse(newest.updatedAt) - Date.parse(other.updatedAt) < ms

const isTie = (newest: SessionRef, other: SessionRef): boolean => isWithin(TIE_MS, newest, other)

/** The session was handed over by this brief, and was silent when the next one began: what one switch after another leaves. */
function isPast(ref: SessionRef, next: SessionRef, { agent, createdAt }: FrontMatter): boolean {
  if (agent.id !== ref.agent || agent.session !== ref.id || next.startedAt === null) return false
  const began = Date.parse(next.startedAt)
  return Date.parse(createdAt) < began && Date.parse(ref.updatedAt) < began
}

/**
 * The one session of that id or prefix, or the one a person chooses of those it fits. Two installations may hold the same one: the newest
 * of this worktree is taken, which is said.
 */
async function pickById(
  invocation: Invocation,
  wanted: string,
  found: SessionRef[],
  here: Here,
): Promise<SessionRef> {
  const exact = found.filter((ref) => ref.id === wanted)
  const fitting = exact.length > 0 ? exact : found.filter((ref) => ref.id.startsWith(wanted))
  const only = fitting.find(here.isHome) ?? fitting[0]
  if (only === undefined || wanted === '')
    throw sessionUnknown(wanted, await candidatesOf(invocation.place, found, here))
  if (fitting.some(({ id }) => id !== only.id)) {
    const chosen = await askSession(invocation, fitting, here)
    if (chosen !== null) return chosen
    throw sessionAmbiguous(wanted, await candidatesOf(invocation.place, fitting, here))
  }
  const others = fitting.filter((ref) => ref !== only).map(({ path }) => path)
  if (others.length > 0)
    invocation.out.warn(
      `${fitting.length} sessions have this id. ${only.path} is taken, the newest ${here.isHome(only) ? 'of this worktree' : 'one'}. For another name its file with \`--session\`: ${others.join(', ')}`,
    )
  return only
}

export const adapterOf = ({ agent }: SessionRef): Adapter => {
  const adapter = adapterById(agent)
  if (adapter === null) throw new Error(`no adapter reads ${agent}`)
  return adapter
}

/** A path if it names a file; an id never contains a slash, so a missing path is told as unreadable. */
function existingFile(root: string, value: string): string | null {
  const path = resolve(root, value)
  if (isAbsolute(value) || value.includes('/')) return path
  return orNull(() => statSync(path))?.isFile() === true ? path : null
}
