import { describe, expect, it } from 'vitest'
import { createExactFilter, createScanner } from '../../../src/secrets/scanner.ts'

const MARK = '[REDACTED:environment]'

describe('a value of spaces alone is none', () => {
  const text = 'if (ready) {\n          start()\n}'
  it('for the values of a call', () => {
    for (const value of [' '.repeat(10), '\t'.repeat(12), '        \n        ', '         a'])
      expect(createExactFilter([value], [])(text)).toEqual({ value: text, counts: {} })
  })
  it('for the values of the environment', async () => {
    const scanner = createScanner({ values: [{ name: 'ANTHROPIC_AUTH_TOKEN', value: ' '.repeat(10) }] })
    expect(await scanner.redact(text)).toEqual({ value: text, counts: {} })
    expect(await scanner.find(text)).toEqual([])
  })
  it('and spaces around a value do not hide it', () => {
    expect(createExactFilter(['  tulip-4711  '], [])('refused: tulip-4711.').value).toBe(`refused: ${MARK}.`)
  })
})

describe('values that share characters', () => {
  it.each([
    ['two that overlap', ['abcdefghij', 'ijklmnop'], 'x abcdefghijklmnop y', `x ${MARK} y`, 1],
    ['the longer one last', ['abcdefgh', 'efghijklmnop'], 'x abcdefghijklmnop y', `x ${MARK} y`, 1],
    ['a chain', ['abcdefgh', 'ghijklmn', 'mnopqrst'], 'abcdefghijklmnopqrst', MARK, 1],
    ['one that overlaps itself', ['abc-1-abc'], 'x abc-1-abc-1-abc y', `x ${MARK} y`, 1],
    ['one inside another', ['abcdefghijkl', 'cdefghij'], 'abcdefghijkl cdefghij', `${MARK} ${MARK}`, 2],
    ['two side by side', ['abcdefgh', 'ijklmnop'], 'abcdefghijklmnop', MARK + MARK, 2],
  ])('%s: nothing of them is left', (_, values, text, left, count) => {
    expect(createExactFilter(values, [])(text)).toEqual({ value: left, counts: { environment: count } })
  })
  it('the scanner does the same', async () => {
    const values = ['qwe7rty8uio', 'uio9plk6jh'].map((value) => ({ name: 'A_KEY', value }))
    expect((await createScanner({ values }).redact('x qwe7rty8uio9plk6jh y')).value).toBe(`x ${MARK} y`)
  })
})
