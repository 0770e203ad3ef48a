import fc from 'fast-check'
import { expect, it } from 'vitest'
import { notesFrom, readSlots } from '../../../src/brief/notes.ts'
import { scanBody } from '../../../src/brief/sections.ts'
import { PLACEHOLDER, readMemory, readMemoryAge, renderMemory } from '../../../src/brief/working-memory.ts'
import type { Notes } from '../../../src/types/brief.ts'
import { anyText } from '../../any-text.ts'
import { runs } from '../../sampled.ts'
import { sampleNotes, sampleSlots } from './sample.ts'

const markdown = (page: string): Notes => ({ ...sampleNotes(), page })
const sectionOf = (lines: string[]) => {
  const [section, ...more] = scanBody(`## Working Memory\n\n${lines.join('\n')}\n`, 1)
  if (section === undefined || more.length > 0) throw new Error('the notes are not one section')
  return section
}
const read = (lines: string[]) => readMemory(sectionOf(lines), null)

it('of no notes, or of blank ones, is the placeholder', () => {
  for (const notes of [null, markdown('\n')]) expect(renderMemory(notes, null)).toEqual([PLACEHOLDER])
  expect(read([PLACEHOLDER])).toBeNull()
})

it('keeps markdown whole, its first line and its headings with it', () => {
  const text =
    'The cap works; nothing is pushed.\n\n# Decisions\n- Cap at 30 s\n  - not 45\n\n| a | b |\n| - | - |\n\n```\n# code\n```'
  const lines = renderMemory(markdown(text), null)
  const page = text.replace('# Dec', '### Dec')
  expect(lines).toEqual(['Written by the agent, not verified.', '', ...page.split('\n')])
  expect(read(lines)).toMatchObject({ capturedBySessionId: null, capturedAt: '', page })
}) // prettier-ignore

it('has every slot on a line of its own, and reads all of them back', () => {
  const slots = {
    ...sampleSlots(),
    decisions: [
      { what: 'Keep the table', why: 'two callers import it', alternatives: ['drop it', 'move it'] },
    ],
    progress: ['half done', '<b> [a](b) `x`'],
    other: '### More\n\nand more',
  }
  const lines = renderMemory(notesFrom(readSlots(slots), sampleNotes()), '3 h')
  for (const line of [
    '- Decision: Keep the table; why: two callers import it; instead of: drop it; instead of: move it',
    '- Abandoned: Capping in the scheduler: breaks the billing jobs, which rely on longer delays.',
    '- Progress: \\<b> a (b) `x`',
    '- File: `./src/queue/delay.ts:12` — the delay table two callers still import',
  ])
    expect(lines).toContain(line)
  expect(readMemoryAge(sectionOf(lines))).toBe('3 h')
  expect(read(lines)?.page.split('\n')).toEqual(lines.slice(2))
}) // prettier-ignore

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
    nextSteps: fc.array(text, { maxLength: 3 }),
    decisions: fc.array(fc.record({ what: text, why: fc.option(text), alternatives: fc.constant([]) }), {
      maxLength: 2,
    }),
    files: fc.array(fc.record({ path: fc.constantFrom('a.ts', '<b>`.ts', '\\<b>'), reason: text }), {
      maxLength: 2,
    }),
    other: text.map((words) => `word ${words}`),
  }) // prettier-ignore
  fc.assert(
    fc.property(slots, (some) => {
      const cut = JSON.parse(
        JSON.stringify(some, (_, value) => (typeof value === 'string' ? value.slice(0, 1900) : value)),
      )
      const lines = renderMemory(notesFrom(readSlots(cut), sampleNotes()), null)
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(1500)
      expect(renderMemory(read(lines), null)).toEqual(lines)
    }),
    { numRuns: runs(20, 300), seed: 20260714 },
  )
}, 60_000)
