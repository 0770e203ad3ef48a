import { describe, expect } from 'vitest'
import type { ClientId } from '../client/client.ts'
import { makeLab } from '../lab.ts'
import { allowKey, clientTest, DEMAND, GOAL, handoffBeside, work } from './work.ts'

/** Agents that list and load their sessions by ACP without a network. */
const AGENTS: readonly ClientId[] = ['opencode']

describe('create --from acp:<agent>', () => {
  for (const id of AGENTS)
    clientTest(`makes the brief of what ${id} replays`, [id], async () => {
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
    })
})
