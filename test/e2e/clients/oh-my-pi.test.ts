import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { handoff, makeLab } from '../lab.ts'
import { create, expectPickedUp } from './handover.ts'
import { clientTest, GOAL, handOver, PAGE_TOLD, pickUp, work } from './work.ts'

describe('oh-my-pi', () => {
  clientTest('is read from its file, and oh-my-pi goes on from the brief', ['oh-my-pi'], async () => {
    const lab = await makeLab()
    await work(lab, 'oh-my-pi')
    await create(lab, 'oh-my-pi')
    expectPickedUp(await pickUp(lab, 'oh-my-pi'))
  })

  clientTest('hands over to Claude Code, whose mark it sets too', ['oh-my-pi', 'claude-code'], async () => {
    const lab = await makeLab()
    await work(lab, 'oh-my-pi', {
      extra: [
        [{ run: `handoff create '${GOAL}'; true` }],
        [{ run: handOver(GOAL, '--json > ../made.json') }],
      ],
    })
    const made = JSON.parse(await readFile(join(lab.repo, '..', 'made.json'), 'utf8'))
    expect(made).toMatchObject({ ok: true, session: { agent: 'oh-my-pi' } })
    expect(made.markdown).toContain(PAGE_TOLD)
    const checked = await handoff(lab, 'check', made.path)
    expect(checked.code, checked.stderr + checked.stdout).toBe(0)
    expectPickedUp(await pickUp(lab, 'claude-code'))
  })

  clientTest('takes over from Claude Code', ['oh-my-pi', 'claude-code'], async () => {
    const lab = await makeLab()
    await work(lab, 'claude-code')
    await create(lab, 'claude-code')
    expectPickedUp(await pickUp(lab, 'oh-my-pi'))
  })
})
