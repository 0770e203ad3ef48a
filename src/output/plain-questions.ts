import { cells } from '../text/cells.ts'
import { visible } from '../text/visible.ts'
import type { Asking, Choice, Questions } from './questions.ts'
import { readTyped } from './read-typed.ts'
import { wrapText } from '../text/rows.ts'

const CANCEL = '(Esc, Enter: cancel)'

/** Questions as lines: the choices with numbers, the answer typed and sent with Enter. No cursor is moved. */
export function plainQuestions({ signal }: Asking): Questions {
  const say = (text: string): void => {
    process.stderr.write(
      `${visible(text)
        .split('\n')
        .map((line) => broken(line))
        .join('\n')}\n`,
    )
  }
  const list = (choices: readonly Choice<string>[], isOn?: (value: string) => boolean): void => {
    for (const [i, { value, label, hint }] of choices.entries()) {
      const mark = isOn === undefined ? '' : isOn(value) ? '[x] ' : '[ ] '
      const text = `${label.replace(/\s+/g, ' ')}${hint === undefined ? '' : ` (${hint})`}`
      process.stderr.write(`${broken(visible(text), `  ${i + 1}. ${mark}`)}\n`)
    }
  }
  const read = (prompt: string): Promise<string> => {
    process.stderr.write(`${broken(prompt)} `)
    return readTyped(signal, 'line')
  }
  const readLines = async (prompt: string): Promise<string[]> => {
    process.stderr.write(`${broken(prompt)} `)
    return (await readTyped(signal, 'lines')).split('\n')
  }
  return {
    async text({ message, lines = [], initial = '' }) {
      for (const line of [message, ...lines]) say(line)
      if (initial.trim() !== '') say(`So far: ${initial}`)
      const typed = await readLines(`Your answer ${CANCEL}:`)
      if (typed.length === 1) return typed[0] ?? ''
      // Whoever pasted them has not sent them.
      for (;;) {
        say(`Several lines so far:\n${typed.map((line) => `  ${line}`).join('\n')}`)
        const more = await readLines(`Enter takes them, words are one line more ${CANCEL}:`)
        // Line breaks at the very end come from how it was copied.
        if (more.every((line) => line === '')) return typed.join('\n').replace(/\n+$/, '')
        typed.push(...more)
      }
    },
    async one({ message, choices, initial }) {
      say(message)
      list(choices)
      const first = Math.max(
        0,
        choices.findIndex(({ value }) => value === initial),
      )
      for (;;) {
        const answer = await read(`Number, or Enter for ${first + 1} ${CANCEL}:`)
        const chosen = choices[answer.trim() === '' ? first : numberOf(answer) - 1]
        if (chosen !== undefined) return chosen.value
        say(`Type a number from 1 to ${choices.length}.`)
      }
    },
    async many({ message, choices, initial }) {
      say(message)
      list(choices, (value) => initial.some((one) => one === value))
      for (;;) {
        const answer = await read(`Numbers with commas, none, or Enter for those with an x ${CANCEL}:`)
        if (answer.trim() === '') return [...initial]
        if (answer.trim() === 'none') return []
        const numbers = answer.split(',').map(numberOf)
        if (numbers.every((number) => choices[number - 1] !== undefined))
          return choices.filter((_, i) => numbers.includes(i + 1)).map(({ value }) => value)
        say(`Type numbers from 1 to ${choices.length}, such as 1,2.`)
      }
    },
  }
}

/** Not a number: NaN, which is no place in a list. */
const numberOf = (text: string): number => (/^\s*\d{1,4}\s*$/.test(text) ? Number(text) : Number.NaN)

/** A line in lines of the terminal's width, broken between words, the later ones set in as far as the first one's margin. */
function broken(line: string, margin = ''): string {
  const width = (process.stderr.columns || 80) - 1
  return cells(margin + line) <= width ? margin + line : wrapText(line, width, margin).join('\n')
}
