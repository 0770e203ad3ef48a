import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createPicker } from '../../../src/extract/cues.ts'
import { CREATES } from '../../../src/extract/mentions.ts'
import { FAILURE, shapesIn, TELLING, TEST_FAILURE } from '../../../src/extract/outcome.ts'

// A gate may only keep a pattern away from texts it cannot fit. Texts are made from the pattern itself, so that each of
// its alternatives comes up many times; those it fits must pass its gate.

/** Alternatives at most 40 in a pattern: with this many texts each comes up. */
const TEXTS = 400

describe('cues', () => {
  const pick = createPicker(CREATES)
  it.each(CREATES.map((rule) => [String(rule.shape).slice(0, 60), rule] as const))('%s', (_, rule) => {
    const texts = textsFitting(rule.shape)
    expect(texts).not.toEqual([])
    expect(texts.filter((text) => !pick(text).includes(rule))).toEqual([])
  })

  it('are asked for in every group', () => {
    const pick = createPicker([{ cue: ['a', 'b c'], shape: /./ }])
    expect([pick('A c').length, pick('b c').length]).toEqual([1, 0])
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

/** Texts that a pattern fits: made from it, bare and among words, in both cases. */
function textsFitting(shape: RegExp): string[] {
  const flags = shape.flags.includes('u') ? 'u' : ''
  const made = fc.sample(fc.stringMatching(new RegExp(`^(?:${withoutAssertions(shape.source)})$`, flags)), {
    numRuns: TEXTS,
    seed: 7,
  })
  const plain = new RegExp(shape.source, shape.flags.replace('g', ''))
  const frame = (text: string) => [text, `so ${text}`, `we, ${text} x`, `${text} x`, text.toUpperCase()]
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
