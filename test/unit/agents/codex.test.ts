import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { callerBy } from '../../../src/agents/caller.ts'
import { codex } from '../../../src/agents/codex/index.ts'
import type { SessionEvent } from '../../../src/types/session.ts'

const fixtures = join(import.meta.dirname, '../../fixtures')
const home = join(fixtures, 'agents-home/codex')
const idsOf = (refs: { id: string }[]): string[] => refs.map(({ id }) => id.slice(-1))
const HEAD =
  '{"timestamp":"2026-11-22T00:00:00.000Z","type":"session_meta","payload":{"id":"x","cwd":"/home/dev/repo"}}\n'

describe('finding Codex threads', () => {
  it('lists threads of persons started in this repository, newest event first', async () => {
    const refs = await codex.find({ home, env: {} }, ['/home/dev/repo'])
    // 5 was rewound: its newest file is the session. 4 is a subagent, 3 a neighbour with a like name, 7 is empty.
    expect(idsOf(refs)).toEqual(['5', '1', '2', '0'])
    expect(refs[0]?.path).toContain('_01a20000-0000-7000-8000-000000000006.jsonl')
    expect(refs[1]).toMatchObject({
      agent: 'codex',
      cwd: '/home/dev/repo',
      startedAt: '2026-11-21T10:00:01.000Z',
      updatedAt: '2026-11-21T12:00:00.000Z',
      branch: 'main',
    })
    expect(refs[3]?.branch).toBe('old/"quoted"')
  })

  it('narrows to a subfolder and takes several roots', async () => {
    expect(idsOf(await codex.find({ home, env: {} }, ['/home/dev/repo/packages']))).toEqual(['2'])
    const both = await codex.find({ home, env: {} }, ['/home/dev/repo/packages', '/home/dev/repo-two'])
    expect(idsOf(both)).toEqual(['3', '2'])
  })

  it('looks where CODEX_HOME says, and finds nothing where Codex never ran', async () => {
    const env = { CODEX_HOME: join(home, '.codex') }
    expect(await codex.find({ home: '/nowhere', env }, ['/home/dev/repo'])).toHaveLength(4)
    expect(await codex.find({ home: '/nowhere', env: {} }, ['/home/dev/repo'])).toEqual([])
  })
})

describe('telling Codex by its first bytes', () => {
  it('knows no other format as its own', async () => {
    const heads = ['{"type":"session","id":"x"}\n', '{"role":"user","content":"hi"}\n', '# Notes\n']
    for (const head of heads) expect(await codex.identify('/x/session.jsonl', head)).toBeNull()
  })
})

describe('who called', () => {
  const ids = { CODEX_SESSION_ID: 's', CODEX_THREAD_ID: 't', CODEX_CI: '1' }
  it('names the conversation of the person, also from within a subagent', () => {
    expect(callerBy(codex, ids)).toEqual({ agent: 'codex', sessionId: 's', path: null })
    expect(callerBy(codex, { CODEX_THREAD_ID: 't' })).toEqual({ agent: 'codex', sessionId: 't', path: null })
    expect(callerBy(codex, { CODEX_CI: '1' })).toEqual({ agent: 'codex', sessionId: null, path: null })
    expect(callerBy(codex, { CODEX_HOME: '/home/dev/.codex' })).toBeNull()
    expect(codex.marks).toEqual(expect.arrayContaining(Object.keys(ids)))
  })
})

describe('reading', () => {
  const fixture = async (name: string): Promise<SessionEvent[]> => {
    const path = join(fixtures, 'agents/codex', name, 'session.jsonl')
    const ref = { agent: 'codex', id: '', path, cwd: null, startedAt: null, updatedAt: '', bytes: 0 } as const
    const events: SessionEvent[] = []
    for await (const batch of codex.read(ref, {})) events.push(...batch)
    return events
  }
  const sum = (events: SessionEvent[]): number[] =>
    events.reduce(
      ([input = 0, output = 0], event) =>
        event.kind === 'usage' ? [input + event.inputTokens, output + event.outputTokens] : [input, output],
      [0, 0],
    )

  it('counts tokens once: the increments add up to the last total', async () => {
    expect(sum(await fixture('usage-counted-once'))).toEqual([203000, 1460])
    expect(sum(await fixture('fork'))).toEqual([9000, 480])
    // Without its base a fork counts its own requests only.
    expect(sum(await fixture('fork-without-its-base'))).toEqual([1500, 80])
  })

  it('keeps the order of time when subagents work beside', async () => {
    const times = (await fixture('subagent')).map(({ at }) => at)
    expect(times).toEqual([...times].sort())
  })

  it('gives every call one result at most, and no result without a call', async () => {
    for (const name of ['classic', 'code-mode', 'parallel-calls', 'background-command', 'subagent']) {
      const events = await fixture(name)
      const calls = events.flatMap((event) => (event.kind === 'call' ? [event.id] : []))
      const results = events.flatMap((event) => (event.kind === 'result' ? [event.id] : []))
      expect(new Set(calls).size).toBe(calls.length)
      expect([...results].sort()).toEqual([...calls].sort())
    }
  })

  it('hands every byte to onRaw', async () => {
    const path = join(fixtures, 'agents/codex/torn-last-line/session.jsonl')
    let bytes = 0
    const ref = { agent: 'codex', id: '', path, cwd: null, startedAt: null, updatedAt: '', bytes: 0 } as const
    const onRaw = (block: Buffer) => {
      bytes += block.length
    }
    for await (const _ of codex.read(ref, { onRaw }));
    expect(bytes).toBe((await codex.identify(path, HEAD))?.bytes)
  })

  it('stops when it is told to', async () => {
    const path = join(fixtures, 'agents/codex/classic/session.jsonl')
    const ref = { agent: 'codex', id: '', path, cwd: null, startedAt: null, updatedAt: '', bytes: 0 } as const
    const signal = AbortSignal.abort(new Error('stop'))
    await expect(codex.read(ref, { signal })[Symbol.asyncIterator]().next()).rejects.toThrow('stop')
  })

  it('says which file cannot be read', async () => {
    const path = '/nowhere/session.jsonl'
    const ref = { agent: 'codex', id: '', path, cwd: null, startedAt: null, updatedAt: '', bytes: 0 } as const
    await expect(codex.read(ref, {})[Symbol.asyncIterator]().next()).rejects.toThrow(path)
  })
})
