import { describe, expect, it } from 'vitest'
import { draftBrief } from '../../../src/brief/draft.ts'
import { fitBrief } from '../../../src/brief/fit.ts'
import { readFrontMatter } from '../../../src/brief/front-matter.ts'
import { countTokens, estimateTokens, measured } from '../../../src/brief/measure.ts'
import { renderBrief } from '../../../src/brief/render.ts'
import type { Brief, Notes } from '../../../src/types/brief.ts'
import type { Evidence, Turn } from '../../../src/types/evidence.ts'
import { expectLinear } from '../../growth.ts'
import { runs } from '../../sampled.ts'
import { emptyEvidence, sampleEvidence, sampleGit, sampleInput, sampleNotes } from './sample.ts'

const many = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i))
const sentence = (i: number) =>
  `Fact number ${i}: the scheduler keeps retries in slots of ${i * 7} ms and rounds part-${i} up to the next slot.`
const WORDS =
  `queue worker retry delay gateway client session token header parser schema table index cursor branch commit merge
  release package module import export handler router widget window button screen layout colour margin image folder upload cache
  metric counter logger printer sensor motor engine signal filter mixer buffer stream socket server cluster region backup restore
  migrate deploy rollback review comment ticket sprint customer invoice payment refund shipping address country language`.split(
    /\s+/,
  )
const said = (i: number) =>
  `${many(12, (n) => WORDS[(i * 11 + n * (1 + (i % 7))) % WORDS.length]).join(' ')}.`
const turns = (count: number): Turn[] =>
  many(count, (i) => ({
    request: `Request ${i}: ${said(i)}`,
    to: null,
    at: null,
    steps: [{ kind: 'said', text: many(8, (n) => said(i * 8 + n)).join('\n\n'), at: null }],
  }))
const { config } = sampleInput()
const fitting = (brief: Brief, story: Partial<Evidence> = {}, budget = {}, exact = false) =>
  fitBrief(
    brief,
    { turns: [], forgotten: 0, ...story },
    { budget: { ...config.budget, ...budget } },
    { exact },
  )
/** A brief of little but its trail. */
const told = async (count: number, notes: Notes | null = null) =>
  fitting(draftBrief({ ...sampleInput(), evidence: emptyEvidence(), notes }), { turns: turns(count) })

const WIDE = { hard: 99_999 }

describe('the size', () => {
  it('is the same whatever the random digits of an id', () => {
    const sizes = ['12345678', '1234567a', 'a1b2c3d4', 'ffffffff'].map((end) =>
      estimateTokens(`id: 20260724T101500-${end}\n`),
    )
    expect(new Set(sizes).size).toBe(1)
  })
})

describe('the turns', () => {
  it('fill what is left of the aim, which grows with what was said', async () => {
    const sizes = (await Promise.all([5, 40, 400].map((count) => told(count)))).map(({ meta }) => meta.tokens)
    expect(sizes).toEqual(sizes.toSorted((a, b) => a - b))
    expect(new Set(sizes).size).toBe(3)
    expect(
      [sizes[2] ?? 0].map((size) => size > config.budget.soft * 0.85 && size < config.budget.soft * 1.5),
    ).toEqual([true])
  })

  it('do not tell the goal once more', async () => {
    const goal: Turn = { request: `${sampleInput().goal}\n`, to: null, at: null, steps: [] }
    const draft = draftBrief({ ...sampleInput(), evidence: emptyEvidence(), notes: null })
    const trail = async (turn: Turn) =>
      (await fitting(draft, { turns: [...turns(1), turn] })).trail.filter((line) => line.startsWith('- '))
    expect(await trail(goal)).toHaveLength(1)
    const steps = [{ kind: 'said', text: `${said(1)} ${said(2)}`, at: null } as const]
    expect((await trail({ ...goal, steps: [...steps] }))[1]).toBe('- (the goal below)')
  })

  it('have some room however much else there is', async () => {
    const crowded = await fitting(draft(full(), null), { turns: turns(40) }, WIDE)
    expect(estimateTokens(crowded.trail.join('\n'))).toBeGreaterThan(300)
  })

  it('of an earlier brief stay where the session tells none', async () => {
    const brief = { ...draftBrief(sampleInput()), trail: ['- "kept"'] }
    expect((await fitting(brief)).trail).toEqual(['- "kept"'])
  })
})

