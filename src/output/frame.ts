import { cells } from '../text/cells.ts'

/** What the prompt library has drawn, row by row. */
export interface Frame {
  /** Follows what is written. */
  write(text: string): void
  /** What takes the rows away on a terminal that has broken them anew for its width, and draws these in their place. */
  redrawn(columns: number, draw: () => void): string
  /** The rows as they stand now. */
  whole(): string
}

/**
 * Keeps account of the few sequences that the library moves and erases with (`Prompt.render` of @clack/core 1.6): up, down, erase the
 * line, erase below, each of them at the left edge. `rows`: how many a terminal shows; what is above cannot be reached.
 */
export function openFrame(rows: () => number): Frame {
  let lines = ['']
  let at = 0
  const put = (piece: string): void => {
    const [, count, command] = MOVE.exec(piece) ?? []
    const by = Number(count || 1)
    if (piece === '\n') {
      at++
      lines[at] ??= ''
    } else if (command === undefined) lines[at] = `${lines[at] ?? ''}${piece}`
    else if (command === 'A') at = Math.max(0, lines.length - rows(), at - by)
    else if (command === 'B') at = Math.min(lines.length - 1, at + by)
    else if (command === 'K') lines[at] = ''
    else if (command === 'J') lines = [...lines.slice(0, at), '']
  }
  const whole = (): string => lines.slice(-rows()).join('\n')
  return {
    write(text) {
      for (const [piece] of text.matchAll(PIECES)) put(piece)
    },
    redrawn(columns, draw) {
      // A terminal breaks a line that has become too long, and joins it again.
      const above = lines
        .slice(0, at + 1)
        .reduce((sum, line) => sum + Math.max(1, Math.ceil(cells(line.replace(SGR, '')) / columns)), -1)
      draw()
      at = lines.length - 1
      return `\r${above > 0 ? `\u001b[${above}A` : ''}\u001b[J${whole()}`
    },
    whole,
  }
}

// biome-ignore-start lint/suspicious/noControlCharactersInRegex: that is what sequences begin with
const SGR = /\u001b\[[\d;]*m/g
/** A line break, a sequence that moves, erases or hides, or text with its colours. */
const PIECES = /\n|\u001b\[\??[\d;]*[A-Za-ln-z]|(?:[^\n\u001b]|\u001b\[[\d;]*m)+/g
const MOVE = /^\u001b\[\??(\d*)[\d;]*([A-Za-ln-z])$/
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: that is what sequences begin with
