import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findSessions, identifyFile } from '../../../src/agents/find.ts'
import { kilo, opencode } from '../../../src/agents/opencode/index.ts'
import { nodeSqlite } from '../../../src/agents/sqlite.ts'
import type { SessionEvent, SessionRef } from '../../../src/types/session.ts'
import { byNight } from '../../sampled.ts'

/** What `opencode db` 1.18.33 answered: the sessions of a repository, and one with a subagent and a list of things to do. */
const recorded = (name: string) =>
  readFileSync(join(import.meta.dirname, '../../fixtures/agents-home/opencode', `${name}.tsv`), 'utf8')
const ROOT = '/home/dev/repo'
const MAIN = 'ses_dfdaefdeeffennYlkKytRSFkMI'
const SUB = 'ses_dfdaeea8cffeL0GlX0AQDScH0u'

let folder = ''
let place: { home: string; env: Record<string, string> }
const database = () => join(folder, 'home/.local/share/opencode/opencode.db')
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'handoff-opencode-'))
  mkdirSync(join(folder, 'bin'))
  mkdirSync(join(folder, 'home/.local/share/opencode'), { recursive: true })
  place = { home: join(folder, 'home'), env: { PATH: `${folder}/bin:/usr/bin:/bin`, SECRET_OF_SHELL: 'x' } }
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** A file that only OpenCode itself can read, and its program, which notes down how it was called. */
function withProgram(script = ''): void {
  writeFileSync(database(), `no database, but it names ${ROOT} somewhere`)
  for (const name of ['sessions', 'conversation']) writeFileSync(join(folder, name), recorded(name))
  const program = join(folder, 'bin/opencode')
  writeFileSync(
    program,
    `#!/bin/sh\nenv > '${folder}/env'\nprintf '%s\\n' "$1" "$3" "$4" >> '${folder}/calls'\n${script}
case "$2" in *recursive*) cat '${folder}/conversation' ;; *) cat '${folder}/sessions' ;; esac\n`,
  )
  chmodSync(program, 0o755)
}

async function eventsOf(ref: Pick<SessionRef, 'id' | 'path'>): Promise<SessionEvent[]> {
  const events: SessionEvent[] = []
  for await (const batch of opencode.read(ref as SessionRef, { place })) events.push(...batch)
  return events
}

const outline = (events: SessionEvent[]) =>
  events.flatMap((event) => {
    const who = event.sub === SUB ? 'sub ' : ''
    if (event.kind === 'prompt' || event.kind === 'reply')
      return [`${who}${event.kind}: ${event.text.trim()}`]
    if (event.kind === 'call') return [`${who}call ${event.tool}`]
    if (event.kind === 'result') return [`${who}${event.ok ? 'ok' : `failed ${event.exitCode}`}`]
    return event.kind === 'plan' ? [`plan of ${event.items.length}`] : []
  })

const TOLD = [
  'prompt: Fix the failing sum test',
  'reply: I plan first.',
  'call todowrite',
  'ok',
  'plan of 2',
  'reply: I ask a helper.',
  'call task',
  'sub reply: Sub looks.',
  'sub call bash',
  'sub failed 3',
  'sub call read',
  'sub failed null',
  'sub reply: The sub report: sum starts at 1.',
  'ok',
  'reply: Editing.',
  'call edit',
  'ok',
  'reply: Done with the first turn.',
  'prompt: third words',
  'reply: Third.',
  'call bash',
  'ok',
  'reply: End.',
]

