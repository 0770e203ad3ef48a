import fc from 'fast-check'
import { estimateTokenCount } from 'tokenx'
import { describe, expect, it } from 'vitest'
import { estimateTokens } from '../../../src/brief/estimate-tokens.ts'

const pieces = [
  ...['word', 'longerword', 'Mixed', 'SHOUT', 'a1b2', '12', '123456', 'it', "it's", 'x', '\u0000', '\u007f'],
  ...['.', ', ', '-', '--', '---------', '::', '/', '`', '"', '_', '**', '# ', '- ', '@', '\\', "'"],
  ...[' ', '  ', '\n', '\n\n', '\n  ', ' \n', '\t', '\r\n', '\v', '\f', '\n\t'],
  ...[
    '—',
    '–',
    '…',
    '’',
    '“x”',
    '→',
    'über',
    'é',
    'žluť',
    'слово',
    'ά',
    '🎉',
    '👩‍💻',
    '☎',
    '✓',
    '\u0085',
    '\ud800',
  ],
  ...[
    '日本語',
    'です',
    '한국',
    '、',
    '。',
    '，',
    '「',
    '！',
    '\u3000',
    '\u00a0',
    '\u2028',
    '\ufeff',
    '\u200b',
  ],
]

describe('the estimate', () => {
  it('is what tokenx says of any text', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 30 }), (parts) => {
        const text = parts.join('')
        expect(estimateTokens(text)).toBe(estimateTokenCount(text))
      }),
      { numRuns: 400 },
    )
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
        expect(estimateTokens(text)).toBe(estimateTokenCount(text))
      }),
      { numRuns: 100 },
    )
  })
})
