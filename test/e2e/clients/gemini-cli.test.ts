import { describe } from 'vitest'
import { makeLab } from '../lab.ts'
import { create, expectPickedUp, handsOverItself } from './handover.ts'
import { clientTest, pickUp, work } from './work.ts'

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
    await handsOverItself(lab, 'gemini-cli')
  })
})
