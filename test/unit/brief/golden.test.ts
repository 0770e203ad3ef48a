import { expect, it } from 'vitest'
import { draftBrief } from '../../../src/brief/draft.ts'
import { fitBrief } from '../../../src/brief/fit.ts'
import { parseBrief } from '../../../src/brief/parse.ts'
import { renderBrief } from '../../../src/brief/render.ts'
import { sampleEvidence, sampleGit, sampleInput, sampleNotes } from './sample.ts'

const FIXTURE = '../../fixtures/brief/whole-brief/brief.md'

it('renders a whole brief as the fixture shows it, twice the same', async () => {
  const render = async () => {
    const input = sampleInput()
    return renderBrief(await fitBrief(draftBrief(input), input.evidence, input.config))
  }
  const text = await render()
  await expect(text).toMatchFileSnapshot(FIXTURE)
  expect(await render()).toBe(text)
})

it('puts what a summary of a conversation has under six headings where it belongs, and nowhere else', () => {
  const evidence = {
    ...sampleEvidence(),
    constraints: [{ text: 'the preference', source: 'user', at: null }],
    decisions: [{ ...sampleEvidence().decisions[0], what: 'the decision' }],
    information: [{ text: 'the critical fact', source: 'model', at: null }],
    plan: [
      { text: 'the part in hand', status: 'in_progress' },
      { text: 'the part to come', status: 'pending' },
    ],
  } as ReturnType<typeof sampleEvidence>
  const [commit] = sampleGit().commits
  if (commit === undefined) throw new Error('a sample without commits')
  const git = { ...sampleGit(), commits: [{ ...commit, subject: 'the part done' }] }
  const notes = { ...sampleNotes(), page: '- Next step: the next step' }
  const text = renderBrief(
    draftBrief({ ...sampleInput(), goal: 'reach the aim itself', evidence, git, notes }),
  )
  const { sections } = parseBrief(text)
  const under = (words: string): string[] =>
    sections
      .filter(({ lines }) => lines.some((line) => line.text.includes(words)))
      .map(({ heading }) => heading)
  const mapping: Record<string, string> = {
    'reach the aim itself': 'Handoff Context, Next Goal (verbatim)',
    'the preference': 'Constraints & Preferences',
    'the part done': 'Progress',
    'the part in hand': 'Progress',
    'the part to come': 'Progress',
    'the decision': 'Key Decisions',
    'the critical fact': 'Context (from previous thread)',
    'the next step': 'Working Memory',
  }
  const found = Object.keys(mapping).map((words) => [words, under(words)])
  expect(found).toEqual(Object.entries(mapping).map(([words, heading]) => [words, heading.split(', ')]))
})
