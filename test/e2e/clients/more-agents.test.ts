import { describe } from 'vitest'
import { makeLab } from '../lab.ts'
import { create, expectPickedUp, handsOverItself } from './handover.ts'
import { clientTest, pickUp, work } from './work.ts'

describe('a fresh agent told to read .handoff/latest.md has the goal, the demand, the file and the failing command', () => {
  for (const id of ['qwen-code', 'cline', 'continue'] as const) {
    clientTest(`${id} to itself`, [id], async () => {
      const lab = await makeLab()
      await work(lab, id)
      await create(lab, id)
      expectPickedUp(await pickUp(lab, id))
    })
  }

  clientTest('Cline to Continue, and Continue to Qwen Code', ['cline', 'continue', 'qwen-code'], async () => {
    const lab = await makeLab()
    await work(lab, 'cline')
    await create(lab, 'cline')
    expectPickedUp(await pickUp(lab, 'continue'))
    const next = await makeLab()
    await work(next, 'continue')
    await create(next, 'continue')
    expectPickedUp(await pickUp(next, 'qwen-code'))
  })

  // Continue writes its file only after the first turn (1.5.47).
  for (const id of ['qwen-code', 'cline'] as const) {
    clientTest(`${id} hands over its own session when it calls create itself`, [id], async () => {
      const lab = await makeLab()
      await handsOverItself(lab, id)
    })
  }
})
