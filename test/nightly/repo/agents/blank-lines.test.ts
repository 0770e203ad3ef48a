import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { identifyFile } from '../../../../src/agents/find.ts'
import type { SessionEvent } from '../../../../src/types/session.ts'
import { makeFolder } from '../../../repo/make-repo.ts'

const FIXTURES = fileURLToPath(new URL('../../../fixtures/agents', import.meta.url))

const filesOf = (agent: string): string[] =>
  readdirSync(join(FIXTURES, agent), { recursive: true, encoding: 'utf8' }).sort()

/** Those that write lines; oh-my-pi writes those of Pi, behind a title, and a session of Grok Build is a folder. */
const AGENTS = readdirSync(FIXTURES).filter(
  (agent) =>
    !['oh-my-pi', 'grok-build'].includes(agent) && filesOf(agent).some((file) => file.endsWith('.jsonl')),
)

/** A recorded session of one agent in a file of its own. */
function recorded(agent: string): string {
  const name = filesOf(agent).find((file) => file.endsWith('.jsonl')) ?? expect.fail(`a session of ${agent}`)
  return readFileSync(join(FIXTURES, agent, name), 'utf8')
}

async function eventsOf(path: string): Promise<SessionEvent[]> {
  const { adapter, ref } = await identifyFile(path)
  const events: SessionEvent[] = []
  for await (const batch of adapter.read(ref, {})) events.push(...[batch].flat())
  return events
}

describe('blank lines by the thousand', () => {
  it.each(AGENTS)('change nothing in a session of %s', async (agent) => {
    const path = join(makeFolder(), '11111111-2222-4333-8444-555555555555.jsonl')
    const [first = '', ...rest] = recorded(agent).split('\n')
    writeFileSync(path, [first, ...rest].join('\n'))
    const whole = await eventsOf(path)
    expect(whole.length).toBeGreaterThan(1)
    for (const blank of ['\n', '\r\n', ' \n'])
      for (const text of [
        [first, blank.repeat(50_000), ...rest].join('\n'),
        [first, ...rest, blank.repeat(50_000)].join('\n'),
      ]) {
        writeFileSync(path, text)
        const events = await eventsOf(path)
        expect(
          events.map(({ kind }) => kind),
          JSON.stringify(blank),
        ).toEqual(whole.map(({ kind }) => kind))
      }
  })
})
