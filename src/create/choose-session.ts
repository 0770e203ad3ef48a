import { adapterById } from '../agents/table.ts'
import { type CurrentBrief, readCurrent } from '../briefs/current.ts'
import { readMetas } from '../briefs/read-metas.ts'
import { verdictOnWords } from '../briefs/verdict.ts'
import type { Invocation } from '../command.ts'
import { isHandoffError } from '../errors/handoff-error.ts'
import { readHistory } from '../git/read-history.ts'
import { separateRefsHere } from '../git/separate-branch.ts'
import { givenSession } from '../session/given-session.ts'
import { type PickedSession, pickSession } from '../session/pick-session.ts'
import { findSessionBehind } from '../session/session-behind.ts'
import { age, secondsSince, size } from '../session/session-list.ts'
import { openHere } from '../session/session-place.ts'
import { callerMarks } from '../start/destination.ts'
import { successorEnv } from '../start/start-agent.ts'
import type { FrontMatter } from '../types/brief.ts'
import { maskSecrets } from '../workspace/input-secrets.ts'
import type { Workspace } from '../workspace/workspace.ts'
import type { CreateRequest } from './create-request.ts'
import type { Input } from './gather.ts'

/** Bytes of a session that is read for more than two seconds. */
const LONG_TO_READ = 100 * 1024 * 1024

/**
 * The session, said aloud: which one, how old, how large; and warned about when it is of somewhere else. What `checked`
 * is rejected with comes before everything else.
 */
export async function chooseSession(
  invocation: Invocation,
  request: CreateRequest,
  workspace: Workspace,
  saveStdin: () => Promise<string>,
  checked: Promise<void>,
): Promise<PickedSession | null> {
  const { out } = invocation
  const here = openHere(workspace)
  const picking = pick(invocation, request, workspace, here, saveStdin)
  // Heard below, after the check.
  picking.catch(() => undefined)
  await checked
  const picked = await picking
  if (picked === null) {
    out.say('No session: git facts alone.')
    return null
  }
  const { ref, adapter, isOurs } = picked
  const branch = ref.branch === (await here.branch()) ? undefined : ref.branch
  const told = await maskSecrets({ id: ref.id, branch, where: await here.elsewhere(ref) })
  const facts = [
    `Session: ${adapter.label} ${told.id}`,
    `last event ${age(ageSeconds(invocation, picked))} ago`,
    `${size(ref.bytes)}${ref.bytes > LONG_TO_READ ? ', which takes a while to read' : ''}`,
    ...(told.branch === undefined ? [] : [`recorded on branch ${told.branch}`]),
  ]
  out.say(facts.join(', '))
  // The agent that calls may have changed the branch: it is at work here.
  if (told.where !== null && (request.session !== undefined || !isOurs))
    out.warn(
      `the session is ${told.where}; its paths count where a tool call touched them or they exist here`,
    )
  return picked
}

async function pick(
  invocation: Invocation,
  { events, from, session }: CreateRequest,
  workspace: Workspace,
  here: ReturnType<typeof openHere>,
  saveStdin: () => Promise<string>,
): Promise<PickedSession | null> {
  const { place } = invocation
  if (events !== undefined) return givenSession(events, place)
  const acp = /^acp:(.+)$/s.exec(from ?? '')?.[1]
  if (acp === undefined) {
    const briefs = () => briefsOf(workspace)
    return pickSession(invocation, { roots: workspace.roots, here, from, session, saveStdin, briefs })
  }
  const { own } = workspace.loaded
  // The agent gets what its login needs, as when it is started.
  const pass = adapterById(acp)?.launch?.passEnv ?? []
  const env = successorEnv(place.env, [...pass, ...own.passEnv], callerMarks())
  return (await import('../session/load-acp.ts')).loadAcp(invocation, { own, env }, acp, session)
}

/** The current brief and those in the history of this line of work, wherever they are kept. */
async function briefsOf({ repo }: Workspace): Promise<FrontMatter[]> {
  if (repo === null) return []
  const history = separateRefsHere(repo).then(({ refs }) => readHistory(repo, { also: refs }))
  const [current, entries] = await Promise.all([readCurrent(repo), history])
  const metas = (await readMetas(repo, entries)).map(({ meta }) => meta)
  return current === null ? metas : [current.parsed.meta, ...metas]
}

export const ageSeconds = (invocation: Invocation, { ref }: PickedSession): number =>
  secondsSince(ref.updatedAt, invocation.place)

/** The session behind a brief that is made anew, where it is on this machine. */
export async function sessionBehind(
  invocation: Invocation,
  { repo, roots }: Workspace,
  brief: CurrentBrief,
): Promise<PickedSession | null> {
  if (repo === null) return null
  const { trusted } = await verdictOnWords(repo, brief)
  try {
    return await findSessionBehind(invocation, repo, roots, brief, trusted)
  } catch (error) {
    tellUseless(invocation, brief, error)
    return null
  }
}

/** Errors of a session that is here and of no use. */
const USELESS = new Set(['E_SESSION_UNREADABLE', 'E_SESSION_FORMAT', 'E_OPENCODE', 'E_TOO_SHORT'])

/** Says why the session behind a brief cannot be used. Throws every error that is of something else. */
export function tellUseless({ out }: Invocation, { id }: CurrentBrief, error: unknown): void {
  if (!isHandoffError(error) || !USELESS.has(error.code)) throw error
  out.warn(`the session behind ${id} cannot be used: ${error.message}`)
}

/** Where the second half of a brief that is made anew comes from, and what changed since. */
export function tellSource(invocation: Invocation, input: Input, { id, parsed }: CurrentBrief): void {
  const { out } = invocation
  const { picked, resumed, notes } = input
  if (picked !== null)
    out.say(
      `Session: ${picked.adapter.label} ${picked.ref.id}, last event ${age(ageSeconds(invocation, picked))} ago, ${size(picked.ref.bytes)}`,
    )
  else
    out.say(
      parsed.meta.agent.session === undefined
        ? `${id} has no session. Its items were copied and checked again.`
        : `The session behind ${id} is not on this machine: what the brief says was carried over and looked up again.`,
    )
  if (notes.notes !== null) out.say(`Notes: recorded ${notes.age ?? 'some time'} ago`)
  if (resumed?.drift) out.say(resumed.drift)
  if (resumed?.left) out.warn(resumed.left)
  if (resumed?.isEdited) out.warn(`${id} was edited after it was first committed`)
}
