import { describe, expect, it } from 'vitest'
import { nearest } from '../../../src/workspace/nearest.ts'

const COMMANDS = ['create', 'check', 'show', 'log', 'diff', 'done', 'doctor', 'status', 'sessions']

describe('nearest', () => {
  it.each([
    ['crate', 'create'],
    ['craete', 'create'],
    ['chekc', 'check'],
    ['stat', 'status'],
    ['lgo', 'log'],
    ['sesion', 'sessions'],
  ])('%s means %s', (word, name) => {
    expect(nearest(word, COMMANDS)).toBe(name)
  })

  it.each(['banana', 'x', '', 'd', 'do', 'sh1', 'fix', 'a'.repeat(100_000)])(
    '%.10s means nothing that is known',
    (word) => {
      expect(nearest(word, COMMANDS)).toBeNull()
    },
  )

  it('names the first of equals in order of their letters', () => {
    expect(nearest('form', ['from', 'fork'])).toBe('fork')
    expect(nearest('form', ['fork', 'from'])).toBe('fork')
  })
})
