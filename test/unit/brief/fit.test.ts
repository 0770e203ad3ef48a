import { describe, expect, it } from 'vitest'
import { draftBrief } from '../../../src/brief/draft.ts'
import { fitBrief } from '../../../src/brief/fit.ts'
import { readFrontMatter } from '../../../src/brief/front-matter.ts'
import { renderBrief, renderSection } from '../../../src/brief/render.ts'
import { countTokens, estimateTokens, measured } from '../../../src/brief/tokens.ts'
import type { Evidence } from '../../../src/types.ts'
import { cpuTime } from '../../cpu-time.ts'
import { sampleEvidence, sampleGit, sampleInput, sampleNotes } from './sample.ts'

const many = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i))
const sentence = (i: number) =>
  `Fact number ${i}: the scheduler keeps retries in slots of 512 ms and rounds every delay up to the next slot.`

/** A session that says far more than a brief holds. */
const full = (): Evidence => ({
  ...sampleEvidence(),
  files: many(60, (i) => ({
    path: `packages/core/src/queue/part-${i}.ts`,
    reason: `edited ${i} times; in 2 commits since base`,
    evidence: ['edited', 'committed'],
    source: 'transcript',
  })),
  commands: many(30, (i) => ({
    command: `npm test -- part-${i} --reporter=dot`,
    outcome: 'ok',
    exitCode: 0,
    cwd: null,
    kind: 'test',
    runs: 1,
    source: 'transcript',
    at: null,
  })),
  information: many(40, (i) => ({ text: sentence(i), source: 'transcript', at: null })),
  decisions: many(30, (i) => ({
    what: `Decision ${i}`,
    why: sentence(i).repeat(3),
    alternatives: [sentence(i)],
    by: i % 2 ? 'user' : 'agent',
    source: 'transcript',
    at: null,
  })),
  questions: many(20, (i) => ({ text: `Question ${i}?`, source: 'agent', at: null, kind: 'question' })),
  plan: many(40, (i) => ({ text: `Plan item ${i}: ${sentence(i)}`, status: 'pending' })),
}) // prettier-ignore
const draft = (evidence = full()) => {
  const input = sampleInput()
  const git = sampleGit()
  const [commit] = git.commits
  if (commit === undefined) throw new Error('the sample has commits')
  git.commits = many(50, (i) => ({ ...commit, subject: `Commit ${i} ${sentence(i)}` }))
  return draftBrief({
    ...input,
    git,
    evidence,
    notes: { ...sampleNotes(), currentLineOfAttack: sentence(1).repeat(20), other: sentence(2).repeat(120) },
  })
} // prettier-ignore
const { config } = sampleInput()
const tokensOf = (text: string) => readFrontMatter(text).meta.tokens

