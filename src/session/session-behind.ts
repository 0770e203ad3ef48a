import { existsSync } from 'node:fs'
import { fieldsOf, textOf } from '../agents/fields.ts'
import { identifyFile } from '../agents/find.ts'
import { readEnds } from '../agents/session-files.ts'
import { adapterById } from '../agents/table.ts'
import { headerIn } from '../agents/whole-json.ts'
import type { CurrentBrief } from '../briefs/current.ts'
import type { Invocation } from '../command.ts'
import type { Repo } from '../git/open-repo.ts'
import { mapTexts } from '../secrets/scanner.ts'
import { readSessionPath } from '../store/ledger.ts'
import { saidPath } from '../store/works.ts'
import type { Adapter } from '../types/agent.ts'
import type { SessionRef } from '../types/session.ts'
import { cutSession } from './cut-session.ts'
import type { PickedSession } from './pick-session.ts'
import { tellReading } from './session-list.ts'

/**
 * The session that a brief was made from, where it is on this machine or came from a remote; else null. It may have been started outside this
 * repository, but a stranger must not choose what is opened there. Throws `turnUnclear` where it ends no more where the brief ended.
 */
export async function findSessionBehind(
  invocation: Invocation,
  repo: Repo,
  roots: readonly string[],
  brief: CurrentBrief,
  trusted: boolean,
): Promise<PickedSession | null> {
  const { place, out } = invocation
  const { agent } = brief.parsed.meta
  const adapter = agent.id === 'git' ? null : adapterById(agent.id)
  const near = await findSession(adapter, place, [...roots], agent.session)
  const elsewhere = async () => (trusted ? findSession(adapter, place, ['/'], agent.session) : null)
  const ref = near ?? (await findNamed(repo, brief)) ?? (await elsewhere())
  if (adapter === null) return null
  // With its end alone a brief would lose what came before.
  if (ref === null) return trusted ? findSaid(repo, brief, true) : null
  const picked = { adapter: tellReading({ out }, adapter), ref, isOurs: near !== null }
  return agent.until === undefined ? picked : cutSession(invocation, picked, agent.until)
}

/**
 * The file that was named with `--session` when the brief was made in this clone; null when it was none, is gone, or holds another
 * session now. Throws what reading it throws.
 */
export async function findNamed(
  { commonDir }: Pick<Repo, 'commonDir'>,
  { id, parsed }: CurrentBrief,
): Promise<SessionRef | null> {
  const path = await readSessionPath(commonDir, id)
  if (path === null || !existsSync(path)) return null
  const { ref } = await identifyFile(path)
  const { agent } = parsed.meta
  return ref.agent === agent.id && ref.id === agent.session ? ref : null
}

/**
 * The conversation behind a brief that came from a remote, as a session of its agent, told in paths of this work tree; null without one.
 * `isWhole`: null also for one that was too long to be sent whole.
 */
export async function findSaid(
  { commonDir, root }: Pick<Repo, 'commonDir' | 'root'>,
  { id, parsed }: CurrentBrief,
  isWhole = false,
): Promise<PickedSession | null> {
  const path = saidPath(commonDir, id)
  if (!existsSync(path)) return null
  const { adapter: reader, ref } = await identifyFile(path)
  const { agent } = parsed.meta
  const header = headerIn(readEnds(path)?.head ?? '', 'steps')
  const isCut = header.notes !== undefined
  if (ref.agent !== 'atif' || ref.id !== agent.session || (isWhole && isCut)) return null
  const there = textOf(fieldsOf(fieldsOf(header.agent).extra).root)
  const here = (text: string): string =>
    there === '' ? text : text === there ? root : text.replaceAll(`${there}/`, `${root}/`)
  const read: Adapter['read'] = async function* (_, options) {
    for await (const batch of reader.read(ref, options)) yield mapTexts(batch, here)
  }
  const { launch, ...own } = adapterById(agent.id) ?? reader
  const { fork: _, ...asked } = launch ?? {}
  const adapter = { ...own, read, ...(launch && { launch: asked as typeof launch }) }
  return { adapter, ref: { ...ref, agent: agent.id, cwd: ref.cwd && here(ref.cwd) }, isOurs: false }
}

/** The session of that id among those started below one of `roots`. */
export async function findSession(
  adapter: Adapter | null,
  place: Invocation['place'],
  roots: string[],
  id: string | undefined,
): Promise<SessionRef | null> {
  if (adapter === null || id === undefined) return null
  return (await adapter.find(place, roots)).find((ref) => ref.id === id) ?? null
}
