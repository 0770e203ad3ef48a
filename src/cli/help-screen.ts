import { cells, wrapText } from '../text/rows.ts'

/** A paragraph; what is set in was laid out by the parser, or is to be copied. */
const PROSE = /^\S.*(?:\n\S.*)*/gm

/** The help of a command for a terminal: its paragraphs are broken between words. */
export const helpScreen = (help: string, columns: number): string =>
  help.replace(PROSE, (prose) =>
    prose.split('\n').some((line) => cells(line) > columns)
      ? wrapText(prose.replaceAll('\n', ' '), columns).join('\n')
      : prose,
  )