/** A session that says far more than a brief holds. */
const full = (): Evidence => ({
  ...sampleEvidence(),
  files: many(60, (i) => ({
    path: `packages/core/src/queue/part-${i}.ts`,
    reason: sentence(i),
    evidence: ['edited'],
    source: 'transcript',
  })),
  commands: many(30, (i) => ({
    command: `npm test -- part-${i}`,
    outcome: 'ok',
    exitCode: 0,
    cwd: null,
    kind: 'test',
    runs: 1,
    source: 'transcript',
    at: null,
  })),
  information: many(40, (i) => ({ text: sentence(i), source: 'agent', at: null })),
  decisions: many(30, (i) => ({
    what: `Decision ${i}`,
    why: sentence(i),
    alternatives: [sentence(i)],
    by: 'user',
    source: 'transcript',
    at: null,
  })),
  questions: many(20, (i) => ({ text: `Question ${i}?`, source: 'agent', at: null, kind: 'question' })),
  constraints: many(20, (i) => ({ text: `never do ${i}: ${sentence(i)}`, source: 'user', at: null })),
}) // prettier-ignore
const draft = (
  evidence = full(),
  notes: Notes | null = { ...sampleNotes(), page: many(90, sentence).join('\n\n') },
): Brief => {
  const git = sampleGit()
  const [commit] = git.commits
  if (commit === undefined) throw new Error('the sample has commits')
  git.commits = many(50, (i) => ({ ...commit, subject: `Commit ${i} ${sentence(i)}` }))
  const limits = {
    files: 99,
    commands: 99,
    information: 99,
    constraints: 99,
    decisions: 99,
    openQuestions: 99,
  }
  // Beside a page there would be little to cut.
  const short = notes === null ? null : sampleNotes()
  return {
    ...draftBrief({ ...sampleInput(), git, evidence, notes: short, config: { ...config, limits } }),
    notes,
  }
} // prettier-ignore

