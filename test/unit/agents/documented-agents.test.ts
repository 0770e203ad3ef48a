import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import * as zlib from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { aider } from '../../../src/agents/aider.ts'
import { amp } from '../../../src/agents/amp.ts'
import { callerOf } from '../../../src/agents/caller.ts'
import { cowork } from '../../../src/agents/cowork.ts'
import { crush } from '../../../src/agents/crush.ts'
import { droid } from '../../../src/agents/droid.ts'
import { identifyFile } from '../../../src/agents/find.ts'
import { goose } from '../../../src/agents/goose.ts'
import { grokBuild } from '../../../src/agents/grok-build.ts'
import { junie } from '../../../src/agents/junie.ts'
import { kimiCode } from '../../../src/agents/kimi-code.ts'
import { kiro } from '../../../src/agents/kiro.ts'
import { mistralVibe } from '../../../src/agents/mistral-vibe.ts'
import { rooCode } from '../../../src/agents/roo-code.ts'
import { nodeSqlite } from '../../../src/agents/sqlite.ts'
import { zed } from '../../../src/agents/zed.ts'
import type { Adapter } from '../../../src/types/agent.ts'
import type { SessionEvent, SessionRef } from '../../../src/types/session.ts'

const ROOT = '/home/dev/repo'
const fixtures = join(import.meta.dirname, '../../fixtures/agents')
const fixtureOf = (agent: string, name: string): string =>
  join(fixtures, agent, readdirSync(join(fixtures, agent))[0] ?? '', name)

const ROO = '.config/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks'
const rooFile = (name: string): string =>
  fixtureOf('roo-code', join('b0a1c2d3-0000-4000-8000-000000000001', name))

const COWORK = '.config/Claude/local-agent-mode-sessions/f00c/3f38'
const COWORK_CASE = 'local_5a7d4a86-0000-4000-8000-000000000001'
const coworkFile = (name: string): string => fixtureOf('cowork', name)
const COWORK_ROWS = coworkFile(
  join(COWORK_CASE, '.claude/projects/-sessions-calm-swift-hopper/session.jsonl'),
)
const GROK = '.grok/sessions/%2Fhome%2Fdev%2Frepo'
const GROK_ROWS = [
  { type: 'system', content: 'You are Grok 4.5 released by xAI.' },
  {
    type: 'user',
    content: [{ type: 'text', text: 'Fix sub in calc.js. Do not touch calc.test.js.' }],
    prompt_index: 0,
  },
]
  .map((row) => `${JSON.stringify(row)}\n`)
  .join('')
const VIBE = '.vibe/logs/session/session_20260722_101500'
const VIBE_CASE = (name: string): string => join('session_20260722_101500_0c1f2b7d', name)
const KIMI = '.kimi-code/sessions/wd_repo_ac3bb318f98e'
const KIMI_ROWS = [
  { type: 'metadata', protocol_version: '1.4', created_at: 1785612803281 },
  {
    type: 'turn.prompt',
    input: [{ type: 'text', text: 'Fix sub in calc.js. Do not touch calc.test.js.' }],
    origin: { kind: 'user' },
    time: 1785612812819,
  },
]
  .map((row) => `${JSON.stringify(row)}\n`)
  .join('')

/** A home with files copied from fixtures, or with a text. */
function homeWith(files: Record<string, string>): string {
  const home = mkdtempSync(join(tmpdir(), 'agents-'))
  for (const [path, from] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    if (from.startsWith('/')) cpSync(from, join(home, path))
    else writeFileSync(join(home, path), from)
  }
  return home
}

async function eventsOf(adapter: Adapter, ref: SessionRef): Promise<SessionEvent[]> {
  const events: SessionEvent[] = []
  for await (const batch of adapter.read(ref, {})) events.push(...batch)
  return events
}

