import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atif } from '../agents/atif/index.ts'
import { eventsOf } from '../agents/atif/read.ts'
import { fieldsOf, timeOf } from '../agents/fields.ts'
import { isWithin } from '../agents/session-files.ts'
import { adapterById } from '../agents/table.ts'
import { readCurrent } from '../briefs/current.ts'
import { readMetas } from '../briefs/read-metas.ts'
import type { Invocation } from '../command.ts'
import { nothingToHandOff } from '../errors/session.ts'
import { readHistory } from '../git/read-history.ts'
import { separateRefsHere } from '../git/separate-branch.ts'
import { unattendedEnv } from '../start/agent-env.ts'
import { bytesText } from '../text/count.ts'
import type { FrontMatter } from '../types/brief.ts'
import type { Place } from '../types/config.ts'
import type { AtifStep, SessionRef } from '../types/session.ts'
import { maskSecrets } from '../workspace/input-secrets.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { type PickedSession, pickedFrom, pickSession } from './pick-session.ts'
import { age, secondsSince } from './session-list.ts'
import { openHere } from './session-place.ts'

/** What was asked for, as far as it says which session. */
export interface Wanted {
  /** A conversation in memory, instead of a session. */
  events?: readonly AtifStep[]
  /** A session that the person has chosen from a list already. */
  chosen?: SessionRef
  /** An agent id, `acp:<name>` or `git`. */
  from?: string | undefined
  /** An id, a prefix, a file or `-`. */
  session?: string | undefined
  /** The session as it stood then: a turn, a time or words of a request; true: asked for. */
  until?: string | true | undefined
}

/** Bytes of a session that is read for more than two seconds. */
const LONG_TO_READ = 100 * 1024 * 1024

/**
 * The session, said aloud: which one, how old, how large; and warned about when it is of somewhere else. What `checked`
 * is rejected with comes before everything else.
 */
export async function chooseSession(
  invocation: Invocation,
  wanted: Wanted,
  workspace: Workspace,
  saveStdin: () => Promise<string>,
  checked: Promise<void>,
): Promise<PickedSession | null> {
  const { out } = invocation
  const here = openHere(workspace)
  const picking = pick(invocation, wanted, workspace, here, saveStdin)
  // Heard below, after the check.
  picking.catch(() => undefined)
  await checked
  const picked = await picking
  if (picked === null) {
    out.say('No session: git facts alone.')
    return null
  }
  const { ref, isOurs } = picked
  const branch = ref.branch === (await here.branch()) ? undefined : ref.branch
  const told = await maskSecrets({ id: ref.id, branch, where: await here.elsewhere(ref) })
  const facts = [
    sessionLine(invocation, picked, told.id),
    ...(ref.bytes > LONG_TO_READ ? ['which takes a while to read'] : []),
    ...(told.branch === undefined ? [] : [`recorded on branch ${told.branch}`]),
  ]
  out.say(facts.join(', '))
  if (picked.adapter.isNamed && isWithin(ref.path, workspace.roots))
    out.warn(
      'the transcript is a file of this repository, and whoever made its branch may have written it: check what it quotes',
    )
  // The agent that calls may have changed the branch: it is at work here.
  if (told.where !== null && (wanted.session !== undefined || !isOurs))
    out.warn(
      `the session is ${told.where}; its paths count where a tool call touched them or they exist here`,
    )
  return picked
}

async function pick(
  invocation: Invocation,
  { events, chosen, from, session }: Wanted,
  workspace: Workspace,
  here: ReturnType<typeof openHere>,
  saveStdin: () => Promise<string>,
): Promise<PickedSession | null> {
  const { place } = invocation
  if (events !== undefined) return givenSession(events, place)
  if (chosen !== undefined) return pickedFrom(invocation, chosen, here)
  const acp = /^acp:(.+)$/s.exec(from ?? '')?.[1]
  if (acp === undefined) {
    const briefs = () => briefsOf(workspace)
    return pickSession(invocation, { roots: workspace.roots, here, from, session, saveStdin, briefs })
  }
  const { own } = workspace.loaded
  // The agent gets what its login needs, as when it is started.
  const pass = adapterById(acp)?.launch?.passEnv ?? []
  const { env } = unattendedEnv(place.env, [...pass, ...own.passEnv])
  return (await import('./load-acp.ts')).loadAcp(invocation, { own, env }, acp, session)
}

/** The current brief and those in the history of this line of work, wherever they are kept. */
async function briefsOf({ repo }: Workspace): Promise<FrontMatter[]> {
  if (repo === null) return []
  const history = separateRefsHere(repo).then(({ refs }) => readHistory(repo, { also: refs }))
  const [current, entries] = await Promise.all([readCurrent(repo), history])
  const metas = (await readMetas(repo, entries)).map(({ meta }) => meta)
  return current === null ? metas : [current.parsed.meta, ...metas]
}

/** Which session is read, how old and how large it is. */
export const sessionLine = (invocation: Invocation, picked: PickedSession, id = picked.ref.id): string =>
  `Session: ${picked.adapter.label} ${id}, last event ${age(ageSeconds(invocation, picked))} ago, ${bytesText(picked.ref.bytes)}`

export const ageSeconds = (invocation: Invocation, { ref }: PickedSession): number =>
  secondsSince(ref.updatedAt, invocation.place)

/** A conversation that the caller holds in memory; no file of it is read or written. */
export function givenSession(steps: readonly AtifStep[], { root: cwd, now }: Place): PickedSession {
  const text = JSON.stringify({ schema_version: 'ATIF-v1.7', steps })
  const times = steps.map((step) => timeOf(fieldsOf(step).timestamp)).filter((time) => time !== null)
  const time = now().toISOString()
  const id = `events-${time.replace(/[:.]/g, '-')}`
  return {
    adapter: {
      ...atif,
      text: async () => text,
      async *read({ path }, options) {
        options.onRaw?.(Buffer.from(text), { path, offset: 0 })
        yield eventsOf(steps.map(fieldsOf), { at: null, sub: null, cwd }, options)
      },
    },
    ref: {
      ...{ agent: atif.id, id, path: id, cwd, bytes: Buffer.byteLength(text) },
      ...{ startedAt: times[0] ?? null, updatedAt: times.at(-1) ?? time },
    },
    isOurs: true,
  }
}

/** A conversation from standard input as a file, since readers take files. */
export interface StdinSession {
  save(): Promise<string>
  /** Takes the file away: a raw conversation may hold secrets and is kept nowhere. */
  remove(): Promise<void>
}

export function stdinSession(invocation: Invocation): StdinSession {
  let folder: string | null = null
  return {
    async save() {
      const text = await invocation.readStdin()
      if (text.trim() === '') throw nothingToHandOff()
      folder = await mkdtemp(join(tmpdir(), 'handoff-'))
      const path = join(folder, `stdin-${invocation.place.now().toISOString().replace(/[:.]/g, '-')}.jsonl`)
      await writeFile(path, text, { mode: 0o600 })
      return path
    },
    async remove() {
      if (folder !== null) await rm(folder, { recursive: true, force: true })
    },
  }
}
