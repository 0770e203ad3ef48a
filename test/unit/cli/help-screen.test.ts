import { expect, it } from 'vitest'
import { helpScreen } from '../../../src/cli/help-screen.ts'

it('breaks paragraphs between words, and leaves what is set in', () => {
  const help = `Does one thing that takes a while to be said
in a sentence of two lines.

Example:
  handoff x "a goal of so many words that it does  not fit"`
  expect(helpScreen(help, 80)).toBe(help)
  expect(helpScreen(help, 36)).toBe(`Does one thing that takes a while to
be said in a sentence of two lines.

Example:
  handoff x "a goal of so many words that it does  not fit"`)
})
