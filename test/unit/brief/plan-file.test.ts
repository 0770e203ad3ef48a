import { describe, expect, it } from 'vitest'
import { readPlanFile } from '../../../src/brief/records.ts'
import { expectLinear } from '../../growth.ts'

describe('readPlanFile', () => {
  it('reads text and state, not what stands in a fence', () => {
    const text = [
      '# Plan',
      '- [ ] open',
      '- [x] done',
      '* [~] begun',
      '  1. [ ] inner (in progress)',
      '- [-] given up',
      '- [ ] write the docs (blocked by: the API, #12)',
      '- plain words',
      '```',
      '- [ ] example',
      '```',
      '- [X] done there',
    ].join('\n')
    const path = 'PLAN.md'
    expect(readPlanFile(path, text)).toEqual([
      { text: 'open', status: 'pending', path },
      { text: 'done', status: 'done', path },
      { text: 'begun', status: 'in_progress', path },
      { text: 'inner (in progress)', status: 'pending', path },
      { text: 'given up', status: 'cancelled', path },
      { text: 'write the docs (blocked by: the API, #12)', status: 'pending', path },
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
