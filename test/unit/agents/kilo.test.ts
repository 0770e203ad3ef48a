import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { callerOf } from '../../../src/agents/caller.ts'
import { identifyFile } from '../../../src/agents/find.ts'
import { kilo } from '../../../src/agents/opencode/index.ts'
import { nodeSqlite } from '../../../src/agents/sqlite.ts'
import type { SessionEvent, SessionRef } from '../../../src/types/session.ts'

const ROOT = '/home/dev/repo'
const home = mkdtempSync(join(tmpdir(), 'kilo-'))
const folder = join(home, '.local/share/kilo')
mkdirSync(folder, { recursive: true })

describe('sessions of Kilo', () => {
  it('are none where it never ran, and where its file names none of the directories', async () => {
    expect(await kilo.find({ home: '/nowhere', env: {} }, [ROOT])).toEqual([])
    expect(await kilo.find({ home, env: { KILO_DB: ':memory:' } }, [ROOT])).toEqual([])
    expect(await kilo.lastWrite?.({ home: '/nowhere', env: {} })).toBeNull()
  })

  it('are not asked of the program of OpenCode, whose database it is not', async () => {
    writeFileSync(join(folder, 'kilo.db'), `no database, but it names ${ROOT} somewhere`)
    mkdirSync(join(home, 'bin'))
    writeFileSync(join(home, 'bin/opencode'), '#!/bin/sh\necho started\n', { mode: 0o755 })
    const place = { home, env: { PATH: join(home, 'bin') } }
    await expect(kilo.find(place, [ROOT])).rejects.toMatchObject({
      code: 'E_SESSION_UNREADABLE',
      hint: expect.stringMatching(/^Check that /),
    })
    await expect(
      kilo.find({ home: '/x', env: { XDG_DATA_HOME: join(home, '.local/share') } }, [ROOT]),
    ).rejects.toThrow("Kilo's sessions cannot be read")
  })

  it('are found in its database, and tell what an export of it tells', async ({ skip }) => {
    const sqlite = nodeSqlite()
    if (sqlite === null) return skip('this Node opens no database')
    const exported = join(
      import.meta.dirname,
      '../../fixtures/agents/opencode/kilo-read-and-failing-command-7.7/session.json',
    )
    const { info, messages } = JSON.parse(readFileSync(exported, 'utf8'))
    const own = mkdtempSync(join(tmpdir(), 'kilo-'))
    mkdirSync(join(own, '.local/share/kilo'), { recursive: true })
    // biome-ignore lint/suspicious/noExplicitAny: our types know only what reads
    const db = new (sqlite.DatabaseSync as any)(join(own, '.local/share/kilo/kilo.db'))
    db.exec(`create table session (id text, parent_id text, directory text, title text, version text, revert text, time_created, time_updated);
create table message (id text, session_id text, time_created, data text);
create table part (id text, message_id text, session_id text, data text);
create table todo (session_id text, content text, status text, position, time_updated)`)
    const insert = (table: string, ...values: unknown[]) =>
      db.prepare(`insert into ${table} values (${values.map(() => '?').join(', ')})`).run(...values)
    const { created, updated } = info.time
    insert('session', info.id, null, info.directory, info.title, info.version, null, created, updated)
    insert('session', 'ses_else', null, '/home/dev/other', 'Else', '1', null, created, updated)
    for (const { info: message, parts } of messages) {
      insert('message', message.id, info.id, message.time.created, JSON.stringify(message))
      for (const part of parts) insert('part', part.id, message.id, info.id, JSON.stringify(part))
    }
    db.close()
    const eventsOf = async (ref: SessionRef): Promise<SessionEvent[]> => {
      const events: SessionEvent[] = []
      for await (const batch of kilo.read(ref, {})) events.push(...batch)
      return events
    }
    const found = await kilo.find({ home: own, env: { PATH: '' } }, [info.directory])
    expect(found).toMatchObject([{ agent: 'kilo', id: info.id, cwd: info.directory }])
    const events = await eventsOf(found[0] as SessionRef)
    expect(events).toEqual(await eventsOf((await identifyFile(exported)).ref))
  })

  it('are of the caller that has its mark, also where it has that of OpenCode', () => {
    expect(callerOf({ KILO: '1', OPENCODE: '1' })?.agent).toBe('kilo')
    const named = { KILO_PID: '7', OPENCODE: '1', HANDOFF_OPENCODE_SESSION: 'ses_1' }
    expect(callerOf(named)).toEqual({ agent: 'kilo', sessionId: 'ses_1', path: null })
    expect(callerOf({ OPENCODE: '1' })?.agent).toBe('opencode')
    expect(callerOf({ AI_AGENT: 'kilo-code' })?.agent).toBe('kilo')
  })
})
