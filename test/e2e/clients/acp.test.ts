import { describe, expect } from 'vitest'
import type { ClientId } from '../client/client.ts'
import { makeLab } from '../lab.ts'
import { allowKey, clientTest, DEMAND, GOAL, handoffBeside, work } from './work.ts'

/** Agents that list and load their sessions by ACP without a network; Gemini CLI 0.61 cannot list them. */
const AGENTS: readonly ClientId[] = ['opencode', 'qwen-code', 'copilot-cli']

describe('an ACP agent', () => {
  for (const id of AGENTS)
    clientTest(`replays its session for a brief, and goes on from one: ${id}`, [id], async () => {
      const lab = await makeLab()
      await allowKey(lab)
      await work(lab, id)
      const args = ['create', GOAL, '--from', `acp:${id}`, '--json', '--no-notes']
      const { stdout } = await handoffBeside(lab, id, { turns: [] }, ...args)
      const { ok, session, markdown } = JSON.parse(stdout)
      expect({ ok, session }).toMatchObject({ ok: true, session: { agent: id } })
      expect(markdown).toContain(DEMAND)
      expect(markdown).toMatch(/^- `calc\.js` — .*edited/m)
      expect(markdown).toContain('`node --test calc.test.js` — test, failed')

      const goesOn = { turns: [{ on: 'A handoff brief is open', steps: [[{ say: 'I mend sub.' }]] }] }
      const resume = ['resume', '--to', `acp:${id}`, '--headless', '--json']
      const resumed = await handoffBeside(lab, id, goesOn, ...resume)
      expect(JSON.parse(resumed.stdout)).toMatchObject({ ok: true, exit: 0, output: 'I mend sub.' })
      expect(JSON.stringify(resumed.requests)).toContain('A handoff brief is open')
    })
})
