import { describe, expect, it } from 'vitest'
import { mergeByTime } from '../../../src/agents/merge-by-time.ts'
import type { SessionEvent } from '../../../src/types/session.ts'

const at = (second: number | null) => (second === null ? null : `2026-01-01T00:00:0${second}.000Z`)
const reply = (second: number | null, sub: string | null = null): SessionEvent => ({
  kind: 'reply',
  at: at(second),
  sub,
  cwd: null,
  text: `${sub ?? 'main'} ${second}`,
})

async function merged(main: SessionEvent[][], sides: [number, SessionEvent[]][]): Promise<string[]> {
  async function* batches(list: SessionEvent[][]) {
    yield* list
  }
  const streams = sides.map(([second, events]) => ({
    startedAt: at(second) ?? '',
    events,
  }))
  const texts: string[] = []
  for await (const batch of mergeByTime(batches(main), streams, ({ events }) => batches([events])))
    for (const event of batch) texts.push(event.kind === 'reply' ? event.text : event.kind)
  return texts
}

describe('mergeByTime', () => {
  it('puts subagents where they worked, the conversation first when times are equal', async () => {
    const main = [
      [reply(1), reply(3)],
      [reply(null), reply(5)],
    ]
    const sides: [number, SessionEvent[]][] = [
      [2, [reply(2, 'b'), reply(5, 'b'), reply(6, 'b')]],
      [1, [reply(1, 'a'), reply(null, 'a'), reply(4, 'a')]],
    ]
    expect(await merged(main, sides)).toEqual([
      'main 1',
      'a 1',
      'a null',
      'b 2',
      'main 3',
      'main null',
      'a 4',
      'main 5',
      'b 5',
      'b 6',
    ])
  })

  it('tells a subagent that outlives the conversation', async () => {
    expect(await merged([[reply(1)]], [[4, [reply(4, 'a')]]])).toEqual(['main 1', 'a 4'])
  })

  it('passes a conversation without subagents on as it is', async () => {
    expect(await merged([[reply(2)], [reply(1)]], [])).toEqual(['main 2', 'main 1'])
  })
})
