import { describe, expect, it } from 'vitest'
import { PROPOSED } from '../../../src/extract/decisions.ts'
import { receiptOf } from '../../../src/report/receipt.ts'
import type { Brief } from '../../../src/types/brief.ts'
import type { DecisionFact } from '../../../src/types/evidence.ts'
import { brief, idOf } from './sample-brief.ts'

const decision = (what: string, more: Partial<DecisionFact> = {}): DecisionFact => ({
  ...{ what, why: null, alternatives: [], by: 'user', source: 'transcript', at: null, ...more },
})

/** What became of the decision that a brief hands over, by the decisions of the next one. */
function fateOf(handed: DecisionFact, next: DecisionFact) {
  const decides = (one: DecisionFact) => (made: Brief) => {
    made.decisions = [one]
  }
  const items = receiptOf({
    brief: brief(decides(handed)),
    successor: brief(decides(next), 2),
    ...{ commits: [], changed: new Set(), known: [], session: null },
  })
  return items.find(({ kind }) => kind === 'decision')?.fate
}

describe('a decision', () => {
  const what = 'Cap the backoff at 30 s'

  it('is kept where the next session came to it as well', () => {
    expect(fateOf(decision(what), decision(what))).toBe('kept')
    expect(fateOf(decision(what), decision('Cap the backoff at 45 s'))).toBe('cannot tell')
  })

  it('is not kept where it was only handed down', () => {
    expect(fateOf(decision(what), decision(what, { from: idOf(1) }))).toBe('cannot tell')
  })

  it('is not kept where the same question was asked once more, perhaps of another thing', () => {
    const asked = decision('What would you like to do with this todo? → Work on it now')
    expect(fateOf(asked, asked)).toBe('cannot tell')
  })
})

describe('a plan that nobody had agreed to', () => {
  const plan = (made: Brief) => {
    const text = `${PROPOSED}Cap the backoff of the queue; 1. Move the cap; 2. Test it`
    made.questions = [{ kind: 'question', text, source: 'agent', at: null }]
  }
  const fateAfter = (said: string) =>
    receiptOf({
      brief: brief(plan),
      successor: brief(undefined, 2),
      ...{ commits: [], changed: new Set(), known: [] },
      session: { opened: new Set(), runs: new Map(), plan: new Map(), said },
    }).find(({ kind }) => kind === 'question')?.fate

  it('is answered where the person asked for it', () => {
    const asked = 'Implement the following plan:\n\n# Cap the backoff of the queue\n\n1. Move the cap'
    expect(fateAfter(asked)).toBe('kept')
    expect(fateAfter('Now the docs.')).toBe('cannot tell')
  })
})
