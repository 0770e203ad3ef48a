import { describe, expect, it } from 'vitest'
import { type Carried, carryFrom, changesLeft, withCarried, withoutTold } from '../../../src/brief/carry.ts'
import { draftBrief } from '../../../src/brief/draft.ts'
import { fitBrief } from '../../../src/brief/fit.ts'
import { parseBrief } from '../../../src/brief/parse.ts'
import { renderBrief } from '../../../src/brief/render.ts'
import { defaultConfig } from '../../../src/config/keys.ts'
import type { Brief } from '../../../src/types/brief.ts'
import type { Evidence } from '../../../src/types/evidence.ts'
import { emptyEvidence, sampleInput } from './sample.ts'

const NOTHING = { files: [] }
const NO_STORY = { turns: [], forgotten: 0 }
const parsed = (brief: Brief) => parseBrief(renderBrief(brief))
const base = (): Brief => draftBrief(sampleInput())

describe('carryFrom', () => {
  it('labels every item with id and head, and leaves a label that is there', () => {
    const brief = base()
    brief.constraints = [
      { text: 'Use no timers.', source: 'user', at: null },
      { text: 'Keep the API.', source: 'user', at: null, from: '20260101T000000-00000000' },
      {
        text: 'No globals.',
        source: 'user',
        at: null,
        from: '20260101T000000-00000000',
        fromHead: '0123abcd',
      },
    ]
    const carried = carryFrom(parsed(brief), NOTHING)
    const origin = { from: brief.meta.id, fromHead: String(brief.meta.head).slice(0, 8) }
    expect(carried.constraints).toMatchObject([
      origin,
      { from: '20260101T000000-00000000' },
      { from: '20260101T000000-00000000', fromHead: '0123abcd' },
    ])
    expect(carried.constraints[1]).not.toHaveProperty('fromHead')
    for (const list of [
      carried.information,
      carried.decisions,
      carried.questions,
      carried.files,
      carried.commands,
    ])
      for (const fact of list) expect(fact.from).toBeDefined()
    for (const line of carried.status)
      expect(line).toMatch(/^(?:Last check|Named last): .* — from \d{8}T\d{6}-[0-9a-f]{8}@[0-9a-f]{8}$/)
  })

  it('says what became of files and commands', () => {
    const brief = base()
    brief.files = ['a', 'b', 'c', 'd'].map((path) => ({
      path,
      reason: 'read once',
      evidence: ['read'],
      source: 'transcript',
    }))
    brief.files[3] = { ...brief.files[3], mark: 'gone' } as Brief['files'][number]
    const carried = carryFrom(parsed(brief), {
      files: [
        { path: 'a', state: 'gone' },
        { path: 'b', state: 'renamed', to: 'lib/b' },
        { path: 'c', state: 'changed' },
        { path: 'd', state: 'back' },
      ],
    })
    expect(carried.files.map(({ path, mark, reason }) => [path, mark, reason])).toEqual([
      ['a', 'gone', 'read once'],
      ['lib/b', undefined, 'read once; renamed from b'],
      ['c', undefined, 'read once'],
      ['d', undefined, 'read once'],
    ])
  })

  it('reads its labels and marks back', () => {
    const carried: Carried = { ...carryFrom(parsed(base()), NOTHING), isAll: true }
    const brief = draftBrief({
      ...sampleInput(),
      evidence: emptyEvidence(),
      notes: null,
      resumed: { carried, changed: new Set(), drift: null },
    })
    const back = parsed(brief).brief
    expect(back.commands.map(({ at: _, ...fact }) => fact)).toEqual(
      brief.commands.map(({ at: _, ...fact }) => fact),
    )
    expect(back.decisions.map(({ what, from, fromHead }) => [what, from, fromHead])).toEqual(
      brief.decisions.map(({ what, from, fromHead }) => [what, from, fromHead]),
    )
  })
})

describe('what a session tells itself', () => {
  it('is not carried', () => {
    const brief = base()
    const file = (path: string, reason: string): Evidence['files'][number] => ({
      path,
      reason,
      evidence: [],
      source: 'transcript',
    })
    brief.files = [file('told.ts', 'edited once'), file('only-here.ts', 'by hand')]
    const own = [file('told.ts', 'edited twice')]
    const told = { ...sampleInput().evidence, files: own, constraints: [] }
    const rest = withoutTold({ ...carryFrom(parsed(brief), NOTHING), isAll: false }, told)
    expect(rest.files.map(({ path }) => path)).toEqual(['only-here.ts'])
    expect([rest.status, rest.closing, rest.trail, rest.commands]).toEqual([[], [], [], []])
    expect(rest.constraints).toHaveLength(brief.constraints.length)
    const joined = withCarried(told, rest, new Set()).files
    expect(joined.map(({ path, reason }) => [path, reason])).toEqual([
      ['told.ts', 'edited twice'],
      ['only-here.ts', 'by hand'],
    ])
  })
})

