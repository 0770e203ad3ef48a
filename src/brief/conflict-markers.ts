import type { ParsedBrief } from './parse.ts'

/** Lines of the file on which git's conflict markers stand, inside a fenced block too: a merge knows no fences. */
export const conflictMarkers = ({ sections }: Pick<ParsedBrief, 'sections'>): number[] =>
  sections.flatMap(({ lines }) =>
    lines.flatMap(({ line, text }) => (/^(?:<{7}|>{7})(?: |$)/.test(text) ? [line] : [])),
  )
