import type { Invocation } from '../command.ts'
import type { PickedSession } from '../session/pick-session.ts'
import { digestLines, watchSession } from '../session/session-digest.ts'
import { cells, widthOf } from '../text/cells.ts'
import { wrapRow } from '../text/rows.ts'
import { visible } from '../text/visible.ts'
import type { Brief } from '../types/brief.ts'
import type { Dropped } from '../types/evidence.ts'
import type { Built } from './compose.ts'
import type { Input } from './gather.ts'
import type { CreateOutcome } from './keep.ts'

/** From here on so many columns are wide enough to read. */
const THREE_COLUMNS = 110
const TWO_COLUMNS = 72
const BETWEEN = ' | '
/** Items of a kind, and of one reason for leaving them out. */
const MOST_KEPT = 10
const MOST_DROPPED = 3
/** Things said and done in the session; of them, those that the person said. */
const MOST_SAID = 24
const MOST_WORDS = 8

/** The session and the brief side by side, instead of the brief. */
export interface Preview {
  /** The session, noted down as it is read. */
  watch(picked: PickedSession): PickedSession
  show(invocation: Invocation, input: Input, built: Built, dry: CreateOutcome): Promise<CreateOutcome>
}

export function openPreview(): Preview {
  const session = watchSession()
  return {
    watch: session.watch,
    async show({ place, out }, { scanner, hide }, { brief }, dry) {
      const { value } = await scanner.redact(session.lines())
      const context = hide(digestLines(value))
      const width = out.screen?.columns ?? widthOf(place.env)
      return { ...dry, result: { ...dry.result, context }, text: previewText(brief, context, width) }
    },
  }
}

/**
 * What the session said and did, what the brief keeps of it with its evidence, and what it leaves out and why, side by
 * side, or one below the other in a narrow pane: plain text, no line wider than `width` cells, 30 to 120. As much as a person reads:
 * what there is more is counted. Used by `create --preview`.
 */
export function previewText(brief: Brief, session: readonly string[], width: number): string {
  const whole = Math.min(120, Math.max(30, width))
  const left = ['SESSION', ...sessionLines(session)]
  const kept = ['KEPT, and its evidence', ...keptLines(brief)]
  const out = ['DROPPED or cut, and why', ...droppedLines(brief)]
  const columns =
    whole >= THREE_COLUMNS
      ? [left, kept, out]
      : whole >= TWO_COLUMNS
        ? [left, [...kept, '', ...out]]
        : [[...left, '', ...kept, '', ...out]]
  const end = columns.flat().some((line) => line.startsWith(MORE)) ? '; `--json` has all of it' : ''
  return `${sideBySide(columns, whole)}\n\n${brief.meta.tokens} tokens${end}`
}

const MORE = '… and '
const more = (count: number, what = ''): string[] => (count > 0 ? [`${MORE}${count} more${what}`] : [])

/** The newest words of the person, then the newest of everything else, in order of time. */
function sessionLines(told: readonly string[]): string[] {
  const before = /^\((\d+) earlier lines\)$/.exec(told[0] ?? '')?.[1]
  const session = before === undefined ? told : told.slice(1)
  const newest = session.map((_, at) => at).reverse()
  const isWords = (at: number): boolean => /^\S+ (?:· )?you(?: answer)?:/.test(session[at] ?? '')
  const words = newest.filter(isWords).slice(0, MOST_WORDS)
  const others = newest.filter((at) => !words.includes(at)).slice(0, MOST_SAID - words.length)
  const shown = [...words, ...others].sort((a, b) => a - b)
  return shown.flatMap((at, i) => {
    const gap = at - (shown[i - 1] ?? -1) - 1
    return [...more(gap + (i === 0 ? Number(before ?? 0) : 0)), session[at] ?? '']
  })
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
    ...reasonLines(brief.dropped ?? []),
    ...group(
      'Cut to fit',
      Object.entries(brief.cuts).map(([section, line]) => `${section}: ${line}`),
    ),
  ]
  return lines.length === 0 ? ['', 'Nothing.'] : lines
}

/** Rare reasons first: what was dropped a hundred times over is mostly what nobody misses. */
function reasonLines(dropped: readonly Dropped[]): string[] {
  if (dropped.length === 0) return []
  const reasons = new Map<string, string[]>()
  for (const { kind, text, why } of dropped) {
    const of = reasons.get(why)
    const line = `- ${kind}: ${text} — ${why}`
    if (of === undefined) reasons.set(why, [line])
    else of.push(line)
  }
  const ranked = [...reasons].sort(([, a], [, b]) => a.length - b.length)
  const shown = ranked.slice(0, MOST_KEPT)
  const rest = ranked.slice(MOST_KEPT).reduce((sum, [, { length }]) => sum + length, 0)
  return [
    '',
    `Dropped (${dropped.length})`,
    ...shown.flatMap(([why, lines]) => [
      ...lines.slice(0, MOST_DROPPED),
      ...more(lines.length - MOST_DROPPED, `: ${why}`),
    ]),
    ...more(rest),
  ]
}

const group = (name: string, lines: string[]): string[] =>
  lines.length === 0
    ? []
    : [
        '',
        `${name} (${lines.length})`,
        ...lines.slice(0, MOST_KEPT).map((line) => `- ${line}`),
        ...more(lines.length - MOST_KEPT),
      ]

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
