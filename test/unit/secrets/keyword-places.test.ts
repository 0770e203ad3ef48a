import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isOption, isSignNear, keywordPlaces, lowerCase } from '../../../src/secrets/keyword-places.ts'

const WORDS =
  '(?:pass(?:word|wd|phrase)|pwd|secret|credentials?|token|(?:api|access|auth|account|private|secret|signing|encryption|master|service)[_-]?key)'

/** Texts that are rich in what the words, their signs and their options are made of. */
const texts = fc
  .array(
    fc.constantFrom(
      ...['pass', 'word', 'wd', 'PassPhrase', 'pwd', 'PWD', 'secret', 'Secret', 'credential', 's', 'token'],
      ...['api', 'API', 'access', 'auth', 'private', 'service', 'key', 'Key', 'keys', '_', '-', '--', ' -'],
      ...[
        '=',
        ':',
        ':=',
        '=>',
        '==',
        ' ',
        '\t',
        '\n',
        '   ',
        '"',
        "'",
        '`',
        '\\',
        '\\"',
        '\u0130',
        '\u212a',
        '\u00a0',
      ],
      ...['abc123', 'Xy7', 'x', '.', ',', '(', 'ß', '日本'],
    ),
    { maxLength: 24 },
  )
  .map((parts) => parts.join(''))

/** Every place where the expression matches, overlapping ones too. */
function allMatches(text: string, source: string): number[] {
  const pattern = new RegExp(source, 'iy')
  return Array.from({ length: text.length }, (_, at) => at).filter((at) => {
    pattern.lastIndex = at
    return pattern.test(text)
  })
}

describe('keywords found word by word', () => {
  it('are those that one expression for all of them finds', () => {
    fc.assert(
      fc.property(texts, (text) => {
        // The sign of Kelvin is a K in lower case, which an expression does not know; nobody writes a key with it.
        fc.pre(!text.includes('\u212a'))
        const places = keywordPlaces(lowerCase(text))
        expect(places.map(({ from }) => from)).toEqual(
          expect.arrayContaining(allMatches(text, WORDS).filter((at) => !insideOther(text, at))),
        )
        for (const { from, end } of places)
          expect(text.slice(from, end)).toMatch(new RegExp(`^${WORDS}$`, 'i'))
      }),
      { numRuns: 1000 },
    )
  })

  it('never miss a sign or an option that an expression would see', () => {
    fc.assert(
      fc.property(texts, (text) => {
        for (const place of keywordPlaces(lowerCase(text))) {
          const behind = text.slice(place.end)
          if (/^\\{0,3}["'`]?\s{0,3}[:=]/.test(behind)) expect(isSignNear(text, place.end)).toBe(true)
          if (/-[a-z-]{0,30}_?$/i.test(text.slice(0, place.from)) && /^[\s=]/.test(behind))
            expect(isOption(text, place)).toBe(true)
        }
      }),
      { numRuns: 1000 },
    )
  })

  it('keep their offsets in lower case', () => {
    expect(lowerCase('\u0130\u0130 TOKEN').indexOf('token')).toBe(3)
    expect(keywordPlaces(lowerCase('\u0130x Api-Key=1'))).toEqual([{ from: 3, end: 10 }])
  })
})

/** A key of `secret_key` is found with the secret before it; alone it is none. */
const insideOther = (text: string, at: number): boolean =>
  /^secret[_-]?key/i.test(text.slice(at)) && keywordPlaces(lowerCase(text)).every(({ from }) => from !== at)
