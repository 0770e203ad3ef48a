import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { git, handoff, makeLab } from '../lab.ts'
import { create, expectPickedUp } from './handover.ts'
import { clientTest, GOAL, pickUp, work } from './work.ts'

describe('Gemini CLI', () => {
  clientTest('is read from its log, and Gemini CLI goes on from the brief', ['gemini-cli'], async () => {
    const lab = await makeLab()
    await work(lab, 'gemini-cli')
    await create(lab, 'gemini-cli')
    expectPickedUp(await pickUp(lab, 'gemini-cli'))
  })

  clientTest('hands over to Claude Code', ['gemini-cli', 'claude-code'], async () => {
    const lab = await makeLab()
    await work(lab, 'gemini-cli')
    await create(lab, 'gemini-cli')
    expectPickedUp(await pickUp(lab, 'claude-code'))
  })

  clientTest('takes over from Claude Code', ['gemini-cli', 'claude-code'], async () => {
    const lab = await makeLab()
    await work(lab, 'claude-code')
    await create(lab, 'claude-code')
    expectPickedUp(await pickUp(lab, 'gemini-cli'))
  })

  clientTest('hands over its own session when it calls create itself', ['gemini-cli'], async () => {
    const lab = await makeLab()
    await work(lab, 'gemini-cli', {
      extra: [
        [{ run: `handoff create '${GOAL}'; true` }],
        [{ run: `handoff create '${GOAL}' --json > ../made.json` }],
      ],
    })
    const made = JSON.parse(await readFile(join(lab.repo, '..', 'made.json'), 'utf8'))
    expect(made).toMatchObject({ ok: true, session: { agent: 'gemini-cli' } })
    expect(await git(lab, 'show', `HEAD:${made.path}`)).toContain(GOAL)
    const checked = await handoff(lab, 'check', made.path)
    expect(checked.code, checked.stderr + checked.stdout).toBe(0)
  })
})
