import { createInterface } from 'node:readline'
import { visible } from '../brief/visible.ts'
import { cancelled } from '../errors.ts'
import type { Asking, Choice, Questions } from './questions.ts'

const ESC = '\u001b'
const CANCEL = '(Esc, Enter: cancel)'

/** Questions as lines: the choices with numbers, the answer typed and sent with Enter. No cursor is moved. */
export function plainQuestions({ signal }: Asking): Questions {
  const say = (text: string): void => {
    process.stderr.write(`${visible(text)}\n`)
  }
  const list = (choices: readonly Choice<string>[], isOn?: (value: string) => boolean): void => {
    for (const [i, { value, label, hint }] of choices.entries()) {
      const mark = isOn === undefined ? '' : isOn(value) ? '[x] ' : '[ ] '
      say(`  ${i + 1}. ${mark}${label.replace(/\s+/g, ' ')}${hint === undefined ? '' : ` (${hint})`}`)
    }
  }
  return {
    async text({ message, lines = [], initial = '' }) {
      for (const line of [message, ...lines]) say(line)
      if (initial.trim() !== '') say(`So far: ${initial}`)
      return readLine(`Your answer ${CANCEL}: `, signal)
    },
    async one({ message, choices, initial }) {
      say(message)
      list(choices)
      const first = Math.max(
        0,
        choices.findIndex(({ value }) => value === initial),
      )
      for (;;) {
        const answer = await readLine(`Number, or Enter for ${first + 1} ${CANCEL}: `, signal)
        const chosen = choices[answer.trim() === '' ? first : numberOf(answer) - 1]
        if (chosen !== undefined) return chosen.value
        say(`Type a number from 1 to ${choices.length}.`)
      }
    },
    async many({ message, choices, initial }) {
      say(message)
      list(choices, (value) => initial.some((one) => one === value))
      for (;;) {
        const answer = await readLine(
          `Numbers with commas, none, or Enter for those with an x ${CANCEL}: `,
          signal,
        )
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

/** One line of standard input, as the terminal itself lets people edit it. Throws `cancelled`. */
function readLine(prompt: string, signal: AbortSignal | undefined): Promise<string> {
  process.stderr.write(prompt)
  const lines = createInterface({ input: process.stdin, terminal: false })
  return new Promise((resolve, reject) => {
    const end = (): void => lines.close()
    signal?.addEventListener('abort', end, { once: true })
    let typed: string | null = null
    lines.once('line', (line) => {
      typed = line
      lines.close()
    })
    lines.once('close', () => {
      signal?.removeEventListener('abort', end)
      if (typed === null) process.stderr.write('\n')
      if (typed === null || (typed.replaceAll(ESC, '') === '' && typed !== '')) reject(cancelled())
      else resolve(typed)
    })
    if (signal?.aborted) end()
  })
}
