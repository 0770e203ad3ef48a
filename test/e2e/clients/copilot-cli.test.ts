import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { git, handoff, makeLab } from '../lab.ts'
import { create, expectPickedUp, handsOverItself } from './handover.ts'
import { journalOf } from './initialised.ts'
import { BEGINNING, heardBy, onScreen } from './on-screen.ts'
import { clientTest, GOAL, handOver, PAGE_TOLD, pickUp, textsOf, turn, work } from './work.ts'

describe('Copilot CLI', () => {
  clientTest('is read from its events, and Copilot CLI goes on from the brief', ['copilot-cli'], async () => {
    const lab = await makeLab()
    await work(lab, 'copilot-cli')
    await create(lab, 'copilot-cli')
    expectPickedUp(await pickUp(lab, 'copilot-cli'))
  })

  clientTest('hands over to Claude Code', ['copilot-cli', 'claude-code'], async () => {
    const lab = await makeLab()
    await work(lab, 'copilot-cli')
    await create(lab, 'copilot-cli')
    expectPickedUp(await pickUp(lab, 'claude-code'))
  })

  clientTest('takes over from Claude Code', ['copilot-cli', 'claude-code'], async () => {
    const lab = await makeLab()
    await work(lab, 'claude-code')
    await create(lab, 'claude-code')
    expectPickedUp(await pickUp(lab, 'copilot-cli'))
  })

  clientTest('hands over its own session when it calls create itself', ['copilot-cli'], async () => {
    const lab = await makeLab()
    const brief = await handsOverItself(lab, 'copilot-cli', handOver(GOAL, '--json > ../made.json'))
    expect(brief).toContain(PAGE_TOLD)
  })

  onScreen(
    'tells a fresh session of the brief once, also where Claude Code is set up, whose hooks it runs too',
    ['copilot-cli'],
    async () => {
      const lab = await makeLab()
      const done = await handoff(lab, 'init', '--agent', 'claude-code,copilot-cli', '--yes')
      expect(done.code, done.stderr + done.stdout).toBe(0)
      await git(lab, 'add', '.')
      await git(lab, 'commit', '-q', '-m', 'Set up handoff')
      await work(lab, 'copilot-cli')
      await create(lab, 'copilot-cli')
      const told = await heardBy(lab, 'copilot-cli')
      expect(told).toHaveLength(1)
      expect(told[0]?.split(BEGINNING)).toHaveLength(2)
      const hello = { turns: [{ on: 'hello', steps: [[{ say: 'Hello.' }]] }] }
      const report = await turn(lab, 'copilot-cli', 'hello', hello)
      // Nobody sits there.
      expect(textsOf(report.requests).filter((text) => text.includes(BEGINNING))).toEqual([])
      const tools = (report.requests[0]?.tools ?? []) as { function?: { name?: string } }[]
      expect(
        tools.map((tool) => tool.function?.name).filter((name) => name?.startsWith('handoff-')),
      ).not.toEqual([])
      expect(await journalOf(lab)).not.toContain('failed')
      const states = await readdir(join(lab.repo, '.git/handoff/sessions'))
      expect(states.filter((name) => !name.startsWith('copilot-cli-'))).toEqual([])
      expect(states).toHaveLength(3)
    },
  )
})
