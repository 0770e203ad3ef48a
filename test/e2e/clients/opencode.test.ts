import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { git, handoff, makeLab } from '../lab.ts'
import { create, expectPickedUp } from './handover.ts'
import { clientTest, GOAL, pickUp, work } from './work.ts'

describe('OpenCode', () => {
  clientTest(
    'is read live from its database, and OpenCode goes on from the brief',
    ['opencode'],
    async () => {
      const lab = await makeLab()
      await work(lab, 'opencode')
      await create(lab, 'opencode')
      expectPickedUp(await pickUp(lab, 'opencode'))
    },
  )

  clientTest('hands over to Claude Code', ['opencode', 'claude-code'], async () => {
    const lab = await makeLab()
    await work(lab, 'opencode')
    await create(lab, 'opencode')
    expectPickedUp(await pickUp(lab, 'claude-code'))
  })

  clientTest('takes over from Claude Code', ['opencode', 'claude-code'], async () => {
    const lab = await makeLab()
    await work(lab, 'claude-code')
    await create(lab, 'claude-code')
    expectPickedUp(await pickUp(lab, 'opencode'))
  })

  clientTest('hands over its own session when it calls create itself', ['opencode'], async () => {
    const lab = await makeLab()
    await work(lab, 'opencode', { extra: [[{ run: `handoff create '${GOAL}' --json > ../made.json` }]] })
    const made = await handoff(lab, 'show', '--json')
    expect(made.code, made.stderr).toBe(0)
    expect(await git(lab, 'log', '-1', '--format=%s')).toContain('handoff')
    expect((await stat(join(lab.repo, '..', 'made.json'))).size).toBeGreaterThan(0)
  })
})