describe('sessions of OpenCode, asked from its program', () => {
  it('are found, and read with their subagents where they were called', async () => {
    withProgram()
    const [ref, fork] = await opencode.find(place, [ROOT])
    expect(ref).toEqual({
      agent: 'opencode',
      id: MAIN,
      path: `${database()}#${MAIN}`,
      cwd: ROOT,
      startedAt: '2026-11-22T08:13:13.106Z',
      updatedAt: '2026-11-22T08:13:36.218Z',
      bytes: 5868,
      title: 'Fix sum test',
    })
    expect(fork?.title).toBe('Fix sum test (fork #1)')
    const events = await eventsOf(ref as SessionRef)
    expect(outline(events)).toEqual(TOLD)
    // Once per reply, those of the subagent besides.
    expect(events.filter(({ kind, sub }) => kind === 'usage' && sub === null)).toHaveLength(6)
    expect(readFileSync(join(folder, 'calls'), 'utf8')).toBe('db\n--format\ntsv\n'.repeat(2))
  })

  byNight(
    'that take long to find are told of while they are looked for',
    async () => {
      withProgram(`while ! [ -e '${folder}/told' ]; do sleep 0.1; done`)
      const slow: string[] = []
      const found = await findSessions(place, [ROOT], undefined, {
        onSlow: (label) => {
          slow.push(label)
          writeFileSync(join(folder, 'told'), '')
        },
      })
      expect(slow).toEqual(['OpenCode'])
      expect(found.map(({ id }) => id)).toContain(MAIN)
    },
    20_000,
  )

  it('can be kept as an export, which reads the same', async () => {
    withProgram()
    const live = { id: MAIN, path: `${database()}#${MAIN}` } as SessionRef
    const file = join(folder, 'kept.json')
    writeFileSync(file, (await opencode.text?.(live, { place })) ?? '')
    const { adapter, ref } = await identifyFile(file)
    expect([adapter.id, ref.id, ref.cwd]).toEqual(['opencode', MAIN, ROOT])
    expect(outline(await eventsOf(ref))).toEqual(TOLD)
    expect(await opencode.text?.(ref, { place })).toBeNull()
  })

  it('are those whose rows can be read: what is cut off, or has no id or time, stops nobody', async () => {
    withProgram()
    const odd = [
      '{"id":"ses_1","dir',
      '{"directory":"/home/dev/repo"}',
      '{"id":"ses_2","directory":"/home/dev/repo","updated":"x"}',
    ]
    writeFileSync(join(folder, 'sessions'), `${recorded('sessions')}${odd.map((row) => `${row}\n`).join('')}`)
    const refs = await opencode.find(place, [ROOT])
    expect(refs.map(({ id }) => id)).toContain(MAIN)
    expect(refs.map(({ id }) => id)).not.toContain('ses_1')
    expect(refs.find(({ id }) => id === 'ses_2')?.updatedAt).toBe('1970-01-01T00:00:00.000Z')
  })

  it('come from a program that gets none of our environment but what it needs', async () => {
    withProgram()
    await opencode.find(place, [ROOT])
    const env = readFileSync(join(folder, 'env'), 'utf8')
    expect(env).not.toContain('SECRET_OF_SHELL')
    expect(env).toContain(`OPENCODE_DB=${database()}\n`)
    expect(env).toContain('OPENCODE_DISABLE_PROJECT_CONFIG=1\n')
  })

  it('are not asked for where the database names no directory of the repository', async () => {
    withProgram('exit 9')
    expect(await opencode.find(place, ['/home/dev/other'])).toEqual([])
    await expect(opencode.find(place, [ROOT])).rejects.toThrow('exit 9')
  })

  it('are missing with a reason: what Node lacks, what OpenCode said', async () => {
    withProgram('printf "\\033[91mError:\\033[0m database is locked\\n" >&2; exit 1')
    await expect(opencode.find(place, [ROOT])).rejects.toMatchObject({
      code: 'E_OPENCODE',
      message: expect.stringContaining('`opencode db`: Error: database is locked'),
    })
    place.env.PATH = '/usr/bin'
    await expect(opencode.find(place, [ROOT])).rejects.toMatchObject({
      message: expect.stringMatching(/opencode\.db: .+, and the program `opencode` is not on PATH$/),
      hint: expect.stringContaining('--session FILE'),
    })
  })

  it('are left alone when the caller stops, and the program with them', async () => {
    withProgram('sleep 60 & wait')
    const stop = new AbortController()
    setTimeout(() => stop.abort(), 200)
    const ref = { path: `${database()}#${MAIN}`, id: MAIN } as SessionRef
    const reading = opencode.read(ref, { place, signal: stop.signal })[Symbol.asyncIterator]()
    await expect(reading.next()).rejects.toMatchObject({ name: 'AbortError' })
  }, 10_000)

  it('count only up to what was undone', async () => {
    withProgram()
    const undone = '"revert":{"messageID":"msg_202511b8c001HEhLcWZZvV5KZj"}'
    writeFileSync(join(folder, 'conversation'), recorded('conversation').replace('"revert":null', undone))
    const told = outline(await eventsOf({ id: MAIN, path: `${database()}#${MAIN}` }))
    expect(told).toEqual(TOLD.slice(0, TOLD.indexOf('reply: Done with the first turn.')))
  })

  it('end with the list of things to do as it stands, when the conversation tells another', async () => {
    withProgram()
    const done = recorded('conversation').replace(
      '{"todo":{"content":"Fix sum","status":"in_progress"',
      '{"todo":{"content":"Fix sum","status":"completed"',
    )
    writeFileSync(join(folder, 'conversation'), done)
    const last = (await eventsOf({ id: MAIN, path: `${database()}#${MAIN}` })).at(-1)
    expect(last).toMatchObject({
      kind: 'plan',
      items: [{ text: 'Fix sum', status: 'done' }, { status: 'pending' }],
    })
  })

  it('that the database does not hold are told as unreadable', async () => {
    withProgram()
    writeFileSync(join(folder, 'conversation'), '')
    await expect(eventsOf({ id: 'ses_x', path: `${database()}#ses_x` })).rejects.toMatchObject({
      code: 'E_SESSION_UNREADABLE',
    })
  })
})