/** Where each keeps a session, and what else may lie there. */
const HOMES: [Adapter, Record<string, string>, string][] = [
  [
    amp,
    {
      '.local/share/amp/threads/T-1.json': fixtureOf('amp', 'session.json'),
      '.local/share/amp/threads/T-torn.json': '{"v":1,"id":"T-2","mess',
      '.local/share/amp/threads/other.json': '{"threads":[]}',
    },
    'T-1',
  ],
  [
    droid,
    {
      '.factory/sessions/-home-dev-repo/6f1d.jsonl': fixtureOf('droid', 'session.jsonl'),
      '.factory/sessions/-home-dev-repo/6f1d.settings.json': '{"model":"claude-sonnet-4-5"}',
      '.factory/sessions/empty.jsonl': '',
      '.factory/sessions/other.jsonl': '{"type":"user","message":{"content":"x"}}\n',
    },
    '6f1d0c2e-0000-4000-8000-000000000001',
  ],
  [
    kiro,
    {
      '.kiro/sessions/cli/a.jsonl': fixtureOf('kiro', 'session.jsonl'),
      '.kiro/sessions/cli/a.json': fixtureOf('kiro', 'session.json'),
      '.kiro/sessions/cli/empty.jsonl': '',
      '.kiro/sessions/cli/nowhere.jsonl': '{"kind":"Prompt","data":{}}\n',
    },
    '0c1f2b7d-0000-4000-8000-000000000001',
  ],
  [
    junie,
    {
      '.junie/sessions/session-1/events.jsonl': fixtureOf('junie', 'session.jsonl'),
      '.junie/sessions/session-2/events.jsonl': '',
      '.junie/sessions/index.jsonl': `{"sessionId":"session-1","projectDir":"${ROOT}","taskName":"Fix sub","createdAt":1785578400000}\n`,
    },
    'session-1',
  ],
  [
    rooCode,
    {
      [`${ROO}/t1/api_conversation_history.json`]: rooFile('session.json'),
      [`${ROO}/t1/history_item.json`]: rooFile('history_item.json'),
      [`${ROO}/t2/api_conversation_history.json`]: rooFile('session.json'),
      [`${ROO}/t2/history_item.json`]: '{"workspace":"/home/dev/repo","parentTaskId":"t1"}',
      [`${ROO}/t3/api_conversation_history.json`]: '[]',
    },
    't1',
  ],
  [
    kimiCode,
    {
      [`${KIMI}/session_1/agents/main/wire.jsonl`]: KIMI_ROWS,
      [`${KIMI}/session_1/agents/agent-0/wire.jsonl`]: KIMI_ROWS,
      [`${KIMI}/session_1/state.json`]: `{"workDir":"${ROOT}","title":"Fix sub"}`,
      [`${KIMI}/session_2/agents/main/wire.jsonl`]: '',
      [`${KIMI}/session_3/agents/main/wire.jsonl`]: '{"type":"metadata"}\n',
      '.kimi-code/sessions/workspaces.json': '{}',
    },
    'session_1',
  ],
  [
    mistralVibe,
    {
      [`${VIBE}_0c1f2b7d/messages.jsonl`]: fixtureOf('mistral-vibe', VIBE_CASE('session.jsonl')),
      [`${VIBE}_0c1f2b7d/meta.json`]: fixtureOf('mistral-vibe', VIBE_CASE('meta.json')),
      [`${VIBE}_11111111/messages.jsonl`]: '',
      [`${VIBE}_22222222/messages.jsonl`]: '{"role": "user", "content": "x", "injected": false}\n',
      '.vibe/logs/session/last': 'x',
    },
    '0c1f2b7d-0000-4000-8000-000000000009',
  ],
  [
    grokBuild,
    {
      [`${GROK}/s1/chat_history.jsonl`]: GROK_ROWS,
      [`${GROK}/s1/summary.json`]: `{"info":{"id":"s1","cwd":"${ROOT}"}}`,
      [`${GROK}/s2/chat_history.jsonl`]: GROK_ROWS,
      [`${GROK}/s2/summary.json`]: `{"info":{"id":"s2","cwd":"${ROOT}"},"session_kind":"subagent"}`,
      [`${GROK}/s3/chat_history.jsonl`]: '',
      [`${GROK}/s4/chat_history.jsonl`]: GROK_ROWS,
    },
    's1',
  ],
  [
    cowork,
    {
      [`${COWORK}/${COWORK_CASE}.json`]: coworkFile(`${COWORK_CASE}.json`),
      [`${COWORK}/${COWORK_CASE}/.claude/projects/p/session.jsonl`]: COWORK_ROWS,
      [`${COWORK}/local_2.json`]: '{"sessionId":"local_2","cliSessionId":"session","userSelected',
      [`${COWORK}/local_2/.claude/projects/p/session.jsonl`]: COWORK_ROWS,
      [`${COWORK}/local_3.json`]: '{"sessionId":"local_3","cliSessionId":"gone"}',
      [`${COWORK}/agent/local_4.json`]: '{"sessionId":"local_4","cliSessionId":"session"}',
      [`${COWORK}/agent/local_4/.claude/projects/p/session.jsonl`]: COWORK_ROWS,
      [`${COWORK}/cowork_settings.json`]: '{}',
      '.config/Claude/local-agent-mode-sessions/skills-plugin/x': 'x',
    },
    COWORK_CASE,
  ],
]

