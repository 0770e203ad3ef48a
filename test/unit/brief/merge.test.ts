import { describe, expect, it } from 'vitest'
import { draftBrief } from '../../../src/brief/draft.ts'
import { fitBrief } from '../../../src/brief/fit.ts'
import { renderBrief } from '../../../src/brief/render.ts'
import { unquote } from '../../../src/text/safe-text.ts'
import type { Notes } from '../../../src/types/brief.ts'
import type { Evidence } from '../../../src/types/evidence.ts'
import { sampleEvidence, sampleInput, sampleNotes } from './sample.ts'

const PAGE = `## Where it stands
The cap of 30 s is in \`nextDelay()\` of \`src/queue/retry.ts\`; the docs are not begun.

## Constraints
The person: "never touch the billing jobs, they rely on longer delays".

## Names
${'The wheel has slots of 512 ms, and two callers import the delay table. '.repeat(25)}
`
/** It names its file without the path. */
const BARE = PAGE.replace('src/queue/retry.ts', 'queue/retry.ts')
const page = (other = PAGE): Notes => ({ ...sampleNotes(), page: other })
const evidence = (): Evidence => ({
  ...sampleEvidence(),
  constraints: [
    { text: 'never touch the billing jobs, they rely on longer delays', source: 'user', at: null },
    { text: 'always answer in Portuguese when somebody asks', source: 'user', at: null },
  ],
  turns: [
    {
      request: 'cap the delay',
      to: null,
      at: null,
      steps: [{ kind: 'said', text: 'It is capped.', at: null }],
    },
  ],
})
const brief = async (notes: Notes | null, found = evidence()) => {
  const input = { ...sampleInput(), evidence: found, notes }
  const made = await fitBrief(draftBrief(input), { turns: found.turns, forgotten: 0 }, input.config)
  return { made, text: renderBrief(made) }
}

describe('beside a page of the agent', () => {
  it('what the page tells is not told again, and what it misses stays', async () => {
    const { made } = await brief(page())
    // A page that quotes a rule as withdrawn must not remove it.
    expect(made.constraints).toHaveLength(2)
  })

  it('a rule of the person stays, also where the page holds it word for word', async () => {
    const constraints = [{ text: 'docs last', source: 'user' as const, at: null }]
    const { made } = await brief(page(`${PAGE}\n"docs last"`), { ...evidence(), constraints })
    expect(made.constraints.map((item) => item.text)).toEqual(['docs last'])
  })

  it('a file is told, and not at all where it was only looked at', async () => {
    const file = { reason: 'edited', source: 'transcript' as const }
    const files = [
      { ...file, path: 'src/queue/retry.ts', evidence: ['edited' as const] },
      { ...file, path: 'lib/retry.ts', evidence: ['read' as const, 'named' as const] },
    ]
    const told = async (notes: Notes | null) =>
      (await brief(notes, { ...evidence(), files })).made.files.map(({ path, reason }) => [path, reason])
    expect(await told(page(BARE))).toEqual([['src/queue/retry.ts', 'edited']])
    expect(await told(null)).toEqual(files.map(({ path, reason }) => [path, reason]))
  })

  it.each(['gone', 'unverified', 'planned'] as const)(
    'no file that is %s stands in the list, named or not',
    async (mark) => {
      const names = ['queue/retry', 'part-0', 'part-1']
      const files = names.map((name, i) => ({
        path: `src/${name}.ts`,
        reason: 'edited',
        evidence: ['edited' as const],
        source: 'transcript' as const,
        ...(i < 2 ? { mark } : {}),
      }))
      const { made } = await brief(page(BARE), { ...evidence(), files })
      expect(made.files.map(({ path }) => path)).toEqual(['src/part-1.ts'])
    },
  )

  it('the last message stands, unless the page tells it', async () => {
    const told = async (text: string, other = PAGE) => {
      const closing = { text, at: null, after: [] }
      return unquote((await brief(page(other), { ...evidence(), closing })).made.closing)
    }
    const last = 'Comment 4711 is answered; shall I write the Portuguese docs now?'
    expect(await told(last)).toBe(last)
    expect(
      await told(last, `${PAGE}\nI answered comment 4711. The Portuguese docs: shall I write them?`),
    ).toBe('')
  })

  it('the last message has at most 1,200 characters, also where it asks', async () => {
    const text = Array.from({ length: 400 }, (_, i) => `wheel${i}`).join(' ')
    const closing = { text: `${text} Which one?`, at: null, after: [] }
    const { made } = await brief(page(), { ...evidence(), closing })
    expect(unquote(made.closing).length).toBeLessThan(1_300)
    expect(unquote(made.closing)).toMatch(/Which one\?$/)
  })

  it('what the person decided stands, unless the page tells it', async () => {
    const decisions = [
      'Where do the helpers live? → copied into a standalone environment',
      'Which limit holds? → the delay is capped at ten minutes',
    ].map((what) => ({
      ...{ what, why: null, alternatives: [], at: null },
      ...{ by: 'user' as const, source: 'user' as const },
    }))
    const other = `${PAGE}\n## Decisions\nThe limit that holds: the delay is capped at ten minutes.`
    const { made } = await brief(page(other), { ...evidence(), decisions })
    expect(made.decisions.map(({ what }) => what)).toEqual([decisions[0]?.what])
  })
})
