import { expect, it } from 'vitest'
import { type Choice, chooseByCoverage } from '../../../src/brief/trail.ts'
import { tellingWords } from '../../../src/text/blocks.ts'

const choice = (text: string, more: Partial<Choice> = {}): Choice => ({
  text,
  tokens: text.split(' ').length,
  worth: 1,
  need: null,
  ...more,
})
const chosen = (choices: Choice[], room: number, told = '') =>
  chooseByCoverage(choices, told, room).map(({ text }) => text)

it('takes what adds most new words for its size, in the given order', () => {
  const choices = ['wheel rounds delays', 'wheel rounds delays', 'gateway drops clients', 'the of and'].map(
    (text) => choice(text),
  )
  expect(chosen(choices, 6)).toEqual(['wheel rounds delays', 'gateway drops clients'])
  // Words that are repeated tie a text to others; what says nothing new at all is not told.
  expect(chosen(choices, 99)).toEqual(['wheel rounds delays', 'wheel rounds delays', 'gateway drops clients'])
}) // prettier-ignore

it('counts a word by how many texts hold it, and by what the text is worth', () => {
  const texts = ['retry queue', 'retry scheduler', 'lunch menu'].map((text) => choice(text))
  // The later one of two that say as much.
  expect(chosen(texts, 2)).toEqual(['retry scheduler'])
  expect(chosen([...texts, choice('red herring', { worth: 9 })], 2)).toEqual(['red herring'])
})

it('leaves out what is told elsewhere', () => {
  expect(chosen([choice('cap delay'), choice('port queue')], 2, 'We cap the delay.')).toEqual(['port queue'])
})

it('tells what is needed first, the newest before the oldest, and keeps the room', () => {
  const needed = [0, 1, 2].map((order) => choice(`the ${order}`, { need: 'other' }))
  const rest = [choice('scheduler wheel slots')]
  expect(chosen([...needed, ...rest], 4)).toEqual(['the 1', 'the 2'])
  expect(chosen([...needed, ...rest], 9)).toEqual(['the 0', 'the 1', 'the 2', 'scheduler wheel slots'])
  expect(chosen([...needed, ...rest], 0)).toEqual([])
  expect(chosen([choice('what was asked', { need: 'request' }), ...needed], 4)).toEqual(['what was asked'])
})

it('is quick, within the room and the same every time for thousands of texts', () => {
  const choices = Array.from({ length: 1500 }, (_, i) => choice(`w${i % 97} w${i % 89} w${i % 83} w${i % 7}`))
  const once = chosen(choices, 400)
  expect(once.length).toBeLessThanOrEqual(100)
  expect(once.length).toBeGreaterThan(50)
  expect(chosen(choices, 400)).toEqual(once)
})

it('knows words of any language', () => {
  expect(tellingWords('Die Tests laufen nicht, 再試行 und la prueba 42 a1')).toEqual([
    'tests',
    'laufen',
    '再試行',
    'prueba',
    '42',
    'a1',
  ])
}) // prettier-ignore
