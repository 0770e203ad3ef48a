import { sectionRows } from '../output/markdown-rows.ts'
import type { Screen } from '../output/output.ts'
import { plural, shortSha } from '../text/count.ts'
import { type Painted, paint, type Row, type Span, wrapRow } from '../text/rows.ts'
import type { FrontMatter } from '../types/brief.ts'
import type { CurrentBrief } from './current.ts'

/** A brief as a person reads it: what it is in a few rows, then its sections, or one of them. */
export function drawBrief(
  { parsed }: Pick<CurrentBrief, 'parsed'>,
  verdict: { trusted: boolean; because: string },
  screen: Screen,
  section: string | null,
): Painted {
  const look = { width: screen.columns, color: screen.color }
  if (section !== null) {
    // Its heading is what was asked for.
    const only = parsed.sections.flatMap((one) => (one.id === section ? { ...one, level: 0 as const } : []))
    return paint(sectionRows(only, look), screen.color)
  }
  const rows = [...headRows(parsed.meta, verdict, look.width), [], ...sectionRows(parsed.sections, look)]
  return paint(rows, screen.color)
}

/** Every key of the front matter is there: what a person asks first in words, the rest as it is. */
function headRows(
  meta: FrontMatter,
  { trusted, because }: { trusted: boolean; because: string },
  width: number,
): Row[] {
  const { id, agent, branch, head, createdAt, parents, tokens, goal, kind, focus, ...rest } = meta
  const { label, model, ...more } = agent
  const facts = [
    model === undefined ? label : `${label}, ${model}`,
    `${branch ?? 'no branch'}${head === null ? '' : ` at ${shortSha(head)}`}`,
    createdAt.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d).*Z$/, '$1 $2 UTC'),
    plural(tokens, 'token'),
    parents.length === 0 ? 'first of its chain' : `after ${parents.join(' and ')}`,
  ]
  const left = leavesOf({ ...rest, agent: more })
  const say = (spans: Span[]): Row[] => wrapRow(spans, width, [], 2)
  return [
    ...say([{ text: id, is: 'heading' }]),
    ...say([{ text: facts.join(' · ') }]),
    ...(trusted ? [] : say([{ text: `Not trusted: ${because}`, is: 'warn' }])),
    ...(focus === undefined ? [] : say([{ text: `Focus: ${focus}` }])),
    // A closing record has no section for it.
    ...(kind === 'done' ? say([{ text: `Goal: ${goal}` }]) : []),
    ...say([{ text: left.map(([name, value]) => `${name} ${value}`).join(' · '), is: 'faint' }]),
  ]
}

function leavesOf(value: object, prefix = ''): [string, string][] {
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]): [string, string][] =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? leavesOf(inner, `${prefix}${key}.`)
      : [[prefix + key, [inner].flat().map(wordOf).join(', ')]],
  )
}

const wordOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
