import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { cancelled } from '../errors/writing.ts'
import { wrapText } from '../text/rows.ts'
import { visible } from '../text/safe-text.ts'
import { isPlain } from './progress.ts'

export interface Choice<T extends string> {
  value: T
  label: string
  hint?: string
}

/** Questions to the person at the terminal. Each throws `cancelled` for Esc, Ctrl-C, a signal and the end of input. `onEscape`: what Esc answers instead. */
export interface Questions {
  /**
   * A line of text, or the lines that were pasted. `lines` explain and stand under the question; `initial` is what may be changed;
   * `keys` says what Enter does where it does more than send the line.
   */
  text(question: {
    message: string
    lines?: readonly string[]
    initial?: string
    keys?: string
  }): Promise<string>
  one<T extends string>(question: {
    message: string
    choices: readonly Choice<T>[]
    initial?: T
    onEscape?: T
  }): Promise<T>
}

export interface Asking {
  env: Readonly<Record<string, string | undefined>>
  color: boolean
  /** Ends a question that is open. */
  signal?: AbortSignal | undefined
}

const CANCEL = '(Esc cancels)'
/** What Esc does at a question with these choices. */
const escapeText = (choices: readonly Choice<string>[], onEscape: string | undefined): string =>
  onEscape === undefined
    ? CANCEL
    : `(Esc: ${choices.find(({ value }) => value === onEscape)?.label ?? onEscape})`
/** A line beside the mark of its question. */
const INDENT = '\n   '
const PLAIN_CANCEL = '(Esc, Enter: cancel)'
const ESC = '\u001b'

/** Questions as this terminal can show them: with a moving cursor, or one plain line after another. */
export async function openQuestions(asking: Asking): Promise<Questions> {
  if (asking.signal?.aborted) throw cancelled()
  return isPlain(asking.env) ? plainQuestions(asking) : styledQuestions(asking)
}

/** The prompts of the library, on standard error. */
async function styledQuestions({ color, signal }: Asking): Promise<Questions> {
  const prompts = await import('@clack/prompts')
  const { stdin } = process
  const ask = async <T>(
    show: (common: { output: Writable; signal: AbortSignal }) => Promise<T | symbol>,
    onEscape?: T,
  ): Promise<T> => {
    // The library tells Esc and Ctrl-C alike.
    let isEscape = false
    const onKey = (bytes: Buffer | string): void => {
      isEscape = String(bytes) === ESC
    }
    stdin.on('data', onKey)
    // One for each question: the library goes on listening to the signal of a question that is over.
    const ending = new AbortController()
    const end = (): void => ending.abort()
    // The line editor of Node pauses the input at its end, such as Ctrl-D, and after a Ctrl-Z; the library hears of neither.
    const onPause = (): void => void setImmediate(() => stdin.isPaused() && end())
    const onContinue = (): void => void setImmediate(() => stdin.resume())
    signal?.addEventListener('abort', end, { once: true })
    stdin.on('pause', onPause).once('end', end)
    process.on('SIGCONT', onContinue)
    try {
      const answer = await show({ output: screenOf(color), signal: ending.signal })
      if (prompts.isCancel(answer) && onEscape !== undefined && isEscape) return onEscape
      if (prompts.isCancel(answer)) throw cancelled()
      return answer as T
    } finally {
      signal?.removeEventListener('abort', end)
      stdin.off('pause', onPause).off('end', end).off('data', onKey)
      process.off('SIGCONT', onContinue)
      // The line editor takes the input for paused since the Ctrl-Z, and leaves it open: the program would not end.
      stdin.pause()
    }
  }
  return {
    async text({ message, lines = [], initial = '', keys = 'Enter sends it.' }) {
      // The library takes the first line of what is pasted for the answer.
      let behind = ''
      const onData = (bytes: Buffer | string): void => {
        const text = String(bytes).replace(/\r\n?/g, '\n')
        if (text.includes('\n')) behind = text.slice(text.indexOf('\n'))
      }
      stdin.on('data', onData)
      try {
        const answer = await ask<string>((common) =>
          prompts.text({
            ...common,
            message: [message, ...lines, `${keys} Esc cancels.`].map(visible).join(INDENT),
            initialValue: visible(initial),
          }),
        )
        return `${answer ?? ''}${behind}`.replace(/\n+$/, '')
      } finally {
        stdin.off('data', onData)
      }
    },
    one: ({ message, choices, initial, onEscape }) =>
      ask<string>(
        (common) =>
          prompts.select<string>({
            ...common,
            message: `${visible(message)} ${escapeText(choices, onEscape)}`,
            options: choices.map(({ value, ...choice }) => ({ value, label: labelOf(choice) })),
            ...(initial === undefined ? {} : { initialValue: initial }),
          }),
        onEscape,
      ) as Promise<never>,
  }
}

