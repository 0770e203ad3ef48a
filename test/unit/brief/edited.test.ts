import { describe, expect, it } from 'vitest'
import { draftBrief } from '../../../src/brief/draft.ts'
import { readEdited } from '../../../src/brief/edited.ts'
import { parseBrief } from '../../../src/brief/parse.ts'
import { renderBrief } from '../../../src/brief/render.ts'
import { sampleInput } from './sample.ts'

const made = draftBrief(sampleInput())
const text = renderBrief(made)
/** The brief after an edit that must find what it changes. */
const edited = (...changes: [string | RegExp, string][]) => {
  const typed = changes.reduce((before, [from, to]) => {
    const after = before.replace(from, to)
    expect(after, String(from)).not.toBe(before)
    return after
  }, text)
  const { brief, lost } = readEdited(typed, made, 'draft')
  // What is rendered is read back the same, so the label of every item is the one it has.
  expect(parseBrief(renderBrief(brief)).brief.constraints.map(({ source }) => source)).toEqual(
    brief.constraints.map(({ source }) => source),
  )
  return { brief, lost, body: renderBrief(brief) }
}

describe('an edited brief', () => {
  it('that was not changed is the same to the byte, with every fact as it was made', () => {
    const { brief, lost } = readEdited(text, made, 'draft')
    expect(renderBrief(brief)).toBe(text)
    expect(lost).toEqual([])
    expect(brief.files).toEqual(made.files)
    expect(brief.decisions).toEqual(made.decisions)
  })

  it('has the goal that was typed in its section, or in the front matter', () => {
    const goal = 'cap the retry backoff at 20 s, and nothing else'
    const inSection = edited([/(```text\n)[^`]+(\n```)/, `$1${goal}$2`])
    expect(inSection.brief.meta.goal).toBe(goal)
    expect(inSection.body).toContain(`goal: ${goal}`)
    const inMatter = edited([/^goal: .*$/m, `goal: ${goal}`])
    expect(inMatter.body).toContain(`\`\`\`text\n${goal}\n\`\`\``)
  })

  it('has changed facts as items of the user, and the others as they were', () => {
    const { brief } = edited(
      ['use vitest, not jest', 'use vitest 4, not jest'],
      ['imports need the .ts extension', 'imports need the .ts or .mts extension'],
      ['capped at 30 s', 'capped at 20 s'],
      ['Should a cancelled job still count', 'Does a cancelled job still count'],
      ['Update docs/queue.md', 'Update docs/queue.md and the changelog'],
      ['holds the retry loop', 'has the retry loop'],
      ['`npm test -- queue` — test, failed (exit 1)', '`npm test -- queue` — test, passed'],
    )
    const sources = (facts: readonly { source: string }[]): string[] => facts.map(({ source }) => source)
    expect(sources(brief.constraints)).toEqual(sources(made.constraints))
    expect(brief.constraints.find(({ text: words }) => words.includes('vitest 4'))).toEqual({
      text: 'use vitest 4, not jest',
      source: 'user',
      at: null,
    })
    const changed = made.information.findIndex(({ text: words }) => words.startsWith('imports'))
    expect(sources(brief.information)).toEqual(
      made.information.map(({ source }, i) => (i === changed ? 'user' : source)),
    )
    expect(brief.decisions[0]).toMatchObject({ by: 'user', source: 'user', at: null })
    expect(brief.questions.find(({ text: words }) => words.startsWith('Does'))?.source).toBe('user')
    expect(brief.progress.pending.find(({ text: words }) => words.includes('changelog'))?.source).toBe('user')
    const file = brief.files.find(({ path }) => path === 'src/queue/retry.ts')
    expect(file).toMatchObject({ source: 'user', reason: expect.stringContaining('has the retry loop') })
    expect(file?.evidence).toEqual(made.files.find(({ path }) => path === 'src/queue/retry.ts')?.evidence)
    expect(brief.commands.find(({ command }) => command === 'npm test -- queue')).toMatchObject({
      source: 'user',
      outcome: 'ok',
    })
    expect(brief.commands.find(({ command }) => command === 'npm run build')?.source).toBe('transcript')
  })

  it('believes no label that was typed: another path is named by the user and nothing more', () => {
    const { brief } = edited([
      /^- `src\/queue\/index\.ts` .*$/m,
      '- `src/other.ts` — see there [edited, committed]',
    ])
    expect(brief.files.find(({ path }) => path === 'src/other.ts')).toEqual({
      path: 'src/other.ts',
      reason: 'see there',
      evidence: ['named'],
      source: 'user',
    })
  })

  it('no longer claims that an earlier brief said what was changed', () => {
    const { body } = edited(['exactly as it is', 'as it is for now'])
    expect(body).toMatch(/as it is for now"$/m)
  })

  it('takes a line without a dash, or with another mark, as an item of its list', () => {
    const { brief, lost } = edited([
      '- imports need',
      'Restart the worker after a change.\n* ask Kim about the wheel\n2. read the log\n- imports need',
    ])
    expect(lost).toEqual([])
    expect(
      brief.information.filter(({ source }) => source === 'user').map(({ text: words }) => words),
    ).toEqual(['Restart the worker after a change.', 'ask Kim about the wheel', 'read the log'])
  })

  it('leaves out what was taken out', () => {
    const { brief } = edited([/^## Key Decisions\n\n(?:- .*\n)+\n/m, ''], [/^- .*vitest, not jest.*\n/m, ''])
    expect(brief.decisions).toEqual([])
    expect(brief.constraints).toHaveLength(made.constraints.length - 1)
  })

  it('keeps what the tool knows of its making, whatever was typed there', () => {
    const { brief } = edited(
      [/^head: .*$/m, 'head: abcdef0123456789abcdef0123456789abcdef01'],
      [/^parents:\n {2}- .*$/m, 'parents: []'],
      [/^ {4}id: .*$/m, '    id: somebody-else'],
      [/^ {2}reason: .*$/m, '  reason: shift_end'],
      [/^branch: .*$/m, 'branch: other\nticket: T-12'],
    )
    const { head, parents, agent, branch } = made.meta
    expect(brief.meta).toMatchObject({ head, parents, agent, branch, reason: 'shift_end', ticket: 'T-12' })
  })

  it('has notes, quotes and turns as they were typed', () => {
    const { brief, body, lost } = edited(
      [
        '- Next step: Move the cap behind the jitter.',
        '- Next step: Move it.\n\n### Traps\n\nThe wheel rounds.',
      ],
      ['I will move it next.', 'I moved it.'],
      [/^> \| 6 .*\n/m, ''],
    )
    expect(lost).toEqual([])
    expect(brief.notes?.page).toContain('- Next step: Move it.')
    for (const words of ['### Traps\n\nThe wheel rounds.', '> The cap is applied before', 'I moved it.\n'])
      expect(body).toContain(words)
    expect(body).not.toContain('45 s |')
  })

  it('names lines that no section holds', () => {
    const { lost } = edited([
      '## Working Memory',
      '## My own heading\n\nsome words of mine\n\n## Working Memory',
    ])
    expect(lost).toEqual(['## My own heading', 'some words of mine'])
  })

  it('without front matter is none', () => {
    expect(() => readEdited(text.replace(/^---[\s\S]*?\n---\n/, ''), made, 'draft')).toThrow()
  })
})
