import { describe, expect, it } from 'vitest'
import { helpScreen } from '../../../src/cli/help-screen.ts'

const HELP = `Usage: handoff x [options]

Does one thing that takes a while to be said in a sentence.

Options:
  --agent <id>  set up these agents, installed or not
  --yes         ask nothing

Example:
  handoff x "a goal of so many words that it does  not fit"`

describe('the help of a command on a screen', () => {
  it('breaks prose, and a list below what it tells', () => {
    expect(helpScreen(HELP, 44)).toBe(`Usage: handoff x [options]

Does one thing that takes a while to be said
in a sentence.

Options:
  --agent <id>  set up these agents,
                installed or not
  --yes         ask nothing

Example:
  handoff x "a goal of so many words that it does  not fit"
`)
  })

  it('puts what an option does below it where there is no room beside it', () => {
    expect(helpScreen(HELP, 36)).toContain(`  --agent <id>
      set up these agents, installed
      or not
  --yes         ask nothing
`)
  })

  it('leaves it as it is where it fits', () => {
    expect(helpScreen(HELP, 80)).toBe(`${HELP}\n`)
  })
})
