import { stripVTControlCharacters } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  cells,
  paint,
  type Row,
  rowCells,
  type Span,
  wrapMessage,
  wrapPlain,
  wrapRow,
} from '../../../src/text/rows.ts'
import { hiddenIn, visible } from '../../../src/text/safe-text.ts'

const text = (rows: readonly Row[]): string[] => rows.map((row) => row.map((span) => span.text).join(''))
const wrapped = (words: string, width: number, first?: Row): string[] =>
  text(wrapRow([{ text: words }], width, first))

describe('wrapRow', () => {
  it('breaks at spaces and sets later rows in', () => {
    expect(wrapped('one two three four', 12, [{ text: '- ' }])).toEqual(['- one two', '  three four'])
  })

  it('breaks what is longer than a row, beginning where there is room', () => {
    expect(wrapped('see aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 16)).toEqual([
      'see aaaaaaaaaaaa',
      'aaaaaaaaaaaaaaaa',
      'aa',
    ])
  })

  it('breaks between wide characters, and never before what closes a sentence', () => {
    expect(wrapped('再試行の上限を三十秒にする。', 10)).toEqual(['再試行の上', '限を三十秒', 'にする。'])
    expect(wrapped('再試行の上限。', 12)).toEqual(['再試行の上', '限。'])
  })

  it('keeps words together whose pieces are of several kinds', () => {
    const spans: Span[] = [{ text: 'in ' }, { text: 'src/a.ts', is: 'code' }, { text: ', then' }]
    expect(text(wrapRow(spans, 10))).toEqual(['in', 'src/a.ts,', 'then'])
  })

  it('keeps spaces inside a row, and needs no room for a margin', () => {
    expect(wrapped('a  b', 10)).toEqual(['a  b'])
    expect(wrapped('one two', 8, [{ text: '      - ' }])).toEqual(['- one', 'two'])
  })

  it('loses nothing and stays within the width, whatever stands there', () => {
    const word = fc.oneof(
      fc.string({ maxLength: 30 }),
      fc.string({ unit: 'grapheme', maxLength: 20 }),
      fc.constantFrom('再試行', '👩\u200d💻', 'e\u0301'),
    )
    fc.assert(
      fc.property(fc.array(word, { maxLength: 20 }), fc.integer({ min: 12, max: 60 }), (words, width) => {
        const whole = visible(words.join(' ')).replace(/[\t\n]/g, ' ')
        const rows = wrapRow([{ text: whole }], width, [{ text: '- ' }])
        for (const row of rows) expect(rowCells(row)).toBeLessThanOrEqual(width)
        const back = text(rows)
          .map((row) => row.slice(2))
          .join('')
        expect(back.replaceAll(' ', '')).toBe(whole.replaceAll(' ', ''))
      }),
      { numRuns: 300 },
    )
  })
})

describe('wrapPlain', () => {
  it('breaks any text as wrapRow does, short words and long ones, of ASCII or not', () => {
    const word = fc.oneof(
      fc.string({ minLength: 1, maxLength: 12 }).map((one) => one.replaceAll(' ', 'x')),
      fc.constantFrom('a', 'retry', '再試行', 'x'.repeat(70)),
    )
    const gap = fc.constantFrom(' ', '  ')
    fc.assert(
      fc.property(
        fc.array(fc.tuple(word, gap), { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 8, max: 60 }),
        (words, width) => {
          const whole = words.flat().join('').trim()
          expect(wrapPlain(whole, width)).toEqual(text(wrapRow([{ text: whole }], width, [], 2)))
        },
      ),
      { numRuns: 500 },
    )
  })
})

describe('wrapMessage', () => {
  it('breaks a long line between words and sets the rest in, and leaves a short one alone', () => {
    expect(wrapMessage('warning: one two three four\nshort  as it is', 16)).toBe(
      'warning: one two\n  three four\nshort  as it is',
    )
    expect(wrapMessage('  Read it with care, then trust it', 16)).toBe(
      '  Read it with\n    care, then\n    trust it',
    )
  })

  it('keeps the columns of a list', () => {
    expect(wrapMessage('20261122  main  write the docs', 20)).toBe('20261122  main\n  write the docs')
  })

  it('breaks no path, no id and nothing in backticks, however long', () => {
    const path = `.handoff/briefs/${'x'.repeat(30)}.md`
    expect(wrapMessage(`${path} was edited since`, 20)).toBe(`${path}\n  was edited since`)
    expect(wrapMessage('it is mended by `git handoff init --yes`, once', 24)).toBe(
      'it is mended by\n  `git handoff init --yes`,\n  once',
    )
    expect(wrapMessage('on `one two three four five`, and on', 16)).toBe(
      'on\n  `one two three four five`,\n  and on',
    )
    expect(wrapMessage('an odd ` in it and some more words', 16)).toBe(
      'an odd ` in it\n  and some more\n  words',
    )
  })

  it('breaks a script without spaces between its characters', () => {
    expect(wrapMessage('再試行の上限を三十秒にする。', 12)).toBe('再試行の上限\n  を三十秒に\n  する。')
  })

  it('loses no word, and breaks nothing that fits into a row', () => {
    const word = fc.oneof(
      fc.stringMatching(/^[!-_a-~]{1,30}$/),
      fc.constantFrom('`a b`', '`git handoff show`', 'a'),
    )
    fc.assert(
      fc.property(fc.array(word, { maxLength: 20 }), fc.integer({ min: 20, max: 60 }), (words, width) => {
        const rows = wrapMessage(words.join(' '), width).split('\n')
        expect(rows.join(' ').replace(/ +/g, ' ')).toBe(words.join(' '))
        for (const row of rows)
          if (row.length > width)
            expect(words.some((one) => one.length > width - 2 && row.trim() === one)).toBe(true)
      }),
    )
  })
})

describe('paint', () => {
  const row: Row = [{ text: 'a ' }, { text: 'b', is: 'code' }, { text: 'c', is: 'code' }]

  it('puts colours around kinds, once for what stands together; none without colour', () => {
    expect(paint([row], true)).toBe('a \u001b[36mbc\u001b[39m\n')
    expect(paint([row], false)).toBe('a bc\n')
  })

  it('obeys nothing in a piece', () => {
    const bad = '\u001b[2J\u001b]0;owned\u0007 \u202e\r\nx\u009b31m'
    for (const color of [true, false]) {
      const out = paint([[{ text: bad, is: 'strong' }]], color)
      const left = hiddenIn(stripColours(out))
      expect(left).toEqual([])
      expect(out).toContain('\\u{1b}]0;owned\\u{7}')
      expect(out.split('\n')).toHaveLength(2)
    }
  })
})

/** Our own colours alone: what else there is stays. */
const stripColours = (painted: string): string =>
  painted.replaceAll('\u001b[1m', '').replaceAll('\u001b[22m', '')

it('colours take no cells', () => {
  const painted = paint([[{ text: 'abc', is: 'bad' }]], true)
  expect(cells(stripVTControlCharacters(painted).trim())).toBe(3)
})
