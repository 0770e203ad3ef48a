import { readFile } from 'node:fs/promises'
import { describe, expect } from 'vitest'
import type { Scenario } from '../model/scenario.ts'
import { initialised, keptIn } from './initialised.ts'
import { clientTest, turn } from './work.ts'

/** Scripted so that each request is above 90 % of where the client compacts: 167,000 of 200,000 tokens, and 244,800 of 272,000. */
const CLIENTS = [
  { id: 'claude-code', input: 155_000, pct: 92, again: ['hello', ['--continue']] },
  { id: 'codex', input: 226_000, pct: 92, again: ['resume', ['--last', 'hello']] },
] as const

describe.each(CLIENTS)('a session of $id that is nearly full', ({ id, input, pct, again }) => {
  clientTest('is told so once, with the command that hands over', [id], async () => {
    const lab = await initialised(id)
    const full: Scenario = {
      usage: { input, output: 80 },
      turns: [{ on: 'hello', steps: [[{ say: 'Hello.' }]] }],
    }
    await turn(lab, id, 'hello', full)
    const told = await keptIn(lab, 'nudges')
    const [session] = await keptIn(lab, 'sessions')
    expect(told).toMatchObject([{ agent: id, sessionId: session.sessionId, thresholdPct: 90, pct }])

    const [prompt, args] = again
    await turn(lab, id, prompt, full, undefined, [...args])
    expect((await keptIn(lab, 'nudges')).map(({ at }) => at)).toEqual(told.map(({ at }) => at))
    expect((await keptIn(lab, 'sessions')).map(({ sessionId }) => sessionId)).toEqual([session.sessionId])
    // Codex shows it on its screen and keeps no record of it.
    if (id !== 'claude-code') return
    const shown = (await readFile(session.path, 'utf8'))
      .split('\n')
      .filter((line) => line.includes('"type":"hook_system_message"'))
    expect(shown).toEqual([
      expect.stringContaining(
        `${pct} % full (Claude Code compacts it at 100 %). To hand the work over, type: `,
      ),
    ])
  })
})