describe.each(HOMES.map(([adapter, files, id]) => [adapter.label, adapter, files, id] as const))(
  '%s',
  (_, adapter, files, id) => {
    it('finds its session here, and none elsewhere or where it never ran', async () => {
      const home = homeWith(files)
      const refs = await adapter.find({ home, env: {} }, [ROOT])
      expect(refs).toMatchObject([{ agent: adapter.id, id, cwd: ROOT }])
      expect(await adapter.find({ home, env: {} }, ['/home/dev/other'])).toEqual([])
      expect(await adapter.find({ home: '/nowhere', env: {} }, [ROOT])).toEqual([])
      const events = await eventsOf(adapter, refs[0] as SessionRef)
      expect(events).toContainEqual(
        expect.objectContaining({ kind: 'prompt', text: 'Fix sub in calc.js. Do not touch calc.test.js.' }),
      )
    })
  },
)

it('Amp reads the whole messages of a thread that is cut off, and tells of one in its place', async () => {
  const whole = readFileSync(fixtureOf('amp', 'session.json'), 'utf8')
  const text = JSON.stringify(JSON.parse(whole))
  const home = homeWith({ '.local/share/amp/threads/T-1.json': text.slice(0, text.length / 2) })
  const told: string[] = []
  expect(await amp.find({ home, env: {} }, [ROOT], ({ message }) => told.push(message))).toEqual([])
  expect(told).toEqual([expect.stringContaining('was not understood')])
  const { ref } = await identifyFile(join(home, '.local/share/amp/threads/T-1.json'))
  const events = await eventsOf(amp, ref)
  expect(events.length).toBeGreaterThan(3)
  const { ref: all } = await identifyFile(fixtureOf('amp', 'session.json'))
  const kinds = (list: SessionEvent[]) =>
    list.filter(({ kind }) => kind !== 'setting').map(({ kind }) => kind)
  expect(kinds(await eventsOf(amp, all)).slice(0, kinds(events).length)).toEqual(kinds(events))
})

it('Droid tells the model from the file beside', async () => {
  const home = homeWith(HOMES[1]?.[1] ?? {})
  const [ref] = await droid.find({ home, env: {} }, [ROOT])
  expect(await eventsOf(droid, ref as SessionRef)).toContainEqual(
    expect.objectContaining({ kind: 'setting', model: 'claude-sonnet-4-5' }),
  )
})

it.each([
  [droid, 'droid/documented-subagent-2026.9/-home-dev-repo', '.factory/sessions/-home-dev-repo'],
  [kiro, 'kiro/documented-subagent-2.14/cli', '.kiro/sessions/cli'],
] as const)(
  '$label tells a subagent in its session, and as no session of its own',
  async (adapter, from, to) => {
    const folder = join(import.meta.dirname, '../../fixtures/agents', from)
    const home = mkdtempSync(join(tmpdir(), 'agents-'))
    cpSync(folder, join(home, to), { recursive: true })
    const refs = await adapter.find({ home, env: {} }, [ROOT])
    expect(refs.map(({ path }) => path)).toEqual([join(home, to, 'session.jsonl')])
    const events = await eventsOf(adapter, refs[0] as SessionRef)
    const words = events.flatMap((event) =>
      event.kind === 'prompt' || event.kind === 'reply' ? [event] : [],
    )
    expect(words.filter(({ kind, sub }) => kind === 'prompt' && sub !== null)).toEqual([])
    expect(words.filter(({ sub }) => sub !== null).map(({ text }) => text)).toEqual([
      'Only calc.test.js calls sub.',
    ])
    expect(events.filter(({ sub }) => sub !== null).map(({ kind }) => kind)).toEqual([
      'call',
      'result',
      'reply',
    ])
  },
)

