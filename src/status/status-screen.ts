import type { Screen } from '../output/output.ts'
import { type Painted, paint, type Span, wordSpans, wrapRow } from '../text/rows.ts'

/** Lines for a terminal: what each is about stands out, and what does not fit is set in below it. */
export const drawLines = (lines: readonly string[], { columns, color }: Screen): Painted =>
  paint(
    lines.flatMap((line) =>
      wrapRow(spansOf(line), columns, line.startsWith('  ') ? [{ text: '  ' }] : [], 2),
    ),
    color,
  )

/** The words before the first colon, but for what comes with them, as an id. */
function spansOf(line: string): Span[] {
  if (line.startsWith('  ')) return wordSpans(line.trimStart())
  const label = /^[A-Z][a-z]+(?: [a-z]+)*(?=(?: \S+)?:)/.exec(line)?.[0] ?? ''
  return [{ text: label, is: 'strong' }, ...wordSpans(line.slice(label.length))]
}
