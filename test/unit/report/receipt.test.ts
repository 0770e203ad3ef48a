import { describe, expect, it } from 'vitest'
import { PROPOSED } from '../../../src/facts/decisions.ts'
import { type ReceiptFacts, receiptOf } from '../../../src/report/receipt.ts'
import type { Brief } from '../../../src/types/brief.ts'
import type { DecisionFact } from '../../../src/types/evidence.ts'
import { brief, idOf, said } from './sample-brief.ts'

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
    ...{ commits: [], changed: new Set(), restored: new Set(), known: [], session: null },
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
      ...{ commits: [], changed: new Set(), restored: new Set(), known: [] },
      session: { opened: new Set(), runs: new Map(), plan: new Map(), said },
    }).find(({ kind }) => kind === 'question')?.fate

  it('is answered where the person asked for it', () => {
    const asked = 'Implement the following plan:\n\n# Cap the backoff of the queue\n\n1. Move the cap'
    expect(fateAfter(asked)).toBe('kept')
    expect(fateAfter('Now the docs.')).toBe('cannot tell')
  })
})

describe('a demand about a file', () => {
  const FILE = 'src/calc.test.js'
  const by = { sha: '0123456789abcdef', subject: 'Fix sub', files: [FILE], isOthers: false }
  const asks = (text: string, more: (made: Brief) => void = () => undefined) =>
    brief((made) => {
      made.constraints = [said(text, 'user')]
      more(made)
    })
  const facts = (handed: ReceiptFacts['brief'], more: Partial<ReceiptFacts> = {}): ReceiptFacts => ({
    brief: handed,
    ...{ successor: null, session: null, commits: [by], known: [FILE, 'src/calc.js'] },
    ...{ changed: new Set([FILE]), restored: new Set<string>(), ...more },
  })
  const fate = (given: ReceiptFacts) => receiptOf(given).find(({ kind }) => kind === 'constraint')?.fate
  const DEMAND = `Do not touch ${FILE}, the QA team owns it.`

  it.each([
    DEMAND,
    `Don’t touch ./${FILE}!`,
    `And please don't change the file \`${FILE}\`.`,
    `IMPORTANT: never edit ${FILE}`,
    `You must not modify ${FILE}.`,
    `Fix sub, and never touch ${FILE}.`,
  ])('%s is broken by a commit that changes it', (text) => {
    expect(fate(facts(asks(text)))).toBe('broken')
  })

  it.each([
    `Do not change the exported names of ${FILE}.`,
    `Don't change the order of the tests in ${FILE}.`,
    `Never edit ${FILE} by hand.`,
    `Do not touch ${FILE} for now.`,
    `Do not edit ${FILE} while the migration runs.`,
    `Do not touch ${FILE} in this commit.`,
    `${FILE} is generated, do not edit ${FILE}.`,
    `The tests of add don't touch ${FILE}.`,
    `Why don't we change ${FILE}?`,
    `Don't modify ${FILE}, just add a case at its end.`,
    `Do not edit ${FILE}; use the script.`,
    `In this step, do not touch ${FILE}.`,
    `Do not touch ${FILE}, I'll do it myself.`,
    `The guide says "Do not edit ${FILE}".`,
  ])('%s is not judged where the file changed', (text) => {
    expect(fate(facts(asks(text)))).toBe('cannot tell')
  })

  const item = said('rewrite calc.test.js', 'user')
  const work: [string, (made: Brief) => void][] = [
    ['goal', ({ meta }) => Object.assign(meta, { goal: 'rewrite calc.test.js' })],
    ['next steps', (made) => Object.assign(made, { nextSteps: [item] })],
    ['pending work', ({ progress }) => Object.assign(progress, { pending: [item] })],
  ]
  it.each(work)('is not judged where the %s of the brief are about the file', (_, more) => {
    expect(fate(facts(asks(DEMAND, more)))).toBe('cannot tell')
  })

  const later: [string, (made: Brief) => void, string][] = [
    [
      'a goal about the file',
      ({ meta }) => Object.assign(meta, { goal: 'test calc.test.js' }),
      'cannot tell',
    ],
    ['a request about it', ({ trail }) => trail.push('- "QA agrees: change calc.test.js"'), 'cannot tell'],
    ['an answer about it', ({ decisions }) => decisions.push(decision(`Edit ${FILE}? → Yes`)), 'cannot tell'],
    ['the same demand', ({ constraints }) => constraints.push(said(DEMAND, 'user')), 'broken'],
    ['words of the agent about it', ({ trail }) => trail.push('  - I changed calc.test.js'), 'broken'],
  ]
  it.each(later)('is judged by the next brief: %s', (_, more, expected) => {
    expect(fate(facts(asks(DEMAND), { successor: brief(more, 2) }))).toBe(expected)
  })

  it("is neither broken by another person's commit nor by one that brings back what the base has", () => {
    expect(fate(facts(asks(DEMAND), { commits: [{ ...by, isOthers: true }] }))).toBe('cannot tell')
    expect(fate(facts(asks(DEMAND), { restored: new Set([FILE]) }))).toBe('cannot tell')
  })

  it('is kept where no commit changed the file, not where one was taken back', () => {
    const other = { ...by, files: ['src/calc.js', 'src/calc.test.js.snap'] }
    expect(fate(facts(asks(DEMAND), { commits: [other], changed: new Set(other.files) }))).toBe('kept')
    expect(fate(facts(asks(DEMAND), { commits: [by, by], changed: new Set() }))).toBe('cannot tell')
  })
})
