import { describe, expect, it } from 'vitest'
import { replyTo } from '../../../src/model/agent.ts'
import { expectLinear } from '../../growth.ts'

const [O, C] = ['<reply-0a1b2c>', '</reply-0a1b2c>']
const ANSWER = '## Where it stands\n\nThe cap is in, its tests pass and nothing is pushed.'
const MARKED = `${O}\n${ANSWER}\n${C}`

describe('the answer to a request, by its marks', () => {
  it.each([
    ['alone on their lines', MARKED],
    ['with spaces and ends of lines of Windows', `${O} \r\n${ANSWER}\r\n  ${C}\r\n`],
    ['on the line of the answer', `${O}${ANSWER}${C}`],
    ['within a sentence', `Here: ${O}${ANSWER}${C}, and that is all.`],
    ['twice: the last counts', `${O}\n${ANSWER} A draft.\n${C}\nAgain:\n${MARKED}`],
    ['and a sentence that names both after it', `${MARKED}\nIt stands between ${O} and ${C}.`],
    ['on its line, and a sentence', `${O}${ANSWER}${C}\nIt stands between ${O} and ${C}`],
    ['and an empty pair after it', `${MARKED}\n${O}\n\n${C}`],
    ['without their end', `Here it is.\n${O}\n${ANSWER}\n`],
    ['without their beginning', `${ANSWER}\n${C}`],
    ['and more words after it', `${MARKED}\nA hook made me go on.`],
    ['left out', ANSWER],
  ])('keeps the page where marks stand %s', (_, text) => {
    expect(replyTo('0a1b2c', text).trim()).toBe(ANSWER)
  })

  it('is nothing between marks around nothing, and takes no mark of another request', () => {
    expect(replyTo('0a1b2c', `${O}\n${C}`).trim()).toBe('')
    const other = `<reply-0>${ANSWER}</reply-0>`
    expect(replyTo('0a1b2c', other)).toBe(other)
  })

  it.each([
    ['openings', (n: number) => `${O} a\n`.repeat(n)],
    ['spaces', (n: number) => `${' '.repeat(n)}${O}${' '.repeat(n)}a`],
  ])('is found in time that grows with the text alone: %s', async (_, textOf) => {
    await expectLinear(2000, (n) => replyTo('0a1b2c', textOf(n)))
  })
})
