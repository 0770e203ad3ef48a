import { describe, expect, it } from 'vitest'
import { type Plan, planEdits, type Wish } from '../../../src/hooks/plan.ts'
import { parseRecord, renderRecord, type SetupRecord } from '../../../src/hooks/record.ts'
import type { SetupEdit } from '../../../src/types/agent.ts'

/** Files in memory, and the record, over several runs. */
function place(files: Record<string, string>) {
  const state = { files: { ...files }, record: { files: {}, marks: [] } as SetupRecord }
  const run = async (wishes: Wish[], known: SetupEdit[] = []): Promise<Plan> => {
    const plan = await planEdits({
      wishes,
      record: state.record,
      known,
      isHere: (path) => path.startsWith('/r/'),
      ends: ['/r'],
      read: async (path) => {
        const text = state.files[path]
        const bytes = text === undefined ? null : Buffer.from(text)
        return { state: 'open', path, bytes, mode: null, folders: [], readOnly: null }
      },
    })
    for (const { path, next } of plan.changes) {
      if (next === null) delete state.files[path]
      else state.files[path] = Buffer.from(next).toString()
    }
    // As it comes back from the disk.
    state.record = parseRecord(renderRecord(plan.record)) as SetupRecord
    return plan
  }
  return { state, run }
}

const skill = (content: string): SetupEdit => ({ type: 'file', path: '/r/skill', content })
const key = (name: string, value: unknown): SetupEdit => ({
  type: 'json-value',
  path: '/r/s.json',
  at: ['x', name],
  value,
})

describe('a plan', () => {
  it('puts a new version in place of the old one, and still knows what stood there first', async () => {
    const before = '{\n    "x": {}\n}'
    const { state, run } = place({ '/r/s.json': before })
    await run([{ owner: 'a', edits: [key('old', 1), skill('one\n')] }])
    expect((await run([{ owner: 'a', edits: [key('new', 2), skill('two\n')] }])).left).toEqual([])
    expect(JSON.parse(state.files['/r/s.json'] ?? '')).toEqual({ x: { new: 2 } })
    expect(state.files['/r/skill']).toBe('two\n')
    await run([{ owner: 'a', edits: [] }])
    expect(state.files).toEqual({ '/r/s.json': before })
    expect(state.record.files).toEqual({})
  })

  it('puts a new version in also when somebody has changed the file since', async () => {
    const { state, run } = place({})
    await run([{ owner: 'a', edits: [key('old', 1)] }])
    state.files['/r/s.json'] = '{"mine": true, "x": {"old": 1}} // note\n'
    await run([{ owner: 'a', edits: [key('new', 2)] }])
    expect(state.files['/r/s.json']).toBe('{"mine": true, "x": {"new":2}} // note\n')
    await run([{ owner: 'a', edits: [] }])
    expect(state.files['/r/s.json']).toBe('{"mine": true} // note\n')
  })

  it('keeps what another agent still needs', async () => {
    const { state, run } = place({})
    await run([
      { owner: 'a', edits: [skill('same\n'), key('a', 1)] },
      { owner: 'b', edits: [skill('same\n'), key('b', 2)] },
    ])
    await run([{ owner: 'a', edits: [] }], [skill('same\n'), key('a', 1)])
    expect(state.files).toMatchObject({ '/r/skill': 'same\n' })
    expect(JSON.parse(state.files['/r/s.json'] ?? '')).toEqual({ x: { b: 2 } })
    // Later on the first comes again, alone.
    await run([{ owner: 'a', edits: [skill('same\n'), key('a', 1)] }])
    expect(JSON.parse(state.files['/r/s.json'] ?? '')).toEqual({ x: { b: 2, a: 1 } })
    await run([
      { owner: 'a', edits: [] },
      { owner: 'b', edits: [] },
    ])
    expect(state.files).toEqual({})
  })

  it('takes out what an agent does not want any more', async () => {
    const { state, run } = place({})
    await run([{ owner: 'a', edits: [skill('one\n'), key('a', 1)] }])
    await run([{ owner: 'a', edits: [key('a', 1)] }])
    expect(Object.keys(state.files)).toEqual(['/r/s.json'])
  })

  it('does not take for ours what was there before', async () => {
    const theirs = '{"x":{"a":"theirs"}}'
    const { state, run } = place({ '/r/s.json': theirs, '/r/skill': 'theirs\n' })
    const plan = await run([{ owner: 'a', edits: [key('a', 1), skill('ours\n')] }])
    expect(plan.left).toEqual([
      { path: '/r/s.json', reason: 'it has its own `x.a`' },
      { path: '/r/skill', reason: 'there is another file of that name' },
    ])
    await run([{ owner: 'a', edits: [] }], [key('a', 1), skill('ours\n')])
    expect(state.files).toEqual({ '/r/s.json': theirs, '/r/skill': 'theirs\n' })
  })

  it('leaves files of other worktrees in the record', async () => {
    const { state, run } = place({})
    const edit: SetupEdit = { type: 'file', path: '/other/skill', content: 'x' }
    state.record.files['/other/skill'] = {
      before: null,
      after: null,
      folders: [],
      edits: [{ owners: ['a'], edit }],
    }
    await run([{ owner: 'a', edits: [] }])
    expect(Object.keys(state.record.files)).toEqual(['/other/skill'])
  })

  it('reads no record of another shape', () => {
    expect(parseRecord('{"schemaVersion":2}')).toBeNull()
    expect(parseRecord('{')).toBeNull()
    expect(parseRecord(null)).toEqual({ files: {}, marks: [] })
    const edit = { type: 'json-value', path: '/a', at: ['x'], value: 1 }
    const file = { before: null, after: 'x', folders: ['/b'], edits: [{ owners: ['codex'], edit }] }
    const whole = { schemaVersion: 1, marks: ['filter'], files: { '/a': file } }
    expect(parseRecord(JSON.stringify(whole))).toMatchObject({ marks: ['filter'] })
    expect(parseRecord(JSON.stringify({ ...whole, files: { '/a': null } }))).toBeNull()
  })
})
