import { describe, expect, it } from 'vitest'
import { readPlanFile } from '../../../src/brief/records.ts'
import { expectLinear } from '../../growth.ts'

describe('readPlanFile', () => {
  it('reads state and what an item waits for, not what stands in a fence', () => {
    const text = [
      '# Plan',
      '- [ ] open',
      '- [x] done',
      '* [~] begun',
      '  1. [ ] inner (in progress)',
      '- [-] given up',
      '- [ ] write the docs (blocked by: the API, #12)',
      '- [ ] ship it, blocked by T-4',
      '- plain words',
      '```',
      '- [ ] example',
      '```',
      '### In progress',
      '- [ ] under its heading',
      '- [X] done there',
    ].join('\n')
    const path = 'PLAN.md'
    expect(readPlanFile(path, text)).toEqual([
      { text: 'open', status: 'pending', path },
      { text: 'done', status: 'done', path },
      { text: 'begun', status: 'in_progress', path },
      { text: 'inner', status: 'in_progress', path },
      { text: 'given up', status: 'cancelled', path },
      { text: 'write the docs', status: 'pending', blockedBy: ['the API', '#12'], path },
      { text: 'ship it', status: 'pending', blockedBy: ['T-4'], path },
      { text: 'under its heading', status: 'in_progress', path },
      { text: 'done there', status: 'done', path },
    ])
  })

  it('takes bullets for items only in a TODO file without boxes', () => {
    const text = '# Later\n\n- port the queue\n- [link](x.md)\n'
    expect(readPlanFile('docs/todo.md', text).map((item) => item.text)).toEqual([
      'port the queue',
      '[link](x.md)',
    ])
    expect(readPlanFile('PLAN.md', text)).toEqual([])
    expect(readPlanFile('TODO.md', `${text}- [ ] boxed\n`).map((item) => item.text)).toEqual(['boxed'])
  })

  it('takes linear time whatever is in it', async () => {
    await expectLinear(2000, (n) => {
      for (const part of ['blocked by ', ' (blocked by: ', ' , ', '(in progress', '—'])
        readPlanFile('TODO.md', `- [ ] ${part.repeat(n)}!`)
    })
  })
})
