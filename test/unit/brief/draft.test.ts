import { describe, expect, it } from 'vitest'
import { type DraftInput, draftBrief } from '../../../src/brief/draft.ts'
import { readFrontMatter } from '../../../src/brief/front-matter.ts'
import { estimateTokens } from '../../../src/brief/measure.ts'
import { renderBrief } from '../../../src/brief/render.ts'
import { defaultConfig } from '../../../src/config/keys.ts'
import { unquote } from '../../../src/text/safe-text.ts'
import type { Config } from '../../../src/types/config.ts'
import type { Closing, QuestionFact } from '../../../src/types/evidence.ts'
import { emptyEvidence, sampleEvidence, sampleGit, sampleInput, sampleNotes, sampleSlots } from './sample.ts'

const draft = (change: Partial<DraftInput> = {}) => draftBrief({ ...sampleInput(), ...change })
const configured = <Key extends keyof DraftInput['config']>(key: Key, value: Partial<Config[Key]>) => {
  const { config } = sampleInput()
  return { config: { ...config, [key]: { ...(config[key] as object), ...(value as object) } } }
}

describe('names of skills', () => {
  const told = (skills: string[]) =>
    readFrontMatter(renderBrief(draft({ evidence: { ...sampleEvidence(), skills } }))).meta.skills
  it.each([
    ['blank ones', ['', ' ', '\n', 'review']],
    ['one of 70,000 characters', ['x'.repeat(70_000), 'review']],
  ])('are left out where they are none: %s', (_, names) => expect(told(names)).toEqual(['review']))
  it('never fill the front matter', () => {
    const names = Array.from({ length: 500 }, (_, at) => `a-skill-with-quite-a-long-name-${at}`)
    const skills = told(names)
    expect(skills?.length).toBeGreaterThan(10)
    expect(skills).toEqual(names.slice(-(skills?.length ?? 0)))
  })
})

describe('configuration changes the brief', () => {
  it.each([
    [
      'metadata',
      '- Session: Claude Code 2.1.9, model claude-opus-4-5 (thinking: high), prior skill test-driven-development',
      '',
    ],
    ['skill', 'skills:\n    - test-driven-development', ''],
    ['fileReasons', '- `src/queue/retry.ts` — holds the retry loop', '- `src/queue/retry.ts`\n'],
    ['preamble', 'You are continuing work', '\n\nThe facts below were true at `3f9c2ab1d0e4`'],
  ] as const)('include.%s', (key, words, instead) => {
    expect(renderBrief(draft())).toContain(words)
    const without = renderBrief(draft(configured('include', { [key]: false })))
    expect(without).not.toContain(words)
    expect(without).toContain(instead)
  }) // prettier-ignore
  it('a preamble of the repository', () => {
    expect(renderBrief(draft({ preamble: 'Read on.\n' }))).toMatch(
      /^# Handoff Context\n\nGoal: .+\n\nRead on\.\n/m,
    )
  })
  it.each([
    ['files', 2, 7],
    ['commands', 2, 3],
    ['openQuestions', 1, 2],
    ['decisions', 0, 1],
    ['information', 1, 2],
    ['constraints', 2, 3],
  ] as const)('limits.%s', (key, count, total) => {
    const text = renderBrief(draft(configured('limits', { [key]: count })))
    expect(text).toContain(`\n\n(${count} of ${total} listed)\n`)
    expect(readFrontMatter(text).meta.limits).toEqual({ [key]: count })
  })
  it('names limits and budgets that were changed, and no other', () => {
    expect(draft().meta.limits).toBeUndefined()
    expect(draft(configured('budget', { soft: 900 })).meta.limits).toEqual({ 'tokens.soft': 900 })
    const { limits, budget } = defaultConfig()
    expect(sampleInput().defaults).toEqual({ limits, budget })
  })
  it('the mission is the first of the constraints', () => {
    const { config } = sampleInput()
    const [first] = draft({ config: { ...config, mission: 'ship version 2' } }).constraints
    expect(first).toEqual({ text: 'ship version 2', source: 'user', at: null })
  })
})

describe('what is left out first', () => {
  it('of decisions the oldest', () => {
    const evidence = sampleEvidence()
    const [first] = evidence.decisions
    if (first === undefined) throw new Error('the sample has a decision')
    evidence.decisions = ['old', 'newer', 'new'].map((what) => ({ ...first, what }))
    const kept = (decisions: number) =>
      draft({ ...configured('limits', { decisions }), evidence }).decisions.map(({ what }) => what)
    expect([kept(3), kept(2), kept(1)]).toEqual([['old', 'newer', 'new'], ['newer', 'new'], ['new']])
  })
  it('risks before questions and blockers', () => {
    const evidence = sampleEvidence()
    const kinds = ['risk', 'question', 'blocker'] as const
    evidence.questions = kinds.map((kind) => ({ text: kind, source: 'agent', at: null, kind }))
    const { questions } = draft({ ...configured('limits', { openQuestions: 2 }), evidence })
    expect(questions.map(({ kind }) => kind)).toEqual(['question', 'blocker'])
  })
  it('of the rules the least certain, then the oldest; one that was pinned by hand never', () => {
    const evidence = sampleEvidence()
    const [source, at] = ['user', null] as const
    evidence.constraints = [
      { text: 'pinned by hand', source, at },
      { text: 'never push', source, at, certainty: 2 },
      { text: 'keep the header', source, at, certainty: 2 },
      { text: 'perhaps a rule', source, at, certainty: 1 },
    ]
    const { constraints } = draft({ ...configured('limits', { constraints: 2 }), evidence })
    expect(constraints.map(({ text }) => text)).toEqual(['pinned by hand', 'keep the header'])
  })
  it('of the rules as many as exceed 400 tokens', () => {
    const evidence = sampleEvidence()
    evidence.constraints = Array.from({ length: 40 }, (_, n) => ({
      text: `Rule ${n}: ${'keep the names of the columns '.repeat(4).trim()}.`,
      ...{ source: 'user' as const, at: null, certainty: n },
    }))
    const { constraints, cuts } = draft({ evidence })
    const tokens = constraints.reduce((sum, { text }) => sum + estimateTokens(text), 0)
    expect(tokens).toBeLessThanOrEqual(400)
    expect(tokens).toBeGreaterThan(350)
    expect(constraints.at(-1)?.text).toMatch(/^Rule 39/)
    expect(cuts.constraints).toMatch(/of 40 listed/)
  })
})

