import { unescapeAlone } from '../text/safe-text.ts'
import { MAX_LINES, type Review } from './review.ts'

/** The review as a person reads it in a terminal. */
export function renderReviewText({ goal, summary, open, drift, handoffs, total }: Review): string {
  const left = total - handoffs.length
  return [
    [`Handed over: ${goal}`, ...summary.map(unescapeAlone)],
    section('Open now', open, MAX_LINES.open, 'below'),
    section('Still true?', drift, MAX_LINES.drift, 'by `handoff verify`'),
    ...handoffs.map(({ meta, goal, about, parts }) => [
      `${meta.id}: ${goal}`,
      `  ${about}`,
      ...parts.flatMap(({ label, lines }) =>
        lines.length === 1
          ? [`  - ${label}: ${unescapeAlone(lines[0] ?? '')}`]
          : [`  - ${label}`, ...list(lines, MAX_LINES.part, 'in the brief', '    ')],
      ),
    ]),
    left === 0 ? [] : [`${left} older ones are not told here.`],
  ]
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')
}

const section = (heading: string, lines: readonly string[], most: number, where: string): string[] =>
  lines.length === 0 ? [] : [heading, ...list(lines, most, where, '  ')]

const list = (lines: readonly string[], most: number, where: string, indent: string): string[] => [
  ...lines.slice(0, most).map((line) => `${indent}- ${unescapeAlone(line)}`),
  ...(lines.length > most ? [`${indent}- ${lines.length - most} more ${where}`] : []),
]
