import { wrapRow } from '../text/rows.ts'
import { visible } from '../text/safe-text.ts'
import type { Brief } from '../types/brief.ts'

/** Items of a kind, and items of one reason for leaving them out. */
const MOST_KEPT = 10
const MOST_DROPPED = 3

/**
 * What the brief keeps of the session, with its evidence, and what it leaves out and why: plain text, no line
 * wider than `width` cells, 30 to 120. As much as a person reads: what there is more is counted.
 */
export function previewText(brief: Brief, width: number): string {
  const cells = Math.min(120, Math.max(30, width))
  const lines = [
    'KEPT, and its evidence',
    ...keptLines(brief),
    '',
    'DROPPED or cut, and why',
    ...droppedLines(brief),
  ]
  const end = lines.some((line) => line.startsWith(MORE)) ? '; `--json` has all of it' : ''
  return [...lines.flatMap((line) => wrap(line, cells)), '', `${brief.meta.tokens} tokens${end}`].join('\n')
}

const MORE = '… and '

function keptLines(brief: Brief): string[] {
  const { files, commands, constraints, decisions, questions, information, progress, nextSteps } = brief
  const isModel = (source: string): string => (source === 'model' ? ', model' : '')
  const told = ({ text, source }: { text: string; source: string }): string => `${text} [${source}]`
  return [
    ...group(
      'Files',
      files.map((f) => `${f.path} — ${f.reason} [${f.evidence.join(', ')}${isModel(f.source)}]`),
    ),
    ...group(
      'Commands',
      commands.map((c) => `${c.command.split('\n')[0]} — ${c.outcome}, run ${c.runs}x`),
    ),
    ...group('Constraints', constraints.map(told)),
    ...group(
      'Decisions',
      decisions.map((d) => `${d.what} [by ${d.by}${isModel(d.source)}]`),
    ),
    ...group('Context', information.map(told)),
    ...group(
      'Questions',
      questions.map((q) => `${q.text} [${q.kind}${isModel(q.source)}]`),
    ),
    ...group('Progress', [...progress.done, ...progress.inProgress, ...progress.pending].map(told)),
    ...group('Next steps', nextSteps.map(told)),
  ]
}

/** Rare reasons first: what was dropped a hundred times over is mostly what nobody misses. */
function droppedLines({ dropped = [], cuts }: Brief): string[] {
  const reasons = new Map<string, string[]>()
  for (const { kind, text, why } of dropped)
    reasons.set(why, [...(reasons.get(why) ?? []), `${kind}: ${text} — ${why}`])
  const lines = [
    ...[...reasons]
      .sort(([, a], [, b]) => a.length - b.length)
      .flatMap(([why, all]) => group(`Dropped, ${why}`, all, MOST_DROPPED)),
    ...group(
      'Cut to fit',
      Object.entries(cuts).map(([section, line]) => `${section}: ${line}`),
    ),
  ]
  return lines.length === 0 ? ['', 'Nothing.'] : lines
}

const group = (name: string, lines: string[], most = MOST_KEPT): string[] =>
  lines.length === 0
    ? []
    : [
        '',
        `${name} (${lines.length})`,
        ...lines.slice(0, most).map((line) => `- ${line}`),
        ...(lines.length > most ? [`${MORE}${lines.length - most} more`] : []),
      ]

/** Rows of at most `width` cells; later rows are set in. */
const wrap = (text: string, width: number): string[] =>
  wrapRow([{ text: text.replace(/\s+/g, ' ').trim() }], width, [], 2).map((row) =>
    row.map((span) => visible(span.text)).join(''),
  )