it('without a session what changed comes first, and what was committed since is uncommitted no more', () => {
  const file = (path: string, reason = ''): Evidence['files'][number] => ({
    path,
    reason,
    evidence: [],
    source: 'transcript',
  })
  const files = [
    file('a', 'named in the goal; uncommitted; edited twice'),
    file('b', 'deleted, uncommitted'),
    file('c', 'staged'),
    file('d', 'uncommitted'),
  ]
  const carried: Carried = { ...carryFrom(parsed({ ...base(), files }), NOTHING), isAll: true, cuts: {} }
  const evidence = { ...emptyEvidence(), files: [file('d'), file('new'), file('other')] }
  const joined = withCarried(evidence, carried, new Set(['new'])).files
  expect(joined.map(({ path, reason }) => [path, reason])).toEqual([
    ['new', ''],
    ['a', 'named in the goal; edited twice'],
    ['b', 'deleted'],
    ['c', ''],
    ['d', ''],
    ['other', ''],
  ])
})

it('the last message and the turns are told again, with the brief that told them', () => {
  const brief = { ...base(), trail: ['- "go"', '  - done'] }
  const once = carryFrom(parsed(brief), NOTHING)
  expect(once.trail).toEqual(brief.trail)
  expect(once.closing).toEqual([`Told by ${brief.meta.id}:`, '', ...brief.closing])
  const { closing, trail } = once
  const meta = { ...brief.meta, id: '20260715T000000-00000000' }
  expect(carryFrom(parsed({ ...brief, meta, closing, trail }), NOTHING)).toMatchObject({ closing, trail })
})

describe('budgets', () => {
  it('a brief at its limits loses no decision and no constraint to its labels', async () => {
    const words = (n: number, of: string) => `${of} ${n}: ${'a word and another '.repeat(9)}`.trim()
    const brief = base()
    brief.constraints = Array.from({ length: 8 }, (_, n) => ({
      text: words(n, 'demand'),
      source: 'user',
      at: null,
    }))
    brief.information = Array.from({ length: 6 }, (_, n) => ({
      text: words(n, 'fact'),
      source: 'transcript',
      at: null,
    }))
    brief.decisions = Array.from({ length: 8 }, (_, n) => ({
      what: words(n, 'decision'),
      why: words(n, 'why'),
      alternatives: [words(n, 'other')],
      by: 'user',
      source: 'user',
      at: null,
    }))
    const config = defaultConfig()
    const first = await fitBrief(brief, NO_STORY, config)
    expect(first.meta.tokens).toBeGreaterThan(config.budget.soft * 0.85)
    let last = first
    for (let n = 0; n < 4; n++) {
      const carried: Carried = { ...carryFrom(parsed(last), NOTHING), isAll: true }
      const next = draftBrief({
        ...sampleInput(),
        evidence: emptyEvidence(),
        resumed: { carried, changed: new Set(), drift: null },
      })
      last = await fitBrief(next, NO_STORY, config)
    }
    const texts = (one: Brief) => one.constraints.map(({ text }) => text)
    for (const text of texts(first)) expect(texts(last)).toContain(text)
    const whats = last.decisions.map(({ what }) => what)
    for (const { what } of first.decisions) expect(whats).toContain(what)
    expect(last.meta.tokens).toBeLessThan(first.meta.tokens * 1.25)
  })
})

it('changes that stayed elsewhere are told in one risk', () => {
  const brief = base()
  brief.progress.inProgress = [
    { text: '1 modified: `a.ts`', source: 'git', at: null },
    { text: '`TODO.md`: 1 of 2 items done', source: 'git', at: null },
    { text: 'half of it', source: 'agent', at: null },
  ]
  expect(changesLeft(parsed(brief))).toMatchObject({
    kind: 'risk',
    text: 'what was uncommitted then is not in this checkout: 1 modified: `a.ts`',
    from: brief.meta.id,
  })
})
