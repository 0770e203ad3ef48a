import { expect, it } from 'vitest'
import { statusLines } from '../../../src/status/status-lines.ts'

type Status = Parameters<typeof statusLines>[0]

const request = (day: number, open: boolean) => ({
  requestId: `202611${String(day).padStart(2, '0')}T100000-abcd0000`,
  state: open ? 'delivered' : 'failed',
  agent: 'claude-code',
  failure: null,
  cycle: { to: 'codex' },
  stalled: false,
  open,
})

it('C11: tells of switches that failed the newest first, below those that go on', () => {
  const requests = [...Array.from({ length: 9 }, (_, at) => request(at + 1, false)), request(10, true)]
  const status = {
    brief: null,
    landed: [],
    uncommitted: [],
    parked: [],
    requests: [requests[9], ...requests.slice(0, 9)],
    sessions: [],
    nudges: [],
    pickUps: [],
  } as unknown as Status
  const here = { session: null, notes: null, hooks: { agents: [], git: false } }
  const told = statusLines(status, null, 0, here).flatMap(
    (line) => /^Switch 202611(\d\d)/.exec(line)?.[1] ?? [],
  )
  expect(told).toEqual(['10', '09', '08'])
})
