import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { identifyFile } from '../../src/agents/find.ts'
import { adapterById } from '../../src/agents/table.ts'
import { isHandoffError } from '../../src/errors/handoff-error.ts'
import type { Adapter } from '../../src/types/agent.ts'
import type { AgentId, SessionRef } from '../../src/types/session.ts'
import { makeSound } from './fuzz-brief.ts'
import { type Damage, damage, damagedJson, damagedLines, damagedText } from './fuzz-bytes.ts'
import type { Subject } from './fuzz-hunt.ts'
import type { Context } from './part.ts'

const FIXTURES = fileURLToPath(new URL('../fixtures/agents', import.meta.url))

/** A recorded session: its folder in the scratch space, and the files that may be damaged, the session first. */
interface Recorded {
  name: string
  adapter: Adapter
  /** As it is when nothing is damaged. */
  ref: SessionRef
  files: { path: string; text: string }[]
}

export interface DamagedSession {
  /** Which recorded one. */
  fixture: number
  /** Which of its files; the session itself, mostly. */
  file: number
  damage: Damage
}

/** How many inputs each format gets. */
const COUNTS: Partial<Record<AgentId, readonly [number, number]>> = {
  'claude-code': [60, 2400],
  codex: [60, 2400],
  plain: [60, 1200],
}

/** Damaged sessions of every format, each read, joined and made a brief of. `wrap`: a defect in the reader, planted. */
export async function sessionSubjects(
  context: Pick<Context, 'scratch'>,
  wrap: (adapter: Adapter) => Adapter = (adapter) => adapter,
): Promise<Subject<DamagedSession>[]> {
  const agents = readdirSync(FIXTURES)
    .filter((agent) => casesOf(agent).length > 0)
    .sort()
  return Promise.all(
    agents.map(async (agent) => {
      const folder = context.scratch(`sessions-${agent}`)
      const recorded = await recordedSessions(agent, folder)
      const foreign = recorded.flatMap(({ files }) =>
        files.flatMap(({ text }) => text.split('\n').slice(0, 6)),
      )
      return {
        kind: `sessions of ${agent}`,
        operation: 'read, join, make a brief',
        counts: COUNTS[agent] ?? [50, 1600],
        inputs: fc.record({
          fixture: fc.nat(recorded.length - 1),
          file: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(5) }),
          damage,
        }),
        meets: (input) => met(recorded, foreign, wrap, input),
      }
    }),
  )
}

async function met(
  recorded: readonly Recorded[],
  foreign: readonly string[],
  wrap: (adapter: Adapter) => Adapter,
  { fixture, file, damage: done }: DamagedSession,
): Promise<string> {
  const session = recorded[fixture]
  const target = session?.files[file % session.files.length]
  if (session === undefined || target === undefined) return 'nothing to damage'
  const { path, text } = target
  writeFileSync(path, damagedFile(path, text, foreign, done))
  try {
    const told = await identified(session)
    const read = { adapter: wrap(told.adapter), ref: told.ref }
    await told.adapter.fullness?.(told.ref, { home: '/home/dev', env: {} })
    const outcome = await makeSound({ session: read })
    return told.isOther ? `${outcome} after a format error` : outcome
  } finally {
    writeFileSync(path, text)
  }
}

/** Who would read it; what nobody takes for a session is read all the same by the one who wrote it, as when it is found by its place. */
async function identified({ files, adapter, ref }: Recorded) {
  try {
    return { ...(await identifyFile(files[0]?.path ?? '')), isOther: false }
  } catch (error) {
    if (!isHandoffError(error)) throw error
    return { adapter, ref, isOther: true }
  }
}

function damagedFile(path: string, text: string, foreign: readonly string[], done: Damage): Buffer {
  if (path.endsWith('.jsonl')) return damagedLines(text, foreign, done)
  return path.endsWith('.json') ? damagedJson(text, done) : damagedText(text, foreign, done)
}

const isSession = (path: string): boolean => basename(path).startsWith('session.')

/** Those with a transcript: a database is no text. */
const casesOf = (agent: AgentId): string[] =>
  readdirSync(join(FIXTURES, agent))
    .filter((name) =>
      readdirSync(join(FIXTURES, agent, name), { recursive: true, encoding: 'utf8' }).some(isSession),
    )
    .sort()

async function recordedSessions(agent: AgentId, folder: string): Promise<Recorded[]> {
  const all = casesOf(agent).map(async (name): Promise<Recorded> => {
    const place = join(folder, name)
    mkdirSync(place)
    cpSync(join(FIXTURES, agent, name), place, { recursive: true })
    const paths = readdirSync(place, { recursive: true, encoding: 'utf8' })
      .filter((file) => file !== 'events.json' && statSync(join(place, file)).isFile())
      .sort((a, b) => Number(isSession(b)) - Number(isSession(a)) || (a < b ? -1 : 1))
    const files = paths.map((file) => ({
      path: join(place, file),
      text: readFileSync(join(place, file), 'utf8'),
    }))
    const { ref } = await identifyFile(files[0]?.path ?? relative(folder, place))
    const adapter = adapterById(agent)
    if (adapter === null) throw new Error(`nobody reads ${agent}`)
    return { name, adapter, ref, files }
  })
  return Promise.all(all)
}
