import { type Readable, Writable } from 'node:stream'
import { cancelled } from '../errors/writing.ts'
import { clipCells } from '../text/cells.ts'
import { visible } from '../text/visible.ts'
import { openFrame } from './frame.ts'
import { freeCharacters, holdCharacters, showHeld } from './held-characters.ts'
import { openKeyboard } from './keyboard.ts'
import type { Asking, Choice, Questions } from './questions.ts'
import { wrapRow } from '../text/rows.ts'

/** As wide as the mark of a question. */
const INDENT = '   '
/** What the library puts before a label. */
const BEFORE_LABEL = 6
const CANCEL = '(Esc cancels)'
/** A window that is drawn larger tells its size many times a second; in ms. */
const SETTLED_MS = 60

/** Questions that are drawn over as they are answered. */
export async function styledQuestions({ color, signal }: Asking): Promise<Questions> {
  const prompts = await import('@clack/prompts')
  const ask = async <T>(
    takesText: boolean,
    show: (common: { input: Readable; output: Writable; signal: AbortSignal }) => Promise<T | symbol>,
  ): Promise<T> => {
    // One for each question: the library goes on listening to the signal of a question that is over.
    const ending = new AbortController()
    const end = (): void => ending.abort()
    const screen = openScreen(color)
    const keyboard = openKeyboard({ takesText, onEnd: end, onReturn: screen.drawAgain })
    signal?.addEventListener('abort', end, { once: true })
    if (signal?.aborted) end()
    try {
      const answer = await show({ input: keyboard.input, output: screen.output, signal: ending.signal })
      if (prompts.isCancel(answer)) throw cancelled()
      return answer as T
    } finally {
      signal?.removeEventListener('abort', end)
      keyboard.close()
      screen.close()
    }
  }
  return {
    text: ({ message, lines = [], initial = '' }) =>
      ask<string>(
        true,
        (common) =>
          prompts.text({
            ...common,
            get message() {
              return wrapped([message, ...lines, 'Enter sends it, Esc cancels.'])
            },
            initialValue: holdCharacters(visible(initial)),
          }),
        // Line breaks at the very end come from how it was copied.
      ).then((answer) => freeCharacters(answer ?? '').replace(/\n+$/, '')),
    one: <T extends string>({
      message,
      choices,
      initial,
    }: {
      message: string
      choices: readonly Choice<T>[]
      initial?: T
    }) =>
      ask<string>(false, (common) =>
        prompts.select<string>({
          ...common,
          message: `${visible(message)} ${CANCEL}`,
          options: choices.map(shown),
          ...(initial === undefined ? {} : { initialValue: initial }),
        }),
      ) as Promise<T>,
    many: <T extends string>({
      message,
      choices,
      initial,
    }: {
      message: string
      choices: readonly Choice<T>[]
      initial: readonly T[]
    }) =>
      ask<string[]>(false, (common) =>
        prompts.multiselect<string>({
          ...common,
          message: `${visible(message)} ${CANCEL}`,
          options: choices.map(shown),
          initialValues: [...initial],
          required: false,
        }),
      ) as Promise<T[]>,
  }
}

/** Lines as rows beside the mark of their question. */
const wrapped = (lines: readonly string[]): string =>
  lines
    .flatMap((text) => wrapRow([{ text }], Math.max(20, width() - INDENT.length)))
    .map((row) => row.map(({ text }) => visible(text)).join(''))
    .join(`\n${INDENT}`)

/** The hint stands in the label: the library shows it beside the chosen one only. At most two rows. */
function shown({ value, label, hint }: Choice<string>): { value: string; label: string } {
  const text = visible(hint === undefined ? label : `${label} (${hint})`)
    .replace(/\s+/g, ' ')
    .trim()
  return {
    value,
    get label() {
      return clipCells(text, 2 * Math.max(20, width() - BEFORE_LABEL), '…')
    },
  }
}

/**
 * Standard error for the library, which colours what it writes without asking whether it may, takes a terminal that does not know its
 * size for one without room, and moves over rows that another width has broken anew.
 */
function openScreen(color: boolean): { output: Writable; drawAgain: () => void; close: () => void } {
  const { stderr } = process
  const rows = (): number => stderr.rows || 24
  const frame = openFrame(rows)
  let isHidden = false
  const output = new Writable({
    write(chunk, _, done) {
      const text = showHeld(color ? String(chunk) : withoutColor(String(chunk)))
      frame.write(text)
      if (!isHidden) stderr.write(text)
      done()
    },
  })
  Object.defineProperties(output, {
    isTTY: { value: true },
    columns: { get: width },
    rows: { get: rows },
  })
  const draw = (): void => {
    isHidden = true
    output.emit('resize')
    isHidden = false
  }
  let timer: NodeJS.Timeout | undefined
  const onResize = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => stderr.write(frame.redrawn(width(), draw)), SETTLED_MS)
  }
  stderr.on('resize', onResize)
  return {
    output,
    drawAgain: () => void stderr.write(`\r\u001b[J${frame.whole()}`),
    close: () => {
      clearTimeout(timer)
      stderr.off('resize', onResize)
    },
  }
}

const width = (): number => process.stderr.columns || 80

const withoutColor = (text: string): string => text.replace(SGR, '')
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what colours begin with
const SGR = /\u001b\[[\d;]*m/g
