import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hiddenIn, visible } from '../../../src/text/safe-text.ts'
import { anyText } from '../../any-text.ts'
import { runs } from '../../sampled.ts'

const TEXTS = runs(200, 1000)

/** Attacks, one of each kind that a terminal or a reader falls for. */
const ATTACKS = {
  'colour (CSI)': '\u001b[31mred',
  'clear screen': '\u001b[2J',
  'cursor up': '\u001b[1A\u001b[2K',
  'window title (OSC)': '\u001b]0;x\u0007',
  'link (OSC 8)': '\u001b]8;;http://example.com\u001b\\t\u001b]8;;\u001b\\',
  'clipboard (OSC 52)': '\u001b]52;c;eA==\u0007',
  DCS: '\u001bP1$r0m\u001b\\',
  APC: '\u001b_x\u001b\\',
  PM: '\u001b^x\u001b\\',
  SOS: '\u001bXx\u001b\\',
  'C1 CSI': '\u009b31m',
  'C1 OSC': '\u009d0;x\u009c',
  'lone ESC': 'a\u001b',
  'split ESC': '\u001b\u200b[31m',
  'carriage return': 'safe\rrm -rf',
  backspace: 'rm\b\bls',
  bell: '\u0007',
  NUL: 'a\u0000b',
  DEL: 'a\u007fb',
  'vertical tab': 'a\u000bb',
  'form feed': 'a\u000cb',
  'bidi override': 'a\u202eb\u202c',
  'bidi isolate': 'a\u2066b\u2069',
  'bidi mark': 'a\u200fb\u061c',
  'zero width': 'a\u200bb\u200cc\u200d\ufeff',
  tags: 'a\u{e0041}\u{e0042}\u{e007f}',
  'variation selectors': 'a\ufe00\ufe0f\u{e0100}',
  'line separator': 'a\u2028b\u2029',
  'lone surrogate': 'a\ud800b',
} // prettier-ignore
const DANGEROUS = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u
const withoutKept = (text: string) =>
  text
    .replace(/[\n\t]/g, '')
    .replace(/(?<=\p{Extended_Pictographic}|[0-9#*])\ufe0f/gu, '')
    .replace(/(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier})\u200d(?=\p{Extended_Pictographic})/gu, '')

describe('visible', () => {
  it('knows 29 attacks', () => expect(Object.keys(ATTACKS)).toHaveLength(29))

  it.each(Object.entries(ATTACKS))('shows %s', (_, attack) => {
    const shown = visible(attack)
    expect(DANGEROUS.test(shown)).toBe(false)
    expect(shown).toContain('\\u{')
    expect(visible(shown)).toBe(shown)
    expect(hiddenIn(attack).length).toBeGreaterThan(0)
    expect(hiddenIn(shown)).toEqual([])
  })

  it.each([
    'a\n\tb',
    '👨‍👩‍👧‍👦',
    '❤️',
    '🏳️‍🌈',
    '1️⃣',
    '👩🏽‍💻',
    'naïve café',
    '日本語 한국어 العربية',
    '"quotes" and \\u{1b}',
  ])('leaves %j alone', (text) => expect(visible(text)).toBe(text))

  it('shows the code point', () => {
    expect(visible('a\u001bb')).toBe('a\\u{1b}b')
    expect(visible('\u{e0041}')).toBe('\\u{e0041}')
    expect(visible('x\u200dy')).toBe('x\\u{200d}y')
  })

  it(`leaves nothing dangerous in ${TEXTS} random texts, and says the same the second time`, () => {
    const piece = fc.oneof(
      anyText(8),
      fc.constantFrom(
        ...Object.values(ATTACKS),
        '👩',
        '\u200d',
        '\ufe0f',
        '🏽',
        '1',
        '\u20e3',
        '❤',
        '\n',
        '\t',
      ),
    )
    const samples = fc.sample(fc.array(piece, { maxLength: 8 }), { numRuns: TEXTS, seed: 29 })
    const wrong = samples
      .map((pieces) => pieces.join(''))
      .filter((text) => {
        const shown = visible(text)
        return visible(shown) !== shown || DANGEROUS.test(withoutKept(shown))
      })
    expect(wrong).toEqual([])
  }, 30_000)
})
