import { appendFile, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { opencode } from '../../../src/agents/opencode/index.ts'
import { pi } from '../../../src/agents/pi/index.ts'
import { plain } from '../../../src/agents/plain.ts'
import type { Adapter } from '../../../src/types/agent.ts'
import type { AgentId, ReadOptions, SessionEvent, SessionRef } from '../../../src/types/session.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'handoff-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const refOf = (agent: AgentId, path: string): SessionRef => ({
  agent,
  id: 's',
  path,
  cwd: null,
  startedAt: null,
  updatedAt: '2026-11-21T10:00:00.000Z',
  bytes: 0,
})
async function readAll(adapter: Adapter, path: string, options: ReadOptions = {}): Promise<SessionEvent[]> {
  const events: SessionEvent[] = []
  for await (const batch of adapter.read(refOf(adapter.id, path), options)) events.push(...batch)
  return events
}
const file = async (name: string, content: string): Promise<string> => {
  const path = join(folder, name)
  await writeFile(path, content)
  return path
}

const HEADER = '{"type":"session","version":3,"id":"s","timestamp":"2026-11-21T10:00:00.000Z","cwd":"/r"}\n'
const row = (id: string, parent: string | null, content: string): string =>
  `${JSON.stringify({ type: 'message', id, parentId: parent, timestamp: '2026-11-21T10:00:01.000Z', message: { role: 'user', content } })}\n`
const said = (events: SessionEvent[]): string[] =>
  events.flatMap((event) => (event.kind === 'prompt' ? [event.text] : []))

describe('Pi', () => {
  it('hands every byte to onRaw once, abandoned branches included', async () => {
    const content = HEADER + row('a', null, 'one') + row('b', 'a', 'left') + row('c', 'a', 'right')
    const path = await file('s.jsonl', content)
    let raw = ''
    const events = await readAll(pi, path, { onRaw: (block) => (raw += block.toString('utf8')) })
    expect(raw).toBe(content)
    expect(said(events)).toEqual(['one', 'right'])
  })

  it('goes on past a lost parent, a loop and a second root', async () => {
    const lost = HEADER + row('a', null, 'one') + row('c', 'b', 'three')
    expect(said(await readAll(pi, await file('lost.jsonl', lost)))).toEqual(['one', 'three'])
    const loop = HEADER + row('a', 'b', 'one') + row('b', 'b', 'two')
    expect(said(await readAll(pi, await file('loop.jsonl', loop)))).toEqual(['one', 'two'])
    const root = HEADER + row('a', null, 'old') + row('b', null, 'new')
    expect(said(await readAll(pi, await file('root.jsonl', root)))).toEqual(['new'])
  })

  it('reads the whole last line of a file that lacks its newline', async () => {
    const path = await file('s.jsonl', (HEADER + row('a', null, 'one') + row('b', 'a', 'two')).trimEnd())
    expect(said(await readAll(pi, path))).toEqual(['one', 'two'])
  })

  it('reads one moment of a session that grows meanwhile', async () => {
    const path = await file('s.jsonl', HEADER + row('a', null, 'one'))
    const seen: string[] = []
    for await (const batch of pi.read(refOf('pi', path), {})) {
      await appendFile(path, row('b', 'a', 'late'))
      seen.push(...batch.map(({ kind }) => kind))
    }
    expect(seen).toEqual(['prompt'])
  })

  it('reads version 1, which has no tree', async () => {
    const v1 = (content: string) =>
      `{"type":"message","timestamp":"2026-11-21T10:00:01.000Z","message":{"role":"user","content":"${content}"}}\n`
    const path = await file('s.jsonl', HEADER.replace('"version":3,', '') + v1('one') + v1('two'))
    expect(said(await readAll(pi, path))).toEqual(['one', 'two'])
  })

  it('stops when it is told to', async () => {
    const path = await file('s.jsonl', HEADER + row('a', null, 'one'))
    const signal = AbortSignal.abort(new Error('enough'))
    await expect(readAll(pi, path, { signal })).rejects.toThrow('enough')
  })

  it('says what is wrong with a file that is gone or has no header', async () => {
    await expect(readAll(pi, join(folder, 'gone'))).rejects.toMatchObject({ code: 'E_SESSION_UNREADABLE' })
    const path = await file('s.jsonl', row('a', null, 'one'))
    await expect(readAll(pi, path)).rejects.toMatchObject({ code: 'E_SESSION_FORMAT' })
  })
})

describe('an OpenCode export', () => {
  it('over 512 MB is refused before it is read', async () => {
    const path = await file('s.json', '{"info":{}')
    await truncate(path, 513 * 2 ** 20)
    await expect(readAll(opencode, path)).rejects.toThrow(/up to 512 MB, this one has 513 MB/)
  })

  it('cut off or without messages is named, with the way to write it again', async () => {
    const cut = await file('cut.json', '{"info":{"id":"ses_1"},"messages":[')
    await expect(readAll(opencode, cut)).rejects.toThrow(/write it again with `opencode export/)
    const bare = await file('bare.json', '{"info":{"id":"ses_1"}}')
    await expect(readAll(opencode, bare)).rejects.toMatchObject({ code: 'E_SESSION_FORMAT' })
    await expect(readAll(opencode, join(folder, 'gone'))).rejects.toMatchObject({
      code: 'E_SESSION_UNREADABLE',
    })
  })

  it('goes to onRaw, and is told by its first object even when the head does not hold all of it', async () => {
    const info = { id: 'ses_1', directory: '/r', title: 'T', note: '}"{'.repeat(30_000) }
    const content = JSON.stringify({ info, messages: [] })
    const path = await file('s.json', content)
    let raw = ''
    await readAll(opencode, path, { onRaw: (block) => (raw += block.toString('utf8')) })
    expect(raw).toBe(content)
    const ref = await opencode.identify(path, content.slice(0, 65_536))
    expect(ref).toMatchObject({
      agent: 'opencode',
      id: 'ses_1',
      cwd: '/r',
      title: 'T',
      bytes: content.length,
    })
    expect(await opencode.identify(path, '{"messages":[]}')).toBeNull()
  })
})

describe('a plain transcript', () => {
  it('of which no line is a turn is an error', async () => {
    const path = await file('s.jsonl', '{"a":1}\nno\n')
    await expect(readAll(plain, path)).rejects.toMatchObject({ code: 'E_SESSION_FORMAT' })
  })

  it('survives Windows line ends and a byte order mark', async () => {
    const markdown = await file('s.md', '\uFEFF## User\r\n\r\nhi\r\n\r\n## Assistant\r\nyes\r\n')
    expect(await readAll(plain, markdown)).toMatchObject([
      { kind: 'prompt', text: 'hi' },
      { kind: 'reply', text: 'yes' },
    ])
    const jsonl = await file('s.jsonl', '\uFEFF{"role":"user","content":"hi"}\r\n')
    expect(await readAll(plain, jsonl)).toMatchObject([{ kind: 'prompt', text: 'hi' }])
    expect(await plain.identify(jsonl, '\uFEFF{"role":"user","content":"hi"}\r\n')).toMatchObject({ id: 's' })
  })
})
