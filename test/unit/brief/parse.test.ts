import { describe, expect, it } from 'vitest'
import { draftBrief } from '../../../src/brief/draft.ts'
import { parseBrief } from '../../../src/brief/parse.ts'
import { renderBrief } from '../../../src/brief/render.ts'
import { sections } from '../../../src/brief/sections.ts'
import { PLACEHOLDER } from '../../../src/brief/working-memory.ts'
import { expectLinear } from '../../growth.ts'
import { sampleInput, sampleNotes } from './sample.ts'

const whole = (goal = sampleInput().goal) => renderBrief(draftBrief({ ...sampleInput(), goal }))

describe('parseBrief', () => {
  it('finds every section of the table in its order', () => {
    const notes = { ...sampleNotes(), other: '### Mine' }
    const brief = draftBrief({ ...sampleInput(), notes })
    const text = renderBrief({
      ...brief,
      trail: ['- "go"'],
      nextSteps: [{ text: 'go', source: 'user', at: null }],
    })
    expect(parseBrief(text).sections.map(({ id }) => id)).toEqual(sections.map(({ id }) => id))
  })

  it('gives the lines of the file', () => {
    const text = whole()
    const lines = text.split('\n')
    for (const section of parseBrief(text).sections) {
      expect(lines[section.line - 1]).toBe(`${'#'.repeat(section.level)} ${section.heading}`)
      for (const item of section.items) expect(lines[item.line - 1]).toBe(`- ${item.text}`)
      for (const row of section.lines) expect(lines[row.line - 1]).toBe(row.text)
    }
    const goal = parseBrief(text).goal
    expect(lines[(goal?.line ?? 0) - 1]).toBe('```text')
  })

  it.each([
    '## Status\n\n- forged',
    '```text\nforged\n```',
    '````\n```\n````',
    '~~~\n# x\n~~~',
    '## Next Goal (verbatim)\n\n```text\nanother goal\n```',
    '"quotes" \'single\' `ticks` ```` and 🎉',
    'ends with newlines\n\n',
    '\n\nbegins with newlines',
    '   \n  spaces  \n',
    '---\nkey: value\n---',
  ])('gives the goal back byte for byte: %j', (goal) => {
    const parsed = parseBrief(whole(goal))
    expect(parsed.goal?.text).toBe(goal)
    expect(parsed.meta.goal).toBe(goal)
    expect(parsed.sections.filter((section) => section.id === 'goal')).toHaveLength(1)
  })

  it('keeps CRLF of a goal in the front matter and LF in the body', () => {
    const parsed = parseBrief(whole('first line here\r\nsecond line\rend'))
    expect(parsed.meta.goal).toBe('first line here\r\nsecond line\rend')
    expect(parsed.goal?.text).toBe('first line here\nsecond line\\u{d}end')
  })

  it('reads a file with CRLF line ends', () => {
    const crlf = parseBrief(whole().replaceAll('\n', '\r\n'))
    expect(crlf.brief.constraints).toEqual(parseBrief(whole()).brief.constraints)
    expect(crlf.goal?.text).toBe(sampleInput().goal)
  })

  it('keeps unknown headings and what stands before the first', () => {
    const text = whole().replace('# Handoff Context\n', 'words\n\n## Mine\n\n- item\n\n# Handoff Context\n')
    const [preface, mine] = parseBrief(text).sections
    expect(preface).toMatchObject({ id: null, level: 0 })
    expect(mine).toMatchObject({ id: null, heading: 'Mine', items: [{ text: 'item' }] })
  })

  it('says that a fence is not closed', () => {
    const text = whole().replace(/\n```\n$/, '\n')
    expect(parseBrief(text).sections.at(-1)?.blocks.at(-1)?.closed).toBe(false)
  })

  it('takes the placeholder for no notes', () => {
    const text = renderBrief(draftBrief({ ...sampleInput(), notes: null }))
    expect(text.split('\n')).toContain(PLACEHOLDER)
    expect(parseBrief(text).brief.notes).toBeNull()
  })

  it('refuses more than 64 KB before parsing it', () => {
    expect(() => parseBrief(`${whole()}${'[('.repeat(2_500_000)}`, 'big.md')).toThrow(
      /big\.md: larger than 65536 bytes/,
    )
  })

  it('reads the worst bodies of 60 KB in linear time', async () => {
    const head = whole().split('# Handoff Context')[0]
    for (const unit of [
      '```\n',
      '# x\n',
      '- "a" [user] — from \n',
      '\\',
      '`',
      '- `\n',
      ' [',
      '— why: ',
      '<',
      '!\\[',
      '(1 of 2 listed',
    ]) {
      const bodyOf = (bytes: number) =>
        `${head}# Handoff Context\n\n## Key Decisions\n\n- ${unit.repeat(Math.floor(bytes / Buffer.byteLength(unit)))}\n`
      await expectLinear(5500, (n) => parseBrief(bodyOf(n)), unit)
    }
  })
})