/** The hint stands in the label: the library shows it beside the chosen one only. */
const labelOf = ({ label, hint }: Pick<Choice<string>, 'label' | 'hint'>): string =>
  visible(hint === undefined ? label : `${label} (${hint})`)
    .replace(/\s+/g, ' ')
    .trim()

/**
 * Standard error for the library, which colours what it writes without asking whether it may, and takes a terminal that does not know
 * its size for one without room.
 */
function screenOf(color: boolean): Writable {
  const { stderr } = process
  if (color && stderr.columns > 0) return stderr
  const output = new Writable({
    write(chunk, _, done) {
      stderr.write(color ? String(chunk) : String(chunk).replace(SGR, ''))
      done()
    },
  })
  return Object.defineProperties(output, {
    isTTY: { value: true },
    columns: { get: () => stderr.columns || 80 },
    rows: { get: () => stderr.rows || 24 },
  })
}
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what colours begin with
const SGR = /\u001b\[[\d;]*m/g

/** Questions as lines: the choices with numbers, the answer typed and sent with Enter. No cursor is moved. */
function plainQuestions({ signal }: Asking): Questions {
  const say = (text: string, margin = ''): void => {
    const width = (process.stderr.columns || 80) - 1
    for (const line of visible(text).split('\n'))
      process.stderr.write(`${wrapText(line, width, margin).join('\n')}\n`)
  }
  const read = (prompt: string, onEscape?: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false })
      const leave = (): void => lines.close()
      let typed: string | null = null
      signal?.addEventListener('abort', leave, { once: true })
      lines.once('close', () => {
        signal?.removeEventListener('abort', leave)
        if (typed === null) process.stderr.write('\n')
        if (typed === ESC && onEscape !== undefined) resolve(onEscape)
        else if (typed === null || typed === ESC) reject(cancelled())
        else resolve(typed)
      })
      lines.question(`${prompt} ${PLAIN_CANCEL}: `, (answer) => {
        typed = answer
        lines.close()
      })
    })
  return {
    async text({ message, lines = [], initial = '', keys = '' }) {
      for (const line of [message, ...lines, ...(keys === '' ? [] : [keys])]) say(line)
      if (initial.trim() !== '') say(`So far: ${initial}`)
      // Keys that the terminal takes for text.
      return stripVTControlCharacters(await read('Your answer')).replace(/[^\P{Cc}\t]/gu, '')
    },
    async one({ message, choices, initial, onEscape }) {
      say(message)
      for (const [i, choice] of choices.entries()) say(`${i + 1}. ${labelOf(choice)}`, '  ')
      const first = Math.max(
        0,
        choices.findIndex(({ value }) => value === initial),
      )
      for (;;) {
        const escaped = choices.findIndex(({ value }) => value === onEscape)
        const answer = await read(
          `Number, or Enter for ${first + 1}`,
          escaped === -1 ? undefined : String(escaped + 1),
        )
        const chosen = choices[answer.trim() === '' ? first : numberOf(answer) - 1]
        if (chosen !== undefined) return chosen.value
        say(`Type a number from 1 to ${choices.length}.`)
      }
    },
  }
}

/** Not a number: NaN, which is no place in a list. */
const numberOf = (text: string): number => (/^\s*\d{1,4}\s*$/.test(text) ? Number(text) : Number.NaN)
