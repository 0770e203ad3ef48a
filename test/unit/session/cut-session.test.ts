import { readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { identifyFile } from '../../../src/agents/find.ts'
import type { Invocation } from '../../../src/command.ts'
import { requestIn } from '../../../src/facts/shell.ts'
import { quietOutput } from '../../../src/output/output.ts'
import { cutSession } from '../../../src/session/cut-session.ts'
import type { PickedSession } from '../../../src/session/pick-session.ts'
import type { SessionEvent } from '../../../src/types/session.ts'
import { sampled } from '../../sampled.ts'

const fixtures = join(import.meta.dirname, '../../fixtures/agents')
const sessions = readdirSync(fixtures, { recursive: true, encoding: 'utf8' })
  .filter((path) => basename(path).startsWith('session.'))
  .sort()

const invocation = () =>
  ({ out: quietOutput(), place: { home: '/home/dev', env: {} } }) as unknown as Invocation

async function readAll(path: string, until?: string) {
  const { adapter, ref } = await identifyFile(join(fixtures, path))
  const whole: PickedSession = { adapter, ref, isOurs: true }
  const picked = until === undefined ? whole : await cutSession(invocation(), whole, until)
  const events: SessionEvent[] = []
  for await (const batch of picked.adapter.read(ref, {})) events.push(...batch)
  return { events, cut: picked.cut }
}

const isRequest = (event: SessionEvent): boolean =>
  event.kind === 'prompt' && event.sub === null && requestIn(event.text) !== null

describe('a session that is cut at a turn', () => {
  it('ends before the next request, and holds all before it, for every recorded client', async () => {
    const agents = new Set<string>()
    for (const path of sessions) {
      const { events } = await readAll(path)
      const starts = events.flatMap((event, at) => (isRequest(event) ? [at] : []))
      // A request that is recorded once more is no turn of its own.
      const texts = starts.map((at) => JSON.stringify(events[at], ['text']))
      if (new Set(texts).size < starts.length) continue
      for (const [nth, end] of sampled([...starts.slice(1).entries()], 2)) {
        const { events: kept, cut } = await readAll(path, String(nth + 1))
        expect(kept, path).toEqual(events.slice(0, end))
        expect(cut, path).toMatchObject({ until: `turn ${nth + 1}`, turn: nth + 1, turns: starts.length })
        agents.add(dirname(path).split('/')[0] ?? '')
      }
    }
    expect(agents.size).toBeGreaterThan(12)
  })

  it('holds all that was said and done by a time, in whatever order it was written', async () => {
    const path = sessions.find((name) => name.startsWith('claude-code/words-while-working-2.1.37')) ?? ''
    const { events } = await readAll(path)
    const times = [...new Set(events.flatMap(({ at }) => at ?? []))].sort().slice(2)
    expect(times.length).toBeGreaterThan(3)
    for (const time of times) {
      const { events: kept } = await readAll(path, time)
      const isThen = ({ at }: SessionEvent): boolean => at !== null && at <= time
      expect(kept.filter(({ at }) => at !== null)).toEqual(events.filter(isThen))
    }
  })
})
