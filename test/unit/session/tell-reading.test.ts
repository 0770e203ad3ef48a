import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Output } from '../../../src/output/output.ts'
import { tellReading } from '../../../src/session/session-list.ts'
import type { Adapter } from '../../../src/types/agent.ts'
import type { SessionRef } from '../../../src/types/session.ts'

const MB = 2 ** 20
const ref = { path: '/home/dev/a.jsonl', bytes: 1400 * MB } as SessionRef

/** Takes `steps` seconds, in each of which it shows 100 MB of the session and as much of a subagent. */
const slow = (steps: number): Adapter =>
  ({
    async *read({ path }, options) {
      for (let step = 0; step < steps; step++) {
        await new Promise((done) => setTimeout(done, 1000))
        const block = { length: 100 * MB } as Buffer
        options.onRaw?.(block, { path, offset: step * 100 * MB })
        options.onRaw?.(block, { path: '/home/dev/a/sub.jsonl', offset: 0 })
        yield []
      }
    },
  }) as Pick<Adapter, 'read'> as Adapter

async function told(adapter: Adapter, readings = 1): Promise<string[]> {
  vi.useFakeTimers()
  const said: string[] = []
  const out = { say: (text: string) => said.push(text) } as Pick<Output, 'say'> as Output
  const { read } = tellReading({ out }, adapter)
  const readOne = async () => {
    for await (const _ of read(ref, {}));
  }
  const all = Promise.all(Array.from({ length: readings }, readOne))
  await vi.runAllTimersAsync()
  await all
  return said
}

afterEach(() => void vi.useRealTimers())

describe('a session that takes long to read', () => {
  it('is told after two seconds and on, with how far it is and what ends it', async () => {
    expect(await told(slow(14))).toEqual([
      'Read 100.0 MB of 1400.0 MB, about 26 s to go; Ctrl-C cancels.',
      'Read 1100.0 MB of 1400.0 MB, about 3 s to go; Ctrl-C cancels.',
    ])
  })

  it('is told while nothing of it was shown yet', async () => {
    const still = { read: async function* () {} } as Partial<Adapter> as Adapter
    still.read = async function* () {
      await new Promise((done) => setTimeout(done, 3000))
      yield []
    }
    expect(await told(still)).toEqual(['Read 0 B of 1400.0 MB; Ctrl-C cancels.'])
  })

  it('is told once where it is read twice side by side; one that is read at once is not told', async () => {
    expect(await told(slow(3), 2)).toHaveLength(1)
    expect(await told(slow(1))).toEqual([])
  })
})