describe('where the newest session is wanted', () => {
  const at = (path: string, time: string) => utimesSync(path, new Date(time), new Date(time))
  /** A session of Pi that ended then. */
  function pi(time: string): void {
    const sessions = join(folder, 'home/.pi/agent/sessions/--home-dev-repo--')
    mkdirSync(sessions, { recursive: true })
    const lines = [
      { type: 'session', version: 3, id: 'p1', timestamp: time, cwd: ROOT },
      { type: 'message', id: 'a', parentId: null, timestamp: time, message: { role: 'user', content: 'hi' } },
    ]
    writeFileSync(join(sessions, 'x.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  }
  const agents = async (options: object) =>
    (await findSessions(place, [ROOT], undefined, options)).map(({ agent }) => agent)

  it('OpenCode is asked only when its database was written since the newest, or little before', async () => {
    withProgram()
    pi('2026-11-22T12:00:00.000Z')
    at(database(), '2026-11-22T11:40:00.000Z')
    expect(await agents({ within: 600_000 })).toEqual(['pi'])
    expect(await agents({})).toEqual(['pi', 'opencode', 'opencode'])
    at(database(), '2026-11-22T11:55:00.000Z')
    expect(await agents({ within: 600_000 })).toEqual(['pi', 'opencode', 'opencode'])
    // Where a log stands beside it, only the log tells: the file changes when OpenCode is merely started.
    writeFileSync(`${database()}-wal`, 'frames')
    at(`${database()}-wal`, '2026-11-22T11:40:00.000Z')
    expect(await agents({ within: 600_000 })).toEqual(['pi'])
  })

  it('and what keeps it from being read is told, not thrown, unless OpenCode was named', async () => {
    withProgram('exit 3')
    pi('2026-11-22T12:00:00.000Z')
    const missed: string[] = []
    expect(await agents({ onMissed: ({ code }: { code: string }) => missed.push(code) })).toEqual(['pi'])
    expect(missed).toEqual(['E_OPENCODE'])
    await expect(findSessions(place, [ROOT], 'opencode', { onMissed: () => {} })).rejects.toThrow('exit 3')
  })
})

const sqlite = nodeSqlite()
describe.skipIf(sqlite === null)('sessions of OpenCode, read by Node itself', () => {
  /** The recorded rows in a database with the columns that are asked for. */
  function withDatabase(): void {
    if (sqlite === null) return
    const db = new sqlite.DatabaseSync(database(), { readOnly: false })
    const text = (value: unknown): string => `'${String(value).replaceAll("'", "''")}'`
    db.exec(`pragma journal_mode = wal;
create table session (id text, parent_id text, directory text, title text, version text, revert text, time_created, time_updated);
create table message (id text, session_id text, time_created, data text);
create table part (id text, message_id text, session_id text, data text);
create table todo (session_id text, content text, status text, position, time_updated);
insert into session values (${text(SUB)}, ${text(MAIN)}, '${ROOT}', 'look', '1', null, 1795335198067, 1795335199003);
insert into session values ('ses_else', null, '/home/dev/repo-two', 'New session - 2026-01-01', '1', null, 1, 2);
insert into session values ('ses_below', null, '${ROOT}/a''b', 'Below', '1', null, 1, 2)`)
    let message = { id: '', of: '' }
    for (const [n, line] of recorded('conversation').split('\n').slice(1).filter(Boolean).entries()) {
      const row = JSON.parse(line)
      if (row.session)
        db.exec(`insert into session values (${text(MAIN)}, null, ${text(row.session.directory)}, ${text(row.session.title)},
          ${text(row.session.version)}, null, ${row.session.time.created}, 1795335216218)`)
      else if (row.todo)
        db.exec(
          `insert into todo values (${text(MAIN)}, ${text(row.todo.content)}, ${text(row.todo.status)}, ${n}, ${row.todo.updated})`,
        )
      else if (row.part)
        db.exec(
          `insert into part values (${text(row.part)}, ${text(message.id)}, ${text(message.of)}, ${text(JSON.stringify(row.data))})`,
        )
      else {
        message = { id: row.message, of: row.of }
        db.exec(
          `insert into message values (${text(row.message)}, ${text(row.of)}, ${row.data.time.created}, ${text(JSON.stringify(row.data))})`,
        )
      }
    }
    db.close()
  }

  it('are found for the repository and its subdirectories, without subagents, and read the same', async () => {
    withDatabase()
    const found = await opencode.find(place, [ROOT])
    expect(found.map(({ id }) => id)).toEqual([MAIN, 'ses_below'])
    expect(found[0]).toMatchObject({ cwd: ROOT, updatedAt: '2026-11-22T08:13:36.218Z' })
    expect(outline(await eventsOf(found[0] as SessionRef))).toEqual(TOLD)
    expect((await opencode.find(place, ['/'])).map(({ id }) => id)).toContain('ses_else')
  })

  it('are read of Kilo, its fork, under its own name', async () => {
    withDatabase()
    cpSync(join(folder, 'home/.local/share/opencode'), join(folder, 'home/.local/share/kilo'), {
      recursive: true,
    })
    for (const ending of ['', '-wal', '-shm'])
      if (existsSync(join(folder, `home/.local/share/kilo/opencode.db${ending}`)))
        renameSync(
          join(folder, `home/.local/share/kilo/opencode.db${ending}`),
          join(folder, `home/.local/share/kilo/kilo.db${ending}`),
        )
    const found = await kilo.find(place, [ROOT])
    expect(found.map(({ agent, id }) => [agent, id])).toEqual([
      ['kilo', MAIN],
      ['kilo', 'ses_below'],
    ])
    const events: SessionEvent[] = []
    for await (const batch of kilo.read(found[0] as SessionRef, { place })) events.push(...batch)
    expect(outline(events)).toEqual(TOLD)
    expect(JSON.parse((await kilo.text?.(found[0] as SessionRef, { place })) ?? '')).toMatchObject({
      info: { id: MAIN },
    })
  })

  it('are not asked of the program while another one holds the database: it would only wait longer', async () => {
    withDatabase()
    writeFileSync(join(folder, 'bin/opencode'), `#!/bin/sh\ntouch '${folder}/started'\n`, { mode: 0o755 })
    if (sqlite === null) return
    const holder = new sqlite.DatabaseSync(database(), { readOnly: false })
    holder.exec('pragma journal_mode = delete; begin exclusive')
    await expect(opencode.find(place, [ROOT])).rejects.toMatchObject({
      code: 'E_OPENCODE',
      message: expect.stringMatching(/opencode\.db: database is locked$/),
      hint: 'Another program writes to it; try again, or close OpenCode.',
    })
    expect(existsSync(join(folder, 'started'))).toBe(false)
    expect(await opencode.find(place, ['/home/dev/nowhere'])).toEqual([])
    holder.close()
  })

  it('tell how full they are where the window of the model is known', async () => {
    withDatabase()
    const ref = { id: MAIN, path: `${database()}#${MAIN}` }
    expect(await opencode.fullness?.(ref, place)).toBeNull()
    mkdirSync(join(folder, 'home/.config/opencode'), { recursive: true })
    const models = { 'mock-model': { limit: { context: 20_000, output: 4096 } } }
    writeFileSync(
      join(folder, 'home/.config/opencode/opencode.json'),
      JSON.stringify({ provider: { mock: { models } } }),
    )
    expect(await opencode.fullness?.(ref, place)).toEqual({
      tokens: 8219,
      window: 20_000,
      compactsAt: 15_904,
    })
  })
})

describe('the place of the database', () => {
  it('is told by the environment, and none is no session', async () => {
    expect(await opencode.find(place, [ROOT])).toEqual([])
    withProgram()
    for (const env of [{ XDG_DATA_HOME: join(folder, 'home/.local/share') }, { OPENCODE_DB: database() }]) {
      const other = { home: '/nowhere', env: { ...place.env, ...env } }
      expect(await opencode.find(other, [ROOT])).toHaveLength(2)
    }
  })
})
