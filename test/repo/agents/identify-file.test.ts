import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findSessions, identifyFile } from '../../../src/agents/find.ts'

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

describe('findSessions', () => {
  it('finds none in an empty home, for one agent or all', async () => {
    const place = { home: folder, env: {} }
    expect(await findSessions(place, ['/home/dev/repo'])).toEqual([])
    expect(await findSessions(place, ['/home/dev/repo'], 'claude-code')).toEqual([])
  })
})
