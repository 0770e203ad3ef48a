import { mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { findSessions, identifyFile } from '../../../src/agents/find.ts'
import { nodeSqlite } from '../../../src/agents/sqlite.ts'
import { adapterById } from '../../../src/agents/table.ts'
import type { AgentId, SessionEvent, SessionRef } from '../../../src/types/session.ts'

interface ReadCase {
  agent: AgentId
  ref: SessionRef
  events: SessionEvent[]
  skipped: Record<string, number>
}

/**
 * The session of a case: of its file `session.*`; of a `stored.sql` the newest that is found in a home with that database. Null where this
 * Node opens none.
 */
export async function readFixture(folder: string): Promise<ReadCase | null> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const name = files.find((file) => /^(?:session\..+|stored\.sql)$/.test(basename(file)))
  if (name === undefined) throw new Error(`${folder} has no session.* file`)
  const path = join(folder, name)
  const ref = name.endsWith('.sql') ? await storedIn(path) : (await identifyFile(path)).ref
  if (ref === null) return null
  const adapter = adapterById(ref.agent)
  if (adapter === null) throw new Error(`no agent ${ref.agent}`)
  const skipped: Record<string, number> = {}
  const events: SessionEvent[] = []
  const onSkip = (reason: string) => {
    skipped[reason] = (skipped[reason] ?? 0) + 1
  }
  for await (const batch of adapter.read(ref, { onSkip })) events.push(...batch)
  return { agent: adapter.id, ref, events, skipped }
}

/** A database from its statements; their first line says where it lies in a home. */
async function storedIn(statements: string): Promise<SessionRef | null> {
  const sqlite = nodeSqlite()
  if (sqlite === null) return null
  const sql = readFileSync(statements, 'utf8')
  const home = mkdtempSync(join(tmpdir(), 'agents-'))
  const path = join(home, /^-- at (.+)/.exec(sql)?.[1] ?? '')
  mkdirSync(dirname(path), { recursive: true })
  // biome-ignore lint/suspicious/noExplicitAny: our types know only what reads
  const database = new (sqlite.DatabaseSync as any)(path)
  database.exec(sql)
  database.close()
  const [ref, ...others] = await findSessions({ home, env: {} }, ['/home/dev/repo'])
  if (ref === undefined || others.length > 0) throw new Error(`not one session in ${path}`)
  return ref
}
