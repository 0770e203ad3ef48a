import { describe, expect, it } from 'vitest'
import { readGoal } from '../../../src/extract/goal.ts'
import { workItems } from '../../../src/extract/work-items.ts'
import type { RecordedDecision, SourceRecord } from '../../../src/types/evidence.ts'
import type { PlanItem } from '../../../src/types/session.ts'
import { gitState } from './session.ts'

const decided = (title: string, more: Partial<RecordedDecision> = {}): RecordedDecision => ({
  title,
  status: 'accepted',
  supersededBy: null,
  chosen: null,
  why: null,
  alternatives: [],
  ...more,
})
const record = (path: string, decision: RecordedDecision | null, items: PlanItem[] = []): SourceRecord => ({
  path,
  decision,
  items,
})
const item = (text: string, status: PlanItem['status'], path: string): PlanItem => ({ text, status, path })
const goal = readGoal('make the retry queue durable', null).words
const changing = (path: string) =>
  gitState([path], { changes: [{ path, staged: false, unstaged: true, state: 'modified' }] })

describe('workItems', () => {
  it('takes decisions that name a word of the goal or were changed, and not those that are over', () => {
    const records = [
      record('adr/1.md', decided('Queue in memory', { status: 'superseded', supersededBy: 'adr 2' })),
      record(
        'adr/2.md',
        decided('Which queue', { chosen: 'PostgreSQL', why: 'it is there', alternatives: ['Redis'] }),
      ),
      record('adr/3.md', decided('Use tabs')),
      record('adr/4.md', decided('Use spaces', { status: 'rejected' })),
    ]
    expect(workItems(records, changing('adr/4.md'), goal).decisions).toEqual([
      {
        what: 'Which queue: PostgreSQL (adr/2.md)',
        why: 'it is there',
        alternatives: ['Redis'],
        by: 'project',
        source: 'git',
        at: null,
      },
      expect.objectContaining({ what: 'Use spaces (adr/4.md, rejected)' }),
    ])
    expect(workItems(records, changing('adr/1.md'), goal).decisions[0]?.what).toBe(
      'Queue in memory (adr/1.md, superseded by adr 2)',
    )
  })

  it('takes open items of a changed plan, elsewhere those that name a word of the goal', () => {
    const records = [
      record('PLAN.md', null, [
        item('write the docs', 'pending', 'PLAN.md'),
        item('begin', 'done', 'PLAN.md'),
        item('never', 'cancelled', 'PLAN.md'),
      ]),
      record('TODO.md', null, [
        item('drain the queue', 'in_progress', 'TODO.md'),
        item('new logo', 'pending', 'TODO.md'),
      ]),
    ]
    const { plan, planFiles } = workItems(records, changing('PLAN.md'), goal)
    expect(plan.map(({ text }) => text)).toEqual(['write the docs', 'drain the queue'])
    expect(planFiles).toEqual([
      { path: 'PLAN.md', done: 1, total: 2 },
      { path: 'TODO.md', done: 0, total: 2 },
    ])
    expect(workItems(records, null, readGoal('paint the house', null).words)).toEqual({
      decisions: [],
      plan: [],
      planFiles: [],
    })
  })

  it('fills no brief: a few of many', () => {
    const many = Array.from({ length: 50 }, (_, i) =>
      record(`adr/${i}.md`, decided(`Queue rule ${i}`), [item(`queue job ${i}`, 'pending', `adr/${i}.md`)]),
    )
    const { decisions, plan } = workItems(many, null, goal)
    expect([decisions.length, plan.length]).toEqual([4, 8])
  })
})
