import { describe, expect, it } from 'vitest'
import { peekOutput } from '../../../src/agents/claude-code/read.ts'
import { rolloutOf } from '../../../src/agents/codex/files.ts'
import { idOf, timeOf } from '../../../src/agents/fields.ts'
import { opencode } from '../../../src/agents/opencode/index.ts'
import { planStatus } from '../../../src/agents/tools.ts'

describe('a time', () => {
  it.each([
    '0000-00-00T00:00:00.000Z',
    '2026-13-01T00:00:00.000Z',
    '2026-11-32T00:00:00.000Z',
    '2026-11-22T24:61:00.000Z',
    '+275760-09-13T00:00:00.001Z',
    'x',
    8.64e15 + 1,
    null,
  ])('%s is none', (time) => {
    expect(timeOf(time)).toBeNull()
  })
  it('is one that a clock shows, to the year 9999', () => {
    for (const time of ['0000-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'])
      expect(timeOf(time)).toBe(time)
    expect(timeOf('2026-11-22T10:00:00+01:00')).toBe('2026-11-22T09:00:00.000Z')
  })
})

describe('the state of a task', () => {
  it.each([{ toString: 'x' }, 'constructor', null, 3])('%j is none that is known', (word) => {
    expect(planStatus(word)).toBe('pending')
  })
})

describe('a damaged string in a record that is read by its first bytes', () => {
  const header = (id: string, time: string) =>
    `{"timestamp":"${time}","type":"session_meta","payload":{"id":"${id}","timestamp":"${time}","cwd":"/r"}}`
  const NAME = '/s/rollout-2026-11-21T10-00-01-01a20000-0000-7000-8000-000000000001.jsonl'

  it.each(['\\q', '\u{0}', '\t', '\\u12'])('is none in a header of Codex: %j', (bad) => {
    expect(rolloutOf(NAME, header(`x${bad}`, '2026-11-21T10:00:01.000Z'))).toMatchObject({
      thread: '01a20000-0000-7000-8000-000000000001',
      cwd: '/r',
    })
  })
  it('is no time of a session of Codex', () => {
    expect(rolloutOf(NAME, header('x', 'yesterday'))?.startedAt).toBeNull()
    expect(rolloutOf(NAME, header('x', '2026-11-21T10:00:01Z'))?.startedAt).toBe('2026-11-21T10:00:01.000Z')
  })
  it.each(['\\q', '\u{0}', '\n'])('is no path of an edit of Claude Code: %j', (bad) => {
    const output = (path: string) => Buffer.from(`{"type":"update","filePath":"${path}"}`)
    const at = { contentEnd: 0, output: 0 } as Parameters<typeof peekOutput>[2]
    expect(peekOutput(output(`/r/a${bad}.ts`), 0, at)).toEqual({ type: 'update' })
    expect(peekOutput(output('/r/a.ts'), 0, at)).toEqual({ type: 'update', filePath: '/r/a.ts' })
  })
  it('makes no export of OpenCode', async () => {
    for (const head of ['{"info":{"id":\u{0}}}', '{"info":{id}}', '{"info":{"id":"a\tb"}}'])
      expect(await opencode.identify('/nowhere', head)).toBeNull()
  })
})

describe('an id', () => {
  it('is a text or a number, and nothing that cannot be said', () => {
    const ids = [7, 'a', null, [], { toString: 'x' }, Object.create(null)].map(idOf)
    expect(ids).toEqual(['7', 'a', '', '', '', ''])
  })
})