it('Kiro reads the payloads of the IDE, and the plain messages before them', async () => {
  const at = '2026-09-01T10:00:00.000Z'
  const payloads = [
    { type: 'user', content: 'Fix sub.' },
    { type: 'assistant', content: 'I run its test.' },
    { type: 'tool_call', toolName: 'executeBash', toolCallId: 'c1', args: { command: 'node --test' } },
    { type: 'tool_result', toolCallId: 'c1', content: 'not ok 2\nExit Code: 1', success: true },
    { type: 'usage_summary' },
  ]
  const text = [
    JSON.stringify({ role: 'user', content: 'What is sub?' }),
    ...payloads.map((payload) => JSON.stringify({ timestamp: at, payload })),
  ].join('\n')
  const folder = '.kiro/sessions/1a2b/sess_7'
  const home = homeWith({
    [`${folder}/messages.jsonl`]: text,
    [`${folder}/session.json`]: JSON.stringify({ workspacePaths: [ROOT], createdAt: at }),
  })
  const [ref] = await kiro.find({ home, env: {} }, [ROOT])
  expect(ref).toMatchObject({ id: 'sess_7', startedAt: at })
  const events = (await eventsOf(kiro, ref as SessionRef)).map(
    ({ at: _, sub: __, cwd: ___, ...event }) => event,
  )
  expect(events).toEqual([
    { kind: 'prompt', text: 'What is sub?' },
    { kind: 'prompt', text: 'Fix sub.' },
    { kind: 'reply', text: 'I run its test.' },
    {
      kind: 'call',
      id: 'c1',
      tool: 'executeBash',
      action: { type: 'run', command: 'node --test' },
      by: 'agent',
    },
    { kind: 'result', id: 'c1', ok: false, exitCode: 1, text: 'not ok 2\nExit Code: 1' },
  ])
})

describe('Aider', () => {
  it('finds every session of the file at the top, the newest first', async () => {
    const root = homeWith({ '.aider.chat.history.md': fixtureOf('aider', 'session.md') })
    const refs = await aider.find({ home: '/nowhere', env: {} }, [root])
    expect(refs.map(({ id }) => id)).toEqual(['2026-08-02T10-00-00', '2026-08-01T09-00-00'])
    expect(refs[1]?.updatedAt).toBe(refs[0]?.startedAt)
    const old = await eventsOf(aider, refs[1] as SessionRef)
    expect(old.filter(({ kind }) => kind === 'prompt')).toMatchObject([
      { text: 'Old session: what is calc.js?' },
    ])
    expect(await aider.find({ home: '/nowhere', env: {} }, ['/nowhere'])).toEqual([])
  })

  it('reads the file that the environment names: of each worktree, or one for all', async () => {
    const session = fixtureOf('aider', 'session.md')
    const root = homeWith({ 'log/aider.md': session, '.aider.chat.history.md': '' })
    const cwds = async (name: string, roots: string[]) =>
      (await aider.find({ home: '/nowhere', env: { AIDER_CHAT_HISTORY_FILE: name } }, roots)).map(
        ({ cwd }) => cwd,
      )
    expect(await cwds('log/aider.md', ['/nowhere', root])).toEqual([root, root])
    expect(await cwds(join(root, 'log/aider.md'), ['/nowhere', root])).toEqual([root, root])
    expect(await cwds(join(root, 'log/aider.md'), ['/one', '/two'])).toEqual(['/one', '/one'])
  })

  it('reads no more than the last session of a long history', async () => {
    const root = homeWith({ '.aider.chat.history.md': '# aider chat started at 2026-07-01 09:00:00\n' })
    const path = join(root, '.aider.chat.history.md')
    truncateSync(path, 9 * 1024 * 1024)
    appendFileSync(path, readFileSync(fixtureOf('aider', 'session.md')))
    const refs = await aider.find({ home: '/nowhere', env: {} }, [root])
    expect(refs.map(({ id }) => id)).toEqual(['2026-08-02T10-00-00', '2026-08-01T09-00-00'])
    let read = 0
    for await (const _ of aider.read(refs[1] as SessionRef, { onRaw: ({ length }) => (read += length) }));
    expect(read).toBe(refs[1]?.bytes)
    expect(read).toBeLessThan(1000)
  })

  it('takes a text with CRLF, and no other markdown', async () => {
    const text = readFileSync(fixtureOf('aider', 'session.md'), 'utf8').replaceAll('\n', '\r\n')
    const root = homeWith({ '.aider.chat.history.md': text, 'notes.md': '# Notes\n\nNothing.\n' })
    const [ref] = await aider.find({ home: '/nowhere', env: {} }, [root])
    expect((await eventsOf(aider, ref as SessionRef)).filter(({ kind }) => kind === 'prompt')).toMatchObject([
      { text: 'Fix sub in calc.js.\nDo not touch calc.test.js.' },
    ])
    expect(await aider.identify(join(root, 'notes.md'), '# Notes\n')).toBeNull()
  })
})

