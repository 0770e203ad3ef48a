import type { ChainNode } from '../brief/chain.ts'
import type { ParsedBrief } from '../brief/parse.ts'
import { clipLine, oneLine } from '../text/safe-text.ts'
import type { Truth } from '../verify/truth.ts'
import { compareBriefs } from './compare.ts'
import { changeLines } from './compare-lines.ts'

/** What the page needs of what the chain tells of a brief. */
export type HtmlNode = Omit<ChainNode, 'agentId' | 'reason' | 'oid' | 'ref' | 'head' | 'base'>

export interface HtmlInput {
  name: string
  /** Which part of the chain was asked for, in words. */
  scope: string
  /** What is not as it should be with the chain, one line each. */
  notices: readonly string[]
  /** The whole chain, in any order; what follows what and what is open is told from it. */
  chain: readonly HtmlNode[]
  /** What to show, newest first. */
  shown: readonly HtmlNode[]
  /** A brief read back, or why it cannot be; a parent that is not shown may be here too. */
  read: ReadonlyMap<string, ParsedBrief | string>
  /** Is it still true, for the few that somebody may take over now. */
  truths: ReadonlyMap<string, Pick<Truth, 'items' | 'stillTrue'>>
  current: string | null
  parked: ReadonlySet<string>
}

export interface PageBrief extends HtmlNode {
  parsed: ParsedBrief | null
  why: string | null
  /** What changed since each parent that can be read as well. */
  changes: { since: string; lines: string[] }[]
  /** Where each parent is. */
  follows: { id: string; is: 'here' | 'cut' | 'missing' }[]
  /** Ids that name it as a parent, oldest first. */
  children: readonly string[]
  isOpen: boolean
  marks: readonly Mark[]
  /** Number of the colour of its branch in templates/html/page.css. */
  hue: number
  truth: Pick<Truth, 'items' | 'stillTrue'> | null
}

export type Mark = 'current' | 'open' | 'closed' | 'parked' | 'edited' | 'duplicate'

/** Briefs on a page, and characters of their texts in all: what a browser still handles without delay. */
export const MOST_BRIEFS = 1000
export const MOST_TEXT = 8_000_000
const HUES = 8

export function pageBriefs({ chain, shown: all, read, truths, current, parked }: HtmlInput): PageBrief[] {
  const shown = all.slice(0, MOST_BRIEFS)
  const here = new Set(shown.map(({ id }) => id))
  const known = new Set(chain.map(({ id }) => id))
  const children = new Map<string, string[]>()
  for (const { id, parents } of [...chain].sort((a, b) => (a.id < b.id ? -1 : 1)))
    for (const parent of parents) children.set(parent, [...(children.get(parent) ?? []), id])
  const branches = [...new Set(shown.map(({ branch }) => branch))]
  let room = MOST_TEXT
  return shown.map((node) => {
    const { id, parents, kind, branch } = node
    const found = read.get(id) ?? 'its text is not in this clone'
    room -= typeof found === 'string' ? 0 : found.body.length
    const parsed = typeof found === 'string' || room < 0 ? null : found
    const isOpen = node.state === 'open'
    const holds: Record<Mark, boolean> = {
      current: id === current,
      closed: kind === 'done',
      open: isOpen,
      parked: parked.has(id),
      edited: node.edited === true,
      duplicate: node.duplicate === true,
    }
    return {
      ...node,
      parsed,
      why: parsed !== null ? null : typeof found === 'string' ? found : 'the page is full',
      changes: parents.flatMap((since) => {
        const before = read.get(since)
        const isComparable = parsed !== null && before !== undefined && typeof before !== 'string'
        return isComparable ? [{ since, lines: changeLines(compareBriefs(before, parsed)) }] : []
      }),
      follows: parents.map((id) => ({
        id,
        is: here.has(id) ? 'here' : known.has(id) ? 'cut' : 'missing',
      })),
      children: children.get(id) ?? [],
      isOpen,
      marks: (Object.keys(holds) as Mark[]).filter((mark) => holds[mark]),
      hue: branches.indexOf(branch) % HUES,
      truth: truths.get(id) ?? null,
    }
  })
}

/** One line for the timeline: the goal, or how the chain was closed. */
export const goalOf = ({ kind, goal, parsed }: PageBrief): string =>
  kind === 'done' ? `Closed: ${clipLine(parsed?.closed ?? goal, 150)}` : clipLine(goal, 160)

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `22 Nov 2026, 10:35`, in UTC as it is recorded. */
export function dateOf(at: string): string {
  const [, year, month, day, time] = /^(\d{4})-(\d\d)-(\d\d)T(\d\d:\d\d)/.exec(at) ?? []
  const name = MONTHS[Number(month) - 1]
  return name === undefined ? oneLine(at) : `${Number(day)} ${name} ${year}, ${time}`
}

/** The end of an id, by which a person tells briefs apart. */
export const shortId = (id: string): string => id.slice(-8)
