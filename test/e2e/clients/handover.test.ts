import { describe, expect } from 'vitest'
import { git, makeLab, textOf } from '../lab.ts'
import { create, expectPickedUp } from './handover.ts'
import { clientTest, pickUp, work } from './work.ts'

describe('a fresh agent told to read .handoff/latest.md has the goal, the demand, the file and the failing command', () => {
  clientTest('Claude Code to Claude Code', ['claude-code'], async () => {
    const lab = await makeLab()
    await work(lab, 'claude-code')
    await create(lab, 'claude-code')
    expectPickedUp(await pickUp(lab, 'claude-code'))
  })

  clientTest('Claude Code to Codex', ['claude-code', 'codex'], async () => {
    const lab = await makeLab()
    await work(lab, 'claude-code')
    await create(lab, 'claude-code')
    expectPickedUp(await pickUp(lab, 'codex'))
  })

  // The model's name decides the tools: classic ones, or one tool that takes JavaScript.
  for (const [model, tools] of [
    ['gpt-5.5', 'classic tools'],
    ['gpt-6.1-sol', 'code mode'],
  ] as const) {
    clientTest(`Codex with ${tools} to Claude Code`, ['claude-code', 'codex'], async () => {
      const lab = await makeLab()
      await work(lab, 'codex', { model })
      await create(lab, 'codex')
      expectPickedUp(await pickUp(lab, 'claude-code'))
    })
  }

  clientTest('Claude Code to Codex in code mode', ['claude-code', 'codex'], async () => {
    const lab = await makeLab()
    await work(lab, 'claude-code')
    await create(lab, 'claude-code')
    expectPickedUp(await pickUp(lab, 'codex', 'gpt-6.1-sol'))
  })

  clientTest('Pi to Claude Code', ['pi', 'claude-code'], async () => {
    const lab = await makeLab()
    await work(lab, 'pi')
    await create(lab, 'pi')
    expectPickedUp(await pickUp(lab, 'claude-code'))
  })

  clientTest('Claude Code to Pi', ['pi', 'claude-code'], async () => {
    const lab = await makeLab()
    await work(lab, 'claude-code')
    await create(lab, 'claude-code')
    expectPickedUp(await pickUp(lab, 'pi'))
  })
})

describe('the brief of a real session', () => {
  clientTest('is one commit with nothing but our own files', ['claude-code'], async () => {
    const lab = await makeLab()
    await work(lab, 'claude-code')
    await create(lab, 'claude-code')
    expect((await git(lab, 'rev-list', '--count', 'main..HEAD')).trim()).toBe('1')
    const committed = (await git(lab, 'show', '--name-only', '--format=', 'HEAD')).trim().split('\n')
    expect(committed.filter((path) => !path.startsWith('.handoff/'))).toEqual([])
    expect(await textOf(lab, 'calc.js')).toContain('a + b')
  })
})