describe('Goose', () => {
  const database = '.local/share/goose/sessions/sessions.db'

  it('finds none where it never ran, and says what is missing for a database', async () => {
    for (const home of ['/nowhere', homeWith({ [database]: '' })])
      expect(await goose.find({ home, env: {} }, [ROOT])).toEqual([])
    const home = homeWith({ [database]: 'no database' })
    await expect(goose.find({ home, env: {} }, [ROOT])).rejects.toMatchObject({
      code: 'E_SESSION_UNREADABLE',
      message: expect.stringContaining("Goose's sessions cannot be read"),
      hint: expect.stringMatching(/^Check that /),
    })
  })

  it('reads an export below a folder with a number sign', async () => {
    const home = homeWith({ 'issue#7/session.json': fixtureOf('goose', 'session.json') })
    const { ref } = await identifyFile(join(home, 'issue#7/session.json'))
    expect((await eventsOf(goose, ref)).length).toBeGreaterThan(3)
  })

  it('reads its database where this Node can', async () => {
    const sqlite = nodeSqlite()
    const home = homeWith({ [database]: 'x' })
    if (sqlite !== null) truncateSync(join(home, database))
    const { conversation } = JSON.parse(readFileSync(fixtureOf('goose', 'session.json'), 'utf8'))
    if (sqlite !== null) {
      // biome-ignore lint/suspicious/noExplicitAny: our types know only what reads
      const db = new (sqlite.DatabaseSync as any)(join(home, database))
      db.exec('create table other (id text)')
      await expect(goose.find({ home, env: {} }, [ROOT])).rejects.toMatchObject({
        message: expect.stringContaining('no such table: sessions'),
        hint: expect.stringContaining('upgrade handoff'),
      })
      db.exec(`create table sessions (id text, working_dir text, created_at text, updated_at text, session_type text, model_config_json text);
create table messages (id integer primary key, session_id text, role text, content_json text, created_timestamp integer, metadata_json text);
insert into sessions values ('s1', '${ROOT}', '2026-09-07 10:00:00', '2026-09-07 10:05:00', 'user', '{"model_name":"claude-sonnet-4-5"}'),
  ('s2', '${ROOT}', '2026-09-07 10:00:00', '2026-09-07 10:06:00', 'sub_agent', null)`)
      const insert = db.prepare(
        'insert into messages (session_id, role, content_json, created_timestamp, metadata_json) values (?,?,?,?,?)',
      )
      for (const { role, content, created, metadata } of conversation)
        insert.run('s1', role, JSON.stringify(content), created, JSON.stringify(metadata))
      db.close()
      const [ref, ...others] = await goose.find({ home, env: {} }, [ROOT])
      expect([ref?.id, ref?.startedAt, others]).toEqual(['s1', '2026-09-07T10:00:00.000Z', []])
      const told = await eventsOf(goose, ref as SessionRef)
      expect(told.find(({ kind }) => kind === 'setting')).toMatchObject({ model: 'claude-sonnet-4-5' })
      const { ref: exported } = await identifyFile(fixtureOf('goose', 'session.json'))
      const isWord = ({ kind }: SessionEvent) => kind !== 'setting'
      expect(told.filter(isWord)).toEqual((await eventsOf(goose, exported)).filter(isWord))
      // A Goose that holds its database: no answer within two seconds is a clear word.
      // biome-ignore lint/suspicious/noExplicitAny: our types know only what reads
      const holder = new (sqlite.DatabaseSync as any)(join(home, database))
      holder.exec('begin exclusive')
      await expect(goose.find({ home, env: {} }, [ROOT])).rejects.toMatchObject({
        message: expect.stringContaining('database is locked'),
        hint: 'Another program writes to it; try again, or close Goose.',
      })
      holder.close()
    } else await expect(goose.find({ home, env: {} }, [ROOT])).rejects.toThrow('22.13 and newer can')
  })
})

