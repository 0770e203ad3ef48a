import fc from 'fast-check'
import { expect, it } from 'vitest'
import { scanBody } from '../../../src/brief/sections.ts'
import { PLACEHOLDER, readMemory, readMemoryAge, renderMemory } from '../../../src/brief/working-memory.ts'
import type { Notes } from '../../../src/types/brief.ts'
import { anyText } from '../../any-text.ts'
import { runs } from '../../sampled.ts'
import { sampleNotes } from './sample.ts'

const EMPTY: Notes = {
  ...sampleNotes(),
  currentLineOfAttack: null,
  activeHypothesis: null,
  abandonedApproaches: [],
  openQuestions: [],
  decisions: [],
  blockers: [],
  nextSteps: [],
  files: [],
}
const markdown = (other: string): Notes => ({ ...EMPTY, other })
const sectionOf = (lines: string[]) => {
  const [section, ...more] = scanBody(`## Working Memory\n\n${lines.join('\n')}\n`, 1)
  if (section === undefined || more.length > 0) throw new Error('the notes are not one section')
  return section
}
const read = (lines: string[]) => readMemory(sectionOf(lines), null)

it('of no notes, or of blank ones, is the placeholder', () => {
  for (const notes of [null, EMPTY, markdown('\n')]) expect(renderMemory(notes, null)).toEqual([PLACEHOLDER])
  expect(read([PLACEHOLDER])).toBeNull()
})

it('keeps markdown whole, its first line and its headings with it', () => {
  const text =
    'The cap works; nothing is pushed.\n\n# Decisions\n- Cap at 30 s\n  - not 45\n\n| a | b |\n| - | - |\n\n```\n# code\n```'
  const lines = renderMemory(markdown(text), null)
  expect(lines).toEqual([
    'Written by the agent, not verified.',
    '',
    ...text.replace('# Dec', '### Dec').split('\n'),
  ])
  expect(read(lines)).toMatchObject({
    ...EMPTY,
    capturedBySessionId: null,
    branch: null,
    head: null,
    capturedAt: '',
    other: text.replace('# Dec', '### Dec'),
  })
}) // prettier-ignore

it('has every slot on a line of its own, and reads all of them back', () => {
  const notes: Notes = {
    ...sampleNotes(),
    decisions: [
      { what: 'Keep the table', why: 'two callers import it', alternatives: ['drop it', 'move it'] },
    ],
    information: ['imports need .ts'],
    progress: ['half done', '<b> [a](b) `x`'],
    other: '### More\n\nand more',
  }
  const lines = renderMemory(notes, '3 h')
  expect(lines).toContain(
    '- Decision: Keep the table; why: two callers import it; instead of: drop it; instead of: move it',
  )
  expect(lines).toContain(
    '- Abandoned: Capping in the scheduler: breaks the billing jobs, which rely on longer delays.',
  )
  expect(lines).toContain('- File: `./src/queue/delay.ts:12` — the delay table two callers still import')
  expect(readMemoryAge(sectionOf(lines))).toBe('3 h')
  const { capturedAt, capturedBySessionId: _, branch: __, head: ___, ...rest } = notes
  expect(readMemory(sectionOf(lines), capturedAt)).toMatchObject({ ...rest, capturedAt })
}) // prettier-ignore

it('takes nothing in the list of the agent for a slot', () => {
  const lines = renderMemory(markdown('- Next step: run it\n- then push'), null)
  expect(lines.slice(2)).toEqual(['* Next step: run it', '- then push'])
  expect(read(lines)).toMatchObject({ nextSteps: [], other: '* Next step: run it\n- then push' })
})

it('is the same when it is read and written again, whatever was said, on lines that are read whole', () => {
  const text = fc
    .array(
      fc.oneof(
        fc.constantFrom(
          '- Blocker: x',
          '# ',
          '  ',
          '\n',
          'a '.repeat(900),
          'x'.repeat(2000),
          '<b>',
          '`',
          '; why: ',
          ' — ',
          '\\',
          '1. ',
        ),
        anyText(9),
      ),
      { maxLength: 5 },
    )
    .map((parts) => parts.join('')) // prettier-ignore
  const slots = fc.record({
    currentLineOfAttack: fc.option(text),
    nextSteps: fc.array(text, { maxLength: 3 }),
    decisions: fc.array(fc.record({ what: text, why: fc.option(text), alternatives: fc.constant([]) }), {
      maxLength: 2,
    }),
    files: fc.array(fc.record({ path: fc.constantFrom('a.ts', '<b>`.ts', '\\<b>'), reason: text }), {
      maxLength: 2,
    }),
    other: fc.option(text),
  }) // prettier-ignore
  fc.assert(
    fc.property(slots, (some) => {
      const lines = renderMemory({ ...EMPTY, ...some } as unknown as Notes, null)
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(1500)
      expect(renderMemory(read(lines), null)).toEqual(lines)
    }),
    { numRuns: runs(20, 300), seed: 20260714 },
  )
}, 60_000)
