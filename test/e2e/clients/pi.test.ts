import { describe, expect } from 'vitest'
import { git, handoff, makeLab, textOf } from '../lab.ts'
import { create } from './handover.ts'
import { clientTest, GOAL, textsOf, turn, work } from './work.ts'

const hello = { turns: [{ on: 'hello', steps: [[{ say: 'Hello.' }]] }] }

async function init(lab: Awaited<ReturnType<typeof makeLab>>): Promise<void> {
  const done = await handoff(lab, 'init', '--agent', 'pi', '--yes')
  expect(done.code, done.stderr + done.stdout).toBe(0)
  await git(lab, 'add', '.')
  await git(lab, 'commit', '-q', '-m', 'Set up handoff')
}

describe('Pi with the extension that init writes', () => {
  clientTest(
    'puts the pointer before the model of a fresh session, and keeps its state',
    ['pi'],
    async () => {
      const lab = await makeLab()
      await init(lab)
      await work(lab, 'pi')
      await create(lab, 'pi')
      const report = await turn(lab, 'pi', 'hello', hello)
      const texts = textsOf(report.requests[0])
      expect(texts.some((text) => text.includes(`Goal: ${GOAL.slice(0, 60)}`))).toBe(true)
      const journal = await textOf(lab, '.git/handoff/journal')
      expect(journal).toContain('"kind":"pick-up"')
      expect(journal).not.toContain('failed')
    },
  )

  clientTest('/handoff makes the brief of the session that calls it', ['pi'], async () => {
    const lab = await makeLab()
    await init(lab)
    await work(lab, 'pi')
    await turn(lab, 'pi', `/handoff ${GOAL}`, hello)
    expect(await git(lab, 'log', '-1', '--format=%s')).toContain('chore(handoff):')
    const latest = await textOf(lab, '.handoff/latest.md')
    expect(latest).toContain(GOAL)
  })
})
