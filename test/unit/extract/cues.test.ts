import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DECISIONS, FINDINGS } from '../../../src/extract/agent-words.ts'
import { createPicker, createSieve, type Rule, wordsIn } from '../../../src/extract/cues.ts'
import { DEMANDS, NOT_DEMANDS, NOT_PREFERENCES } from '../../../src/extract/demand-rules.ts'
import { CREATES } from '../../../src/extract/mentions.ts'
import { FAILURE, shapesIn, TELLING, TEST_FAILURE } from '../../../src/extract/outcome.ts'
import { lineOf, PASTED } from '../../../src/extract/pasted.ts'
import { TAKE_BACKS } from '../../../src/extract/supersede.ts'
import { CHOICES } from '../../../src/extract/user-words.ts'

// A gate may only keep a pattern away from texts it cannot fit. Texts are made from the pattern itself, so that each of
// its alternatives comes up many times; those it fits must pass its gate.

/** Alternatives at most 40 in a pattern: with this many texts each comes up. */
const TEXTS = 400

const tables: Record<string, readonly (Rule & { gate?: RegExp })[]> = {
  DEMANDS,
  NOT_DEMANDS,
  NOT_PREFERENCES,
  TAKE_BACKS,
  CHOICES,
  FINDINGS,
  DECISIONS,
  CREATES,
}

describe.each(Object.entries(tables))('cues of %s', (_, rules) => {
  const pick = createPicker(rules)
  it.each(rules.map((rule) => [String(rule.shape).slice(0, 60), rule] as const))('%s', (_, rule) => {
    const texts = textsFitting(rule.shape).filter((text) => rule.gate?.test(text) !== false)
    expect(texts).not.toEqual([])
    expect(texts.filter((text) => !pick(text).includes(rule))).toEqual([])
    const may = createSieve([rule])
    expect(texts.filter((text) => !may(text))).toEqual([])
  })
})

describe('gates of pasted lines', () => {
  it.each(PASTED.map((row) => [String(row.shape).slice(0, 60), row] as const))('%s', (_, { may, shape }) => {
    const lines = textsFitting(shape).map((text) => ({ text, line: lineOf(text) }))
    expect(lines).not.toEqual([])
    expect(lines.filter(({ line }) => line === null || !may(line))).toEqual([])
  })
})

describe('gates of telling lines', () => {
  const marks = [...new Set([...FAILURE, ...TELLING, ...TEST_FAILURE])]
  it.each(marks.map((mark) => [String(mark.shape).slice(0, 60), mark] as const))('%s', (_, mark) => {
    const texts = textsFitting(mark.shape)
    expect(texts).not.toEqual([])
    expect(texts.filter((text) => !shapesIn(`one\n${text}\ntwo`, [mark]).includes(mark.shape))).toEqual([])
  })
})

describe('a cue', () => {
  const rule = (...cue: string[]): Rule => ({ cue, shape: /./ })
  const picks = (of: Rule, text: string) => createPicker([of])(text).length === 1
  it('stands whole where it is a word', () => {
    expect(picks(rule('not'), "we can't NOT do it")).toBe(true)
    expect(picks(rule('not'), 'notes')).toBe(false)
  })
  it('begins a word where it ends with a star', () => {
    expect(picks(rule('kein*'), 'keinen')).toBe(true)
    expect(picks(rule('kein*'), 'akeinen')).toBe(false)
  })
  it('stands anywhere where it begins with a star or is not ASCII', () => {
    expect(picks(rule('*grund'), 'Hintergrund')).toBe(true)
    expect(picks(rule('für'), 'dafür')).toBe(true)
  })
  it('is asked for in every group', () => {
    expect(picks(rule('a', 'b c'), 'a c')).toBe(true)
    expect(picks(rule('a', 'b c'), 'b c')).toBe(false)
  })
  it('is told from a letter that only becomes ASCII in lower case', () => {
    expect(wordsIn('must\u0130 \u212anot')).toEqual(['must', 'not'])
  })
})

/** Texts that a pattern fits: made from it, bare and among words, in both cases; some open the gate of a language. */
function textsFitting(shape: RegExp): string[] {
  const flags = shape.flags.includes('u') ? 'u' : ''
  const made = fc.sample(fc.stringMatching(new RegExp(`^(?:${withoutAssertions(shape.source)})$`, flags)), {
    numRuns: TEXTS,
    seed: 7,
  })
  const plain = new RegExp(shape.source, shape.flags.replace('g', ''))
  const frame = (text: string) =>
    [text, `so ${text}`, `we, ${text} x`, `${text} x`, text.toUpperCase()].concat(
      ['die Datei', 'le fichier', 'el archivo', '漢', 'の'].map((words) => `${text}, ${words}`),
    )
  return [...new Set(made.flatMap(frame))].filter((text) => plain.test(text))
}

/** A pattern without look-around and boundaries, which texts cannot be made from. */
function withoutAssertions(source: string): string {
  let out = ''
  for (let at = 0; at < source.length; at++) {
    if (/^\(\?(?:[=!]|<[=!])/.test(source.slice(at, at + 4))) at = closing(source, at)
    else if (source.startsWith('\\b', at)) at++
    else if (source.charAt(at) === '\\') out += source.slice(at, ++at + 1)
    else if (source.charAt(at) === '[') {
      const end = endOfClass(source, at)
      out += source.slice(at, end + 1)
      at = end
    } else if (!'^$'.includes(source.charAt(at))) out += source.charAt(at)
  }
  // Any number of spaces or signs says no more than a few.
  return out
    .replace(/\.\*/g, '[a-z ]{0,5}')
    .replace(/\\S\+/g, '[a-z]{1,5}')
    .replace(/\\w([*+])/g, '[a-z]{1,3}')
}

function closing(source: string, open: number): number {
  let depth = 0
  for (let at = open; at < source.length; at++) {
    const sign = source.charAt(at)
    if (sign === '\\') at++
    else if (sign === '[') at = endOfClass(source, at)
    else if (sign === '(') depth++
    else if (sign === ')' && --depth === 0) return at
  }
  return source.length
}

function endOfClass(source: string, open: number): number {
  for (let at = open + 1; at < source.length; at++) {
    if (source.charAt(at) === '\\') at++
    else if (source.charAt(at) === ']') return at
  }
  return source.length
}
