import { describe, expect, it } from 'vitest'
import { jsonText } from '../../../src/output/output.ts'
import { visible } from '../../../src/text/safe-text.ts'

describe('jsonText', () => {
  it.each([
    '\u001b[31m',
    '\u009b31m',
    'a\u202eb',
    'a\u200bb',
    'a\u{e0041}\u{e007f}b',
    'a\u{e0100}\u180e\u00ad\ufff9b',
    '\ud800',
    'two\nlines',
  ])('shows nothing of %j to a terminal and all of it to a parser', (text) => {
    const json = jsonText({ text, more: [text] })
    expect(visible(json)).toBe(json)
    expect(JSON.parse(json)).toEqual({ text, more: [text] })
  })

  it('leaves pictures and scripts alone', () => {
    const text = '👩‍💻 ❤️ naïve 日本語'
    expect(jsonText({ text })).toBe(`{"text":"${text}"}`)
  })

  it('holds no command for the log of a server', () => {
    expect(jsonText({ text: '##[error]x' })).toBe('{"text":"\\u0023#[error]x"}')
  })
})