describe('the hard limit', () => {
  it('leaves a brief below it alone, but for its figure', async () => {
    const brief = draftBrief(sampleInput())
    const fitted = await fitting(brief)
    expect(fitted).toEqual({ ...brief, meta: { ...brief.meta, tokens: fitted.meta.tokens } })
    const text = renderBrief(fitted)
    expect(readFrontMatter(text).meta.tokens).toBe(estimateTokens(measured(text)))
  })

  it('cuts the least valuable section first, item by item, the person last, and states each cut', async () => {
    const order = [
      'information',
      'trail',
      'commands',
      'progress',
      'files',
      'decisions',
      'memory',
      'questions',
      'constraints',
    ]
    const trail = many(40, (i) => `- "Request ${i}: ${said(i)}"`)
    const whole = (await fitting({ ...draft(), trail }, {}, WIDE)).meta.tokens
    let before: string[] = []
    const steps = runs(4, 8)
    for (const hard of many(steps + 1, (i) => Math.round(1100 + ((whole - 1200) * (steps - i)) / steps))) {
      const fitted = await fitting({ ...draft(), trail }, {}, { hard })
      expect(fitted.meta.tokens).toBeLessThanOrEqual(hard)
      const cut = Object.keys(fitted.cuts)
      expect(cut).toEqual(order.slice(0, cut.length))
      expect(cut.slice(0, before.length)).toEqual(before)
      before = cut
      for (const line of Object.values(fitted.cuts)) expect(renderBrief(fitted)).toContain(`\n${line}\n`)
    }
    expect(before).toEqual(order)
  }, 60_000)

  it('leaves the best and the newest, and counts what there was', async () => {
    const story = { turns: turns(40), forgotten: 3 }
    const fitted = await fitting(draft(full(), sampleNotes()), story, { hard: 4000 })
    expect(fitted.cuts.information).toBe('(0 of 40 listed)')
    expect(fitted.cuts.trail).toMatch(/^\(\d of 43 listed\)$/)
    const newest = await fitting(draft(undefined, null), { turns: turns(40) }, { hard: 4000 })
    expect(
      newest.trail.filter((line) => line.startsWith('- ')).every((line) => line.startsWith('- "Request 3')),
    ).toBe(true)
    expect(newest.files[0]?.path).toBe('packages/core/src/queue/part-0.ts')
    const least = await fitting(draft(), {}, { hard: 2500 })
    expect([least.decisions, least.files, least.commands]).toEqual([[], [], []])
    expect(least.constraints.at(-1)?.text).toContain('never do 19')
  })

  it('takes the page line by line from its end, and never all of it', async () => {
    const page = many(90, sentence).join('\n\n')
    const shorter = await fitting(draft(), {}, { hard: 3000 })
    const kept = shorter.notes?.page.trimEnd() ?? ''
    expect([page.startsWith(`${kept}\n`), kept.length > 1000, kept.length < 8000]).toEqual([true, true, true])
    expect(shorter.cuts.memory).toBe('(shortened to fit; the rest was left out)')
    const least = await fitting(draft(), {}, { hard: 200 })
    expect(least.notes?.page).toBe(sentence(0))
  })

  it('takes the middle out of a last message that asks and is longer than a brief may be', async () => {
    const text = `${'- a\n'.repeat(4000)}- Shall I?`
    const evidence: Evidence = { ...emptyEvidence(), closing: { text, at: null, after: ['It ended.'] } }
    const brief = await fitting(draftBrief({ ...sampleInput(), evidence, notes: null }))
    expect(brief.meta.tokens).toBeLessThan(config.budget.hard)
    expect(brief.closing.at(-3)).toBe('> - Shall I?')
    expect(brief.closing.at(-1)).toBe('- It ended.')
    expect(brief.closing.filter((line) => line.includes('characters left out')).length).toBeGreaterThan(0)
  })

  it('never takes the last message, nor goes below what is required: the checks see the rest', async () => {
    const fitted = await fitting(draft(), {}, { soft: 100, hard: 200 })
    expect(fitted.meta.tokens).toBeGreaterThan(200)
    expect(fitted.closing).toEqual(draft().closing)
    expect(renderBrief(fitted)).toContain('## Next Goal (verbatim)\n\n```text\ncap the retry backoff')
  })

  it('is the same twice, and exact when asked', async () => {
    const [a, b] = await Promise.all([
      fitting(draft(), { turns: turns(40) }),
      fitting(draft(), { turns: turns(40) }),
    ])
    expect(renderBrief(a)).toBe(renderBrief(b))
    const exact = await fitting(draft(), {}, {}, true)
    expect(exact.meta.tokens).toBe(await countTokens(measured(renderBrief(exact))))
  }, 60_000)
})

describe('tokens', () => {
  it('counts what looks like a special token as text', async () => {
    expect(await countTokens('a <|endoftext|> b')).toBeGreaterThan(2)
  })

  it('takes time that grows with a word alone, and is a token a thousand off at most', async () => {
    await countTokens('a')
    await expectLinear(6000, (n) => countTokens('x'.repeat(n)))
    const tokens = await countTokens('x'.repeat(60_000))
    expect(Math.abs(tokens - 60 * (await countTokens('x'.repeat(1000))))).toBeLessThanOrEqual(60)
  })
})

it('takes a page of thousands of lines off in time that grows with them', async () => {
  const page = (lines: number): Notes => ({ ...sampleNotes(), page: '> > a\n'.repeat(lines) })
  const fitted = (lines: number) =>
    fitting(draftBrief({ ...sampleInput(), notes: page(lines) }), {}, { hard: 500 })
  await expectLinear(1000, fitted)
  expect((await fitted(1000)).meta.tokens).toBeLessThan(4000)
}, 60_000)
