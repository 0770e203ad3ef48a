import type { ParsedBrief } from './parse.ts'

/** A line that git's conflict markers make, as far as nothing else is written so. */
export const CONFLICT_MARKER = /^(?:<{7}|>{7})(?: |$)/

/** Lines of the file on which git's conflict markers stand, inside a fenced block too: a merge knows no fences. */
export const conflictMarkers = ({ sections }: Pick<ParsedBrief, 'sections'>): number[] =>
  sections.flatMap(({ lines }) =>
    lines.flatMap(({ line, text }) => (CONFLICT_MARKER.test(text) ? [line] : [])),
  )
