import { describe, expect, it } from 'vitest'
import { replyTo } from '../../../src/model/reply-marks.ts'
import { expectLinear } from '../../growth.ts'

const [O, C] = ['<reply-0a1b2c>', '</reply-0a1b2c>']
const ANSWER = '{"a": 1}'
const MARKED = `${O}\n${ANSWER}\n${C}`
const OF_BOTH = JSON.stringify({ a: [`It writes ${O} and ${C} around it.`] })

describe('the answer to a request, by its marks', () => {
  it.each([
    ['alone on their lines', MARKED, ANSWER],
    ['with spaces and ends of lines of Windows', `${O} \r\n${ANSWER}\r\n  ${C}\r\n`, ANSWER],
    ['on the line of the answer', `${O}${ANSWER}${C}`, ANSWER],
    ['the first on the line of a sentence', `Here it is: ${O}\n${ANSWER}\n${C}`, ANSWER],
    ['the second on the line of a sentence', `${O}\n${ANSWER}\n${C} Done.`, ANSWER],
    ['both within a sentence', `Here: ${O}${ANSWER}${C}, and that is all.`, ANSWER],
    ['twice: the last counts', `${O}\ndraft\n${C}\nAgain:\n${MARKED}`, ANSWER],
    [
      'and a sentence that names both after it',
      `${MARKED}\nThe answer stands between ${O} and ${C}.`,
      ANSWER,
    ],
    ['and one without a full stop', `${MARKED}\nThe answer stands between ${O} and ${C}`, ANSWER],
    ['on its line, and a sentence', `${O}${ANSWER}${C}\nIt stands between ${O} and ${C}`, ANSWER],
    ['and a sentence that names both before it', `I answer between ${O} and ${C}.\n${MARKED}`, ANSWER],
    ['and one that names the first before it', `I start with ${O} now.\n${MARKED}`, ANSWER],
    ['named first, and on the line of the answer', `I start with ${O} now.\n${O}${ANSWER}${C}`, ANSWER],
    ['and both within a text of it', `${O}\n${OF_BOTH}\n${C}`, OF_BOTH],
    ['and an empty pair after it', `${MARKED}\n${O}${C}`, ANSWER],
    ['and an empty pair of two lines after it', `${MARKED}\n${O}\n\n${C}`, ANSWER],
    ['an empty pair alone, after an answer without marks', `${ANSWER}\n${O}${C}`, ANSWER],
    ['without their end', `Here it is.\n${O}\n${ANSWER}\n`, ANSWER],
    ['without their end, named before', `I answer between ${O} and ${C}.\n${O}\n${ANSWER}`, ANSWER],
    ['the first in place of the second', `${O}\n${ANSWER}\n${O}`, ANSWER],
    ['without their beginning', `${ANSWER}\n${C}`, ANSWER],
    ['and one more first after it', `${MARKED}\n${O}\nI went on.`, ANSWER],
    ['in a fence', `\`\`\`\n${MARKED}\n\`\`\``, ANSWER],
    ['around a fence', `${O}\n\`\`\`json\n${ANSWER}\n\`\`\`\n${C}`, `\`\`\`json\n${ANSWER}\n\`\`\``],
    ['left out', ANSWER, ANSWER],
    ['of another request', `<reply-0>${ANSWER}</reply-0>`, `<reply-0>${ANSWER}</reply-0>`],
    ['around nothing', `${O}\n${C}`, ''],
  ])('marks %s', (_, text, answer) => {
    expect(replyTo('0a1b2c', text).trim()).toBe(answer)
  })

  it.each([
    ['openings without an end', (n: number) => O.repeat(n)],
    ['openings on lines of their own', (n: number) => `${O}\n`.repeat(n)],
    ['openings with words between', (n: number) => `${O} a\n`.repeat(n)],
    ['empty pairs', (n: number) => `${O}${C}\n`.repeat(n / 2)],
    ['spaces', (n: number) => `${' '.repeat(n)}${O}${' '.repeat(n)}a`],
    ['ends of lines', (n: number) => `${'\r\n'.repeat(n / 2)}${O}${'\r'.repeat(n)}a`],
  ])('are found in time that grows with the text alone: %s', async (_, textOf) => {
    await expectLinear(2000, (n) => replyTo('0a1b2c', textOf(n)))
  })
})