it('reads what the first engine of Kiro keeps in its database, where this Node can (A-13)', async () => {
  const database = '.local/share/kiro-cli/data.sqlite3'
  const home = homeWith({ [database]: 'no database' })
  const sqlite = nodeSqlite()
  const missed: string[] = []
  const find = () => kiro.find({ home, env: {} }, [ROOT], ({ message }) => missed.push(message))
  expect(await find()).toEqual([])
  expect(missed).toEqual(sqlite === null ? [] : [expect.stringContaining('file is not a database')])
  if (sqlite === null) return
  truncateSync(join(home, database))
  // biome-ignore lint/suspicious/noExplicitAny: our types know only what reads
  const db = new (sqlite.DatabaseSync as any)(join(home, database))
  db.exec(`create table conversations_v2 (key text not null, conversation_id text not null, value text not null,
    created_at integer not null, updated_at integer not null, primary key (key, conversation_id))`)
  const value = readFileSync(join(fixtures, '../kiro-stored/conversation.json'), 'utf8')
  const insert = db.prepare('insert into conversations_v2 values (?,?,?,?,?)')
  insert.run(ROOT, 'c1', value, 1780462800000, 1780462805000)
  insert.run('/home/dev/other', 'c2', value, 1780462800000, 1780462809000)
  db.close()
  const [ref, ...others] = await find()
  expect(ref).toMatchObject({ id: 'c1', cwd: ROOT, updatedAt: '2026-06-03T05:00:05.000Z' })
  expect(others).toEqual([])
  const told = await eventsOf(kiro, ref as SessionRef)
  expect(told.map(({ at: _, sub: __, cwd: ___, ...event }) => event)).toEqual([
    { kind: 'setting', model: 'claude-opus-4.6' },
    { kind: 'prompt', text: 'Fix sub in calc.js. Do not touch calc.test.js.' },
    { kind: 'reply', text: 'I look at it.' },
    ...[
      { id: 't1', tool: 'fs_read', action: { type: 'read', paths: [`${ROOT}/calc.js`] } },
      {
        id: 't2',
        tool: 'fs_write',
        action: { type: 'edit', files: [{ path: `${ROOT}/calc.js`, change: 'update' }] },
      },
      { id: 't3', tool: 'execute_bash', action: { type: 'run', command: 'node --test' } },
    ].map((call) => ({ kind: 'call', by: 'agent', ...call })),
    { kind: 'result', id: 't1', ok: true, exitCode: null, text: 'export const sub' },
    { kind: 'result', id: 't2', ok: true, exitCode: null, text: '' },
    { kind: 'result', id: 't3', ok: false, exitCode: 1, text: 'not ok 2 - sub' },
    {
      kind: 'call',
      by: 'agent',
      id: 't4',
      tool: 'execute_bash',
      action: { type: 'run', command: 'git push' },
    },
    { kind: 'result', id: 't4', ok: false, exitCode: null, text: '', refused: true },
    { kind: 'prompt', text: 'Do not push.' },
    { kind: 'reply', text: 'sub subtracts now; nothing is pushed.' },
  ])
})

