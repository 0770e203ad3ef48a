import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { recordPickUp } from '../../../src/store/journal.ts'
import { makeFolder } from '../make-repo.ts'

it('forgets what nobody has any more, so that a hook reads few files', async () => {
  const commonDir = makeFolder()
  const by = { agent: 'codex', sessionId: 'one', root: commonDir, isActing: true }
  const names = (): string[] => readdirSync(join(commonDir, 'handoff/picked-up'))
  await recordPickUp(commonDir, { ...by, id: '20261122T100000-00000001', at: '2026-11-22T10:00:00.000Z' })
  await recordPickUp(commonDir, { ...by, id: '20261123T100000-00000002', at: '2026-11-23T10:00:00.000Z' })
  expect(names()).toHaveLength(2)
  await recordPickUp(commonDir, { ...by, id: '20261126T090000-00000003', at: '2026-11-26T09:00:00.000Z' })
  expect(names()).toEqual(['20261123T100000-00000002.json', '20261126T090000-00000003.json'])
})
