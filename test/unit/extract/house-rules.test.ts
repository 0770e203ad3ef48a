import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HOUSE_RULES } from '../../../src/extract/demand-house-rules.ts'
import { demandOf } from '../../../src/extract/demands.ts'

/** The rule about "no" in one piece, which takes 2 ms to compile. */
const WHOLE =
  /(?:^|[,:;–—] |\b(?:please|pls|plz),? )no (?!(?:\w+ )?(?:errors?|luck|ideas?|problems?|worr\w+|changes?|differences?|diff|outputs?|results?|logs?|failures?|warnings?|issues?|updates?|clues?|responses?|news|needs?|ones?|ways?|reasons?|matter|thanks|doubts?|success|effects?|longer|such|questions?|tests? (?:ran|run)|matches|messages?|signs?|rush|point|thing|good|it|that|this|you|i|we|is|they|there|not|in|but|and|so|or)\b)(?:\w[\w-]* ){0,2}`?[\w.-]+s`?(?:\s?[,.;!)–—]|$| please| anywhere| at all| or )/i
const said = fc
  .array(
    fc.constantFrom(
      ...[
        'no',
        'No',
        'please',
        'pls,',
        'plz',
        ',',
        ':',
        '—',
        '-',
        '.',
        '!',
        '`',
        'or',
        'at all',
        'please no',
        ', no',
      ],
      ...[
        'errors',
        'new',
        'globals',
        'error',
        'worry',
        'worries',
        'worr',
        'Worry',
        'tests',
        'test',
        'ran',
        'run',
        'runs',
      ],
      ...[
        'it',
        "it's",
        'issues-list',
        'diffs',
        'mocks',
        '`mocks`',
        'such',
        'new-ones',
        'classes.',
        'any',
        'x_s',
        'signs',
        'ſ',
      ],
    ),
    { maxLength: 9 },
  )
  .chain((words) =>
    fc
      .array(fc.constantFrom(' ', ' ', ' ', ''), { minLength: 9, maxLength: 9 })
      .map((gaps) => words.map((word, i) => word + gaps[i]).join('')),
  ) // prettier-ignore

describe('the rule about what is not to be there', () => {
  it('fits the texts that the pattern in one piece fits', () => {
    const rule = HOUSE_RULES.find(({ except }) => except !== undefined)
    let fitting = 0
    const fits = (text: string): boolean => {
      for (let at = 0; at < text.length; at++) {
        const shape = new RegExp(rule?.shape ?? /$^/, 'giy')
        shape.lastIndex = at
        const match = shape.exec(text)
        if (match !== null && rule?.except?.(text.slice(shape.lastIndex - (match[1] ?? '').length)) === false)
          return true
      }
      return false
    }
    fc.assert(
      fc.property(said, (text) => {
        const expected = WHOLE.test(text)
        if (expected) fitting++
        expect(fits(text)).toBe(expected)
      }),
      { numRuns: 5000 },
    )
    expect(fitting).toBeGreaterThan(100)
  })

  it('goes on behind a fit that does not count', () => {
    expect(demandOf('No errors, no globals.')).toBe(1)
    expect(demandOf('No errors, no luck.')).toBe(0)
  })
})