describe('fitBrief', () => {
  it('leaves a brief within its budgets alone, but for its figure', async () => {
    const brief = draftBrief(sampleInput())
    const fitted = await fitBrief(brief, config)
    expect(fitted).toEqual({ ...brief, meta: { ...brief.meta, tokens: fitted.meta.tokens } })
    const text = renderBrief(fitted)
    expect(tokensOf(text)).toBe(estimateTokens(measured(text)))
    expect(measured(text)).toContain('\ntokens: 0\n')
  })

  it('cuts every section to its budget and the whole to the soft limit, and states each cut', async () => {
    const brief = draft()
    const fitted = await fitBrief(brief, config)
    const budgets = {
      status: 200,
      mission: 300,
      progress: 600,
      decisions: 1500,
      files: 400,
      memory: 1500,
    } as const
    for (const [id, limit] of Object.entries(budgets))
      expect(estimateTokens(renderSection(fitted, id as keyof typeof budgets)), id).toBeLessThanOrEqual(limit)
    const tokens = await countTokens(measured(renderBrief(fitted)))
    expect(tokens).toBeLessThanOrEqual(4000)
    expect(tokens).toBeGreaterThan(3300)
    expect(Object.keys(fitted.cuts).sort()).toEqual([
      'commands',
      'decisions',
      'files',
      'information',
      'memory',
      'progress',
      'questions',
    ])
    expect(fitted.cuts.files).toBe(`(${fitted.files.length} of 61 listed; least relevant left out)`)
    const text = renderBrief(fitted)
    for (const line of Object.values(fitted.cuts)) expect(text).toContain(`\n${line}\n`)
  })

  it('keeps the best and the newest', async () => {
    const fitted = await fitBrief(draft(), config)
    expect(fitted.files[0]?.path).toBe('packages/core/src/queue/part-0.ts')
    expect(fitted.information[0]?.text).toContain('Fact number 0:')
    expect(fitted.decisions.some((item) => item.what === 'Decision 29')).toBe(true)
    expect(fitted.notes?.openQuestions.length).toBeGreaterThanOrEqual(0)
    expect(fitted.constraints).toHaveLength(3)
  })

  it('never gives up constraints for the soft limit, and says what is left over it', async () => {
    const evidence = sampleEvidence()
    evidence.constraints = many(120, (i) => ({
      text: `never do ${i}: ${sentence(i)}`,
      source: 'user',
      at: null,
    }))
    const fitted = await fitBrief(draft(evidence), config)
    expect(fitted.constraints).toHaveLength(120)
    expect(fitted.meta.tokens).toBeGreaterThan(4000)
  })

  it('gives them up last for the hard limit', async () => {
    const evidence = full()
    evidence.constraints = many(400, (i) => ({
      text: `never do ${i}: ${sentence(i)}`,
      source: 'user',
      at: null,
    }))
    const fitted = await fitBrief(draft(evidence), config)
    expect(fitted.meta.tokens).toBeLessThanOrEqual(8000)
    expect(fitted.files).toHaveLength(0)
    expect(fitted.questions).toHaveLength(0)
    expect(fitted.constraints.at(-1)?.text).toContain('never do 399')
    expect(fitted.cuts.constraints).toMatch(/^\(\d+ of 400 listed; least relevant left out\)$/)
    expect(fitted.constraints.length).toBeGreaterThan(100)
  }, 60_000)

  it('cannot go below what is required: the checks see the rest', async () => {
    const tiny = { ...config, budget: { ...config.budget, soft: 100, hard: 200 } }
    const fitted = await fitBrief(draft(), tiny)
    expect(fitted.meta.tokens).toBeGreaterThan(200)
    expect(renderBrief(fitted)).toContain('## Next Goal (verbatim)\n\n```text\ncap the retry backoff')
  })

  it('shortens a mission at a word', async () => {
    const brief = draftBrief({
      ...sampleInput(),
      mission: { text: sentence(0).repeat(20), source: 'user', at: null },
    })
    const fitted = await fitBrief(brief, config)
    expect(fitted.mission?.text).toMatch(/ \S+…$/)
    expect(estimateTokens(renderSection(fitted, 'mission'))).toBeLessThanOrEqual(300)
    expect(fitted.cuts.mission).toMatch(/^\(shortened/)
  })

  it('is the same twice, and exact when asked', async () => {
    const [a, b] = await Promise.all([fitBrief(draft(), config), fitBrief(draft(), config)])
    expect(renderBrief(a)).toBe(renderBrief(b))
    const exact = await fitBrief(draft(), config, { exact: true })
    expect(exact.meta.tokens).toBe(await countTokens(measured(renderBrief(exact))))
    expect(exact.meta.tokens).toBeLessThanOrEqual(4000)
  }, 60_000)
})

describe('tokens', () => {
  it('counts what looks like a special token as text', async () => {
    expect(await countTokens('a <|endoftext|> b')).toBeGreaterThan(2)
  })

  it('takes no time over a word of 60,000 letters, and is a token a thousand off at most', async () => {
    await countTokens('a')
    let tokens = 0
    const count = async () => {
      tokens = await countTokens('x'.repeat(60_000))
    }
    expect(await cpuTime(count, 1500)).toBeLessThan(1500)
    expect(Math.abs(tokens - 60 * (await countTokens('x'.repeat(1000))))).toBeLessThanOrEqual(60)
  })
})