describe('git', () => {
  it('is left out outside a repository, and that is said', () => {
    const brief = draft({ git: null })
    expect(brief.meta).toMatchObject({ branch: null, head: null, dirty: false })
    expect(brief.status[0]).toBe('No git repository here: git facts are left out.')
    expect(brief.progress.done).toEqual([])
    expect(renderBrief(brief)).toContain('The facts below were true before the first commit;')
  })
  it('tells commits oldest first', () => {
    expect(draft().progress.done.map((fact) => fact.text.slice(0, 10))).toEqual(['`77aa10b2`', '`3f9c2ab1`'])
  })
  it('groups the dirty tree and counts what it does not name', () => {
    const changes = Array.from({ length: 9 }, (_, i) => ({
      path: `f${i}.ts`,
      staged: false,
      unstaged: true,
      state: 'modified' as const,
    }))
    expect(draft({ git: { ...sampleGit(), changes } }).progress.inProgress[0]?.text).toBe(
      '9 modified: `f0.ts`, `f1.ts`, `f2.ts`, `f3.ts`, `f4.ts`, `f5.ts` and 3 more',
    )
  })
})

describe('the last message', () => {
  const told = (closing: Partial<Closing>, notes = null as DraftInput['notes']) => {
    const evidence = { ...emptyEvidence(), closing: { text: '', at: null, after: [], ...closing } }
    return draft({ evidence, notes }).closing
  }
  const long = 'A paragraph about the wheel.\n\n'.repeat(300)
  it('stands as a quote, what came after it below', () => {
    expect(told({ text: 'Done.\n- one\n- two', after: ['An `edit` came after it.'] })).toEqual([
      '> Done.',
      '> - one',
      '> - two',
      '',
      '- An `edit` came after it.',
    ]) // prettier-ignore
  })
  it('loses its middle, more of it beside a page; a question loses it only there', () => {
    const page = { ...sampleNotes(), page: 'It is about brakes. '.repeat(100) }
    const sizes = [
      told({ text: long }),
      told({ text: long }, page),
      told({ text: `${long}Which one?` }, page),
      told({ text: `${long}Which one?` }, sampleInput().notes),
    ].map((lines) => unquote(lines))
    const left = sizes.map((text) => Number(/\[… (\d+) characters left out\]$/m.exec(text)?.[1] ?? 0))
    expect(left.map((count) => count > 0)).toEqual([true, true, true, false])
    expect(left[1]).toBeGreaterThan(left[0] ?? 0)
    expect(sizes[3]).toBe(`${long}Which one?`)
  })
})

describe('notes', () => {
  it('tell their questions once, where a brief before took them over', () => {
    const { evidence } = sampleInput()
    const [text = ''] = sampleSlots().openQuestions
    const question: QuestionFact = {
      kind: 'question',
      text,
      source: 'agent',
      at: null,
      from: '20260101T000000-00000001',
    }
    const questions = [question, { ...question, text: 'who pays?' }]
    expect(draft({ evidence: { ...evidence, questions } }).questions.map(({ text }) => text)).toEqual([
      'who pays?',
    ])
  })

  it('are told as they are, and nowhere else', () => {
    const [noted, bare] = [draft(), draft({ notes: null })]
    for (const key of ['decisions', 'questions', 'nextSteps', 'files', 'information', 'progress'] as const)
      expect(noted[key]).toEqual(bare[key])
    expect(noted.meta.notes).toEqual({ capturedAt: '2026-07-14T09:14:00.000Z' })
    expect(renderBrief(noted)).toContain(
      '## Working Memory\n\nWritten by the agent, not verified.\n\n- Current line of attack: Moving',
    )
  })
  it('show their age when stale ones are wanted', () => {
    expect(renderBrief(draft({ notesAge: '3 h' }))).toContain('not verified. Recorded 3 h before this brief.')
  })
})

it('inherits skills and persona, the last used last', () => {
  const { parent } = sampleInput()
  if (parent === null) throw new Error('the sample has a parent')
  const { meta, status } = draft({
    parent: { ...parent, skills: ['a', 'test-driven-development'], persona: 'reviewer' },
    skills: ['a'],
  })
  expect([meta.skills, meta.persona]).toEqual([['test-driven-development', 'a'], 'reviewer'])
  expect(status.at(-1)).toMatch(/, prior skill a, persona reviewer$/)
  expect(draft({ parent: null }).previous).toBeNull()
})

it('leaves out sections that hold nothing, and keeps the required ones', () => {
  const text = renderBrief(
    draft({
      evidence: emptyEvidence(),
      notes: null,
      parent: null,
      git: { ...sampleGit(), commits: [], changes: [] },
    }),
  )
  expect([...text.matchAll(/^#{1,2} .*$/gm)].map((match) => match[0])).toEqual([
    '# Handoff Context',
    '## Status',
    '## Working Memory',
    '## Next Goal (verbatim)',
  ])
})
