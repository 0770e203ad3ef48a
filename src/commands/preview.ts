import { cells } from '../brief/cells.ts'
import { visible } from '../brief/visible.ts'
import { wrapRow } from '../output/rows.ts'
import type { Brief } from '../types.ts'

/** From here on so many columns are wide enough to read. */
const THREE_COLUMNS = 110
const TWO_COLUMNS = 72
const BETWEEN = ' | '

/**
 * What the session said and did, what the brief keeps of it with its evidence, and what it leaves out and why, side by
 * side, or one below the other in a narrow pane: plain text, no line wider than `width` cells, 30 to 120. Used by
 * `create --preview` and `eval --show`.
 */
export function previewText(brief: Brief, session: readonly string[], width: number): string {
  const whole = Math.min(120, Math.max(30, width))
  const left = ['SESSION', ...session]
  const kept = ['KEPT, and its evidence', ...keptLines(brief)]
  const out = ['DROPPED or cut, and why', ...droppedLines(brief)]
  const columns =
    whole >= THREE_COLUMNS
      ? [left, kept, out]
      : whole >= TWO_COLUMNS
        ? [left, [...kept, '', ...out]]
        : [[...left, '', ...kept, '', ...out]]
  return `${sideBySide(columns, whole)}\n\n${brief.meta.tokens} tokens`
}

/** The width of the person's terminal as its shell tells it; 80 when it does not. */
export const widthOf = (env: Readonly<Record<string, string | undefined>>): number => {
  const told = Number(env.COLUMNS)
  return Number.isInteger(told) && told > 0 ? told : 80
}

function keptLines(brief: Brief): string[] {
  const { files, commands, constraints, decisions, questions, information } = brief
  return [
    ...group(
      'Files',
      files.map(
        (f) => `${f.path} — ${f.reason} [${f.source === 'model' ? 'model: ' : ''}${f.evidence.join(', ')}]`,
      ),
    ),
    ...group(
      'Commands',
      commands.map((c) => `${c.command.split('\n')[0]} — ${c.outcome}, run ${c.runs}x`),
    ),
    ...group(
      'Constraints',
      constraints.map((c) => `"${c.text}" [${c.source}]`),
    ),
    ...group(
      'Decisions',
      decisions.map((d) => `${d.what} [by ${d.by}${d.source === 'model' ? ', model' : ''}]`),
    ),
    ...group(
      'Context',
      information.map((i) => `${i.text} [${i.source}]`),
    ),
    ...group(
      'Questions',
      questions.map((q) => `${q.text} [${q.kind}${q.source === 'model' ? ', model' : ''}]`),
    ),
    ...group(
      'Progress',
      [...brief.progress.done, ...brief.progress.inProgress, ...brief.progress.pending].map(
        (p) => `${p.text} [${p.source}]`,
      ),
    ),
    ...group(
      'Next steps',
      brief.nextSteps.map((s) => `${s.text} [${s.source}]`),
    ),
  ]
}

function droppedLines(brief: Brief): string[] {
  const lines = [
    ...group(
      'Dropped',
      (brief.dropped ?? []).map((d) => `${d.kind}: ${d.text} — ${d.why}`),
    ),
    ...group(
      'Cut to fit',
      Object.entries(brief.cuts).map(([section, line]) => `${section}: ${line}`),
    ),
  ]
  return lines.length === 0 ? ['', 'Nothing.'] : lines
}

const group = (name: string, lines: string[]): string[] =>
  lines.length === 0 ? [] : ['', `${name} (${lines.length})`, ...lines.map((line) => `- ${line}`)]

function sideBySide(columns: readonly string[][], width: number): string {
  const each = Math.floor((width - BETWEEN.length * (columns.length - 1)) / columns.length)
  const wrapped = columns.map((lines) => lines.flatMap((line) => wrap(line, each)))
  const rows = Math.max(...wrapped.map((lines) => lines.length))
  return Array.from({ length: rows }, (_, row) =>
    wrapped
      .map((lines, i) => {
        const cell = lines[row] ?? ''
        return i === wrapped.length - 1 ? cell : cell + ' '.repeat(Math.max(0, each - cells(cell)))
      })
      .join(BETWEEN)
      .trimEnd(),
  ).join('\n')
}

/** Rows of at most `width` cells; later rows are set in. */
const wrap = (text: string, width: number): string[] =>
  wrapRow([{ text: text.replace(/\s+/g, ' ').trim() }], width, [], 2).map((row) =>
    row.map((span) => visible(span.text)).join(''),
  )
