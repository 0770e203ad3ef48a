import type { Rule } from '../rule.ts'

/** Two versions of one brief, one after the other, are none: whoever reads it takes both for facts. */
export const conflictMarkers: Rule = {
  id: 'conflict-markers',
  level: 'always',
  over: 'text',
  about: 'No markers of an unfinished merge outside of fenced blocks.',
  check({ lines }) {
    let fence = ''
    const open = lines.flatMap((line, at) => {
      const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? ''
      if (fence === '') fence = mark
      // Inside, the texts of others may tell of a merge.
      else if (mark.startsWith(fence) && line.trim() === mark) fence = ''
      return fence === '' && /^(?:<{7}|>{7})(?: |\r?$)/.test(line) ? [{ line, number: at + 1 }] : []
    })
    const first = open.find(({ line }) => line.startsWith('<'))
    const isWhole = first !== undefined && open.some(({ line }) => line.startsWith('>'))
    return isWhole ? [{ line: first.number, message: 'holds the markers of an unfinished merge' }] : []
  },
}
