import { describe, expect, it } from 'vitest'
import { namedFiles, receiptLines, receiptOf } from '../../../src/report/receipt.ts'
import type { Brief } from '../../../src/types/brief.ts'
import type { CommandFact } from '../../../src/types/evidence.ts'
import { expectLinear } from '../../growth.ts'
import { brief, idOf, said } from './sample-brief.ts'

const commits = [
  { sha: 'b'.repeat(40), subject: 'Again', files: ['lib/calc.js', 'docs/a.md'] },
  { sha: 'a'.repeat(40), subject: 'First', files: ['lib/calc.js', 'Makefile', 'db/migrations/1.sql'] },
]

describe('the files that a text names', () => {
  it.each([
    ['Do not touch lib/calc.js.', ['lib/calc.js']],
    ['`calc.js` belongs to QA', ['lib/calc.js']],
    ['only ./lib/calc.js, please', ['lib/calc.js']],
    ['the folder db/migrations/ is frozen', ['db/migrations/1.sql']],
    ['nothing in db/migrations', ['db/migrations/1.sql']],
    ['keep the Makefile', ['Makefile']],
    ['keep calc and the docs', []],
    ['alc.js and 1.sq', []],
    ['a/b and c.d', []],
  ])('%s', (text, paths) => expect(namedFiles(text, commits).map(({ path }) => path)).toEqual(paths))

  it('in time that grows with commits and names', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, n) => `src/room-${n}/file-${n}.ts`)
    await expectLinear(300, (count) =>
      namedFiles(
        many(count).join(' '),
        many(count).map((path) => ({ sha: 'a', subject: 'x', files: [path, `lib/${path}`] })),
      ),
    )
  })

  it('each with the last commit that changed it', () => {
    expect(namedFiles('lib/calc.js', commits)).toEqual([
      { path: 'lib/calc.js', commit: 'b'.repeat(40), subject: 'Again' },
    ])
  })
})

const check = (command: string, outcome: CommandFact['outcome']): CommandFact => ({
  ...{ command, outcome, exitCode: null, cwd: null, kind: 'test', runs: 1, source: 'transcript', at: null },
})

const handedOver = brief((one) => {
  one.constraints = ['Do not touch calc.js', 'Never use classes', 'use vitest'].map((text) =>
    said(text, 'user'),
  )
  one.questions = [
    { ...said('May calc.js be split?', 'agent'), kind: 'question' },
    { ...said('`npm test` failed (exit 1)', 'transcript'), kind: 'failing' },
  ]
  one.progress.pending = [said('Document it', 'transcript'), said('Cap it', 'transcript')]
  one.commands = [check('npm test', 'failed')]
}, 0)

const next = (change: (one: Brief) => void = () => undefined) =>
  brief((one) => {
    one.constraints = [said('use vitest', 'user', idOf(0)), said('Never use classes', 'user', idOf(0))]
    one.questions = []
    one.progress.pending = [said('Document it', 'transcript', idOf(0))]
    one.commands = [check('npm test', 'ok')]
    one.decisions = ['You may change calc.js. (takes back: Do not touch calc.js)'].map((what) => ({
      ...{ what, why: null, alternatives: [], by: 'user', source: 'transcript', at: null },
    }))
    change(one)
  }, 1)

describe('a receipt', () => {
  const lines = (...args: Parameters<typeof receiptOf>) => receiptLines(receiptOf(...args), idOf(1))

  it('quotes what ended an item, names what is no longer handed down, changed files, checks and commits', () => {
    expect(lines(handedOver, next(), commits)).toEqual([
      `constraint: Do not touch calc.js (ended by "You may change calc.js." in brief ${idOf(1)}; lib/calc.js changed by bbbbbbbbbbbb Again)`,
      `question: May calc.js be split? (not in brief ${idOf(1)}; lib/calc.js changed by bbbbbbbbbbbb Again)`,
      `open item: Cap it (not in brief ${idOf(1)})`,
      `check: npm test (passed, failed before, says brief ${idOf(1)})`,
      'commit: bbbbbbbbbbbb Again (`lib/calc.js`, `docs/a.md`)',
      'commit: aaaaaaaaaaaa First (`lib/calc.js`, `Makefile`, `db/migrations/1.sql`)',
    ])
  })

  it('leaves out what nothing is known of', () => {
    expect(lines(handedOver, null, [])).toEqual([])
    const same = next((one) => {
      one.constraints = handedOver.brief.constraints
      one.questions = handedOver.brief.questions
      one.progress.pending = handedOver.brief.progress.pending
      one.commands = []
      one.decisions = []
    })
    expect(lines(handedOver, same, [])).toEqual([])
  })

  it('says nothing of a list that the next brief had to cut', () => {
    const cut = next((one) => {
      one.constraints = []
      one.decisions = []
      one.cuts = { constraints: '(0 of 3 listed)' }
    })
    expect(lines(handedOver, cut, []).filter((line) => line.startsWith('constraint'))).toEqual([])
  })
})
