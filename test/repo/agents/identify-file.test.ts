import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findSessions, identifyFile } from '../../../src/agents/find.ts'
import { sampled } from '../../sampled.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'handoff-identify-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const file = (name: string, content: string | Buffer) => {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

describe('a session file that cannot be used', () => {
  it.each([
    ['empty', '', /the file is empty/],
    ['binary', Buffer.from([0x53, 0x51, 0x4c, 0x00, 0x01]), /it is a binary file/],
    ['blank', '\n\n \n', /it holds blank lines only/],
    ['without one valid line', 'hello\nworld {\n', /no line of it is a valid record/],
    ['of an unknown agent', '{"weather":"fine"}\n{"weather":"rain"}\n', /its records are of no known kind/],
  ])('%s is refused with the reason', async (name, content, reason) => {
    const path = file(name, content)
    await expect(identifyFile(path)).rejects.toMatchObject({ code: 'E_SESSION_FORMAT', message: reason })
  })

  it.each([
    ['missing', () => join(folder, 'nowhere.jsonl')],
    ['a folder', () => folder],
  ])('%s is unreadable', async (_, path) => {
    await expect(identifyFile(path())).rejects.toMatchObject({ code: 'E_SESSION_UNREADABLE' })
  })
})

describe('C11: a session of Qwen Code', () => {
  it('C11: is not taken for one of Claude Code', async () => {
    const path = join(folder, 'qwen.jsonl')
    const row = (uuid: string, type: string, message: object) =>
      JSON.stringify({
        ...{ uuid, parentUuid: null, sessionId: '40413599-bb98-48b4-b4c7-464b9bdd14c7' },
        ...{ timestamp: '2026-11-23T11:25:01.037Z', type, cwd: '/home/dev/shop', version: '0.15.10' },
        message,
      })
    const rows = [
      row('1', 'user', { role: 'user', parts: [{ text: 'Gross must add the tax.' }] }),
      row('2', 'assistant', { role: 'model', parts: [{ text: 'It adds the tax.' }] }),
    ]
    writeFileSync(path, `${rows.join('\n')}\n`)
    expect((await identifyFile(path)).adapter.id).toBe('qwen-code')
  })
})

describe('a session file', () => {
  it('is told by its records even when a long line of another kind stands first', async () => {
    const shape = JSON.stringify({ type: 'api-request-shape', sessionId: 's', tools: 'x'.repeat(120_000) })
    const row = { parentUuid: null, sessionId: 's', type: 'user', message: { role: 'user', content: 'hi' } }
    const path = file(
      'long.jsonl',
      `${shape}\n${JSON.stringify({ ...row, uuid: 'u', cwd: '/home/dev/repo' })}\n`,
    )
    const { adapter, ref } = await identifyFile(path)
    expect(adapter.id).toBe('claude-code')
    expect(ref).toMatchObject({ id: 's', cwd: '/home/dev/repo', path })
  })
})

/** The first line of a session of each agent that keeps lines, and what makes it a session besides. */
const FIRST: Record<string, [object, ...object[]]> = {
  'claude-code': [
    {
      parentUuid: null,
      sessionId: 's',
      cwd: '/home/dev/repo',
      type: 'user',
      uuid: 'u',
      message: { role: 'user' },
    },
  ],
  'copilot-cli': [
    { type: 'session.start', data: { sessionId: 's', context: { cwd: '/home/dev/repo' } }, id: 'e' },
  ],
  'gemini-cli': [{ sessionId: 's', projectHash: 'h', startTime: '2026-01-01T00:00:00.000Z' }],
  pi: [{ type: 'session', id: 's', cwd: '/home/dev/repo', timestamp: '2026-01-01T00:00:00.000Z' }],
  plain: [{ role: 'user', content: 'Fix it' }],
}

describe('S13: a session whose first record is long', () => {
  it.each(sampled(Object.keys(FIRST), 1))('is one of %s', async (agent) => {
    const [first, ...more] = FIRST[agent] ?? [{}]
    for (const length of [100_000, 700_000, 5_000_000]) {
      const lines = [{ ...first, pasted: 'a log of a day '.repeat(length / 15) }, ...more, { role: 'none' }]
      const path = file('events.jsonl', `${lines.map((one) => JSON.stringify(one)).join('\n')}\n`)
      const { adapter, ref } = await identifyFile(path)
      expect(adapter.id, String(length)).toBe(agent)
      if (agent !== 'plain') expect(ref.id).toBe('s')
    }
  })

  it('of Claude Code is found in its folder', async () => {
    const cwd = '/home/dev/repo'
    const folderOf = join(folder, '.claude/projects/-home-dev-repo')
    mkdirSync(folderOf, { recursive: true })
    const content = 'a log of a day\n'.repeat(50_000)
    const row = {
      parentUuid: null,
      sessionId: 's',
      cwd,
      type: 'user',
      uuid: 'u',
      message: { role: 'user', content },
    }
    writeFileSync(join(folderOf, 's.jsonl'), `${JSON.stringify(row)}\n`)
    const found = await findSessions({ home: folder, env: {} }, [cwd], 'claude-code')
    expect(found.map(({ id }) => id)).toEqual(['s'])
    rmSync(join(folder, '.claude'), { recursive: true })
  })
})

describe('findSessions', () => {
  it('finds none in an empty home, for one agent or all', async () => {
    const place = { home: folder, env: {} }
    expect(await findSessions(place, ['/home/dev/repo'])).toEqual([])
    expect(await findSessions(place, ['/home/dev/repo'], 'claude-code')).toEqual([])
  })
})