it('reads a log of Junie of May 2026, which has no times (A-10)', async () => {
  const lines = readFileSync(fixtureOf('junie', 'session.jsonl'), 'utf8').replace(/"timestampMs":\d+,?/g, '')
  const home = homeWith({
    '.junie/sessions/session-1/events.jsonl': lines.replaceAll(',}', '}'),
    '.junie/sessions/index.jsonl': `{"sessionId":"session-1","projectDir":"${ROOT}"}\n`,
  })
  const missed: Error[] = []
  const [ref] = await junie.find({ home, env: {} }, [ROOT], (error) => missed.push(error))
  expect([ref?.id, missed]).toEqual(['session-1', []])
  const prompts = (await eventsOf(junie, ref as SessionRef)).flatMap((event) =>
    event.kind === 'prompt' ? [event.text] : [],
  )
  expect(prompts).toEqual(['Fix sub in calc.js. Do not touch calc.test.js.'])
})

it('names the callers whose processes have a mark', () => {
  expect(callerOf({ AMP_CURRENT_THREAD_ID: 'T-1' })).toMatchObject({ agent: 'amp', sessionId: 'T-1' })
  expect(callerOf({ GOOSE_TERMINAL: '1', AGENT_SESSION_ID: 's1' })).toMatchObject({
    agent: 'goose',
    sessionId: 's1',
  })
})

it('Crush: finds by its list of projects what stands in their databases, and in none that a branch brings', async () => {
  const root = homeWith({ '.crush/crush.db': 'no database', 'sub/.crush/crush.db': 'brought by a branch' })
  const home = homeWith({
    '.local/share/crush/projects.json': JSON.stringify({
      projects: [
        { path: join(root, 'sub'), data_dir: join(root, '.crush') },
        { path: root, data_dir: join(root, '.crush') },
        { path: '/home/dev/other', data_dir: '/home/dev/other/.crush' },
      ],
    }),
  })
  const missed: string[] = []
  const find = () => crush.find({ home, env: {} }, [root], ({ message }) => missed.push(message))
  expect(await find()).toEqual([])
  const sqlite = nodeSqlite()
  expect(missed).toEqual([expect.stringContaining(sqlite === null ? '22.13' : 'file is not a database')])
  if (sqlite === null) return
  const database = join(root, '.crush/crush.db')
  truncateSync(database)
  // biome-ignore lint/suspicious/noExplicitAny: our types know only what reads
  const db = new (sqlite.DatabaseSync as any)(database)
  db.exec(`create table sessions (id text primary key, parent_session_id text, title text not null, message_count integer not null default 0,
  updated_at integer not null, created_at integer not null);
create table messages (id text primary key, session_id text not null, role text not null, parts text not null default '[]', model text,
  created_at integer not null, updated_at integer not null, finished_at integer, provider text, is_summary_message integer default 0 not null);
insert into sessions values ('s1', null, 'Fix sub', 2, 1787310023, 1787310000), ('title-s1', 's1', 'x', 1, 1787310024, 1787310000)`)
  const insert = db.prepare('insert into messages values (?,?,?,?,?,?,?,null,?,?)')
  const whole = JSON.parse(readFileSync(fixtureOf('crush', 'session.json'), 'utf8'))
  // As the client stores what it exports.
  const stored = ({ type, tool_call_id, ...part }: Record<string, unknown>) => ({
    type,
    data: type === 'tool_call' ? { ...part, id: tool_call_id } : { ...part, tool_call_id },
  })
  for (const { id, role, parts, created, model = null } of whole.messages) {
    const at = Date.parse(created) / 1000
    insert.run(id, 's1', role, JSON.stringify(parts.map(stored)), model, at, at, 'anthropic', 0)
  }
  const text = [{ type: 'text', data: { text: 'All so far.' } }]
  insert.run('m97', 's1', 'assistant', JSON.stringify(text), 'x', 1787310030, 1, 'anthropic', 1)
  const command = { command: 'node --test', output: 'not ok', exit_code: 1 }
  insert.run(
    'm98',
    's1',
    'user',
    JSON.stringify([{ type: 'shell_command', data: command }]),
    null,
    1787310031,
    1,
    null,
    0,
  )
  insert.run('m99', 's1', 'user', '[{"type":"te', null, 1787310032, 1, null, 0)
  db.close()
  const [ref, ...others] = await find()
  expect(ref).toMatchObject({ id: 's1', cwd: root, title: 'Fix sub', startedAt: '2026-08-21T11:00:00.000Z' })
  expect(others).toEqual([])
  const skipped: string[] = []
  const told: SessionEvent[] = []
  for await (const batch of crush.read(ref as SessionRef, { onSkip: (why) => skipped.push(why) }))
    told.push(...batch)
  expect(skipped).toEqual(['not-json'])
  const { ref: exported } = await identifyFile(fixtureOf('crush', 'session.json'))
  const bare = (events: SessionEvent[]) => events.map(({ cwd: _, ...event }) => event)
  const before = bare(await eventsOf(crush, exported))
  expect(bare(told).slice(0, before.length)).toEqual(before)
  expect(told.slice(before.length)).toMatchObject([
    { kind: 'compaction', summary: 'All so far.' },
    { kind: 'call', action: { type: 'run', command: 'node --test' }, by: 'user' },
    { kind: 'result', ok: false, exitCode: 1, text: 'not ok' },
  ])
})

