import { Writable } from 'node:stream'
import { clipCells } from '../brief/cells.ts'
import { visible } from '../brief/visible.ts'
import { cancelled } from '../errors.ts'
import type { Asking, Choice, Questions } from './questions.ts'
import { wrapRow } from './rows.ts'

/** As wide as the mark of a question. */
const INDENT = '   '
/** What the library puts before a label. */
const BEFORE_LABEL = 6

/** Questions that are drawn over as they are answered. */
export async function styledQuestions({ color, signal }: Asking): Promise<Questions> {
  const prompts = await import('@clack/prompts')
  const ask = async <T>(
    show: (common: { output: Writable; signal?: AbortSignal }) => Promise<T | symbol>,
  ): Promise<T> => {
    const { output, close } = screen(color)
    try {
      const answer = await show({ output, ...(signal === undefined ? {} : { signal }) })
      if (prompts.isCancel(answer)) throw cancelled()
      return answer as T
    } finally {
      close()
    }
  }
  return {
    text: ({ message, lines = [], initial = '' }) =>
      ask<string>((common) =>
        prompts.text({
          ...common,
          message: wrapped([message, ...lines]),
          initialValue: visible(initial),
        }),
      ).then((answer) => answer ?? ''),
    one: <T extends string>({
      message,
      choices,
      initial,
    }: {
      message: string
      choices: readonly Choice<T>[]
      initial?: T
    }) =>
      ask<string>((common) =>
        prompts.select<string>({
          ...common,
          message: visible(message),
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
      ask<string[]>((common) =>
        prompts.multiselect<string>({
          ...common,
          message: visible(message),
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
  const room = Math.max(20, width() - BEFORE_LABEL)
  const text = visible(hint === undefined ? label : `${label} (${hint})`)
    .replace(/\s+/g, ' ')
    .trim()
  return { value, label: clipCells(text, 2 * room, '…') }
}

/**
 * Standard error for the library, which colours what it writes without asking whether it may, and takes a terminal that does
 * not know its size for one without room.
 */
function screen(color: boolean): { output: Writable; close: () => void } {
  const { stderr } = process
  const output = new Writable({
    write(chunk, _, done) {
      stderr.write(color ? chunk : withoutColor(String(chunk)))
      done()
    },
  })
  Object.defineProperties(output, {
    isTTY: { value: true },
    columns: { get: width },
    rows: { get: () => stderr.rows || 24 },
  })
  const resize = (): void => {
    output.emit('resize')
  }
  stderr.on('resize', resize)
  return { output, close: () => stderr.off('resize', resize) }
}

const width = (): number => process.stderr.columns || 80

const withoutColor = (text: string): string => text.replace(SGR, '')
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what colours begin with
const SGR = /\u001b\[[\d;]*m/g