it('Zed: finds threads that a person began here, and reads them packed or not', async () => {
  const at = '.local/share/zed/threads/threads.db'
  const home = homeWith({ [at]: 'no database' })
  const missed: string[] = []
  const find = () => zed.find({ home, env: {} }, [ROOT], ({ message }) => missed.push(message))
  expect(await find()).toEqual([])
  const sqlite = nodeSqlite()
  expect(missed).toEqual([expect.stringContaining(sqlite === null ? '22.13' : 'file is not a database')])
  if (sqlite === null) return
  truncateSync(join(home, at))
  // biome-ignore lint/suspicious/noExplicitAny: our types know only what reads
  const db = new (sqlite.DatabaseSync as any)(join(home, at))
  db.exec(`create table threads (id text primary key, summary text not null, updated_at text not null, data_type text not null,
  data blob not null, parent_id text, folder_paths text, folder_paths_order text, created_at text)`)
  const text = readFileSync(fixtureOf('zed', 'session.json'))
  const { zstdCompressSync: pack } = zlib as unknown as { zstdCompressSync: (bytes: Buffer) => Buffer }
  const insert = db.prepare('insert into threads values (?,?,?,?,?,?,?,?,?)')
  const add = (id: string, title: string, type: string, parent: string | null, folders: string | null) =>
    insert.run(
      id,
      title,
      `2026-05-21T10:0${id}:00+00:00`,
      type,
      type === 'zstd' ? pack(text) : text,
      parent,
      folders,
      '0,1',
      null,
    )
  add('1', 'Packed', 'zstd', null, `/home/dev/lib\n${ROOT}`)
  add('2', 'Plain', 'json', null, ROOT)
  add('3', 'A task', 'json', '2', ROOT)
  add('4', '🔗 Of somebody else', 'json', null, ROOT)
  add('5', 'Elsewhere', 'json', null, '/home/dev/other')
  add('6', 'Without a folder', 'json', null, null)
  db.close()
  const refs = await find()
  expect(refs).toMatchObject([
    { id: '2', cwd: ROOT, title: 'Plain', updatedAt: '2026-05-21T10:02:00.000Z' },
    { id: '1', cwd: ROOT, title: 'Packed' },
  ])
  const { ref } = await identifyFile(fixtureOf('zed', 'session.json'))
  const expected = await eventsOf(zed, { ...ref, cwd: ROOT })
  for (const one of refs) expect(await eventsOf(zed, one)).toEqual(expected)
})
