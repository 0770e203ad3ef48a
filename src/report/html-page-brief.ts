import type { ChainNode } from '../brief/chain.ts'
import type { ParsedBrief } from '../brief/parse.ts'
import type { BriefState } from '../brief/state.ts'
import { clipLine, oneLine } from '../text/safe-text.ts'
import type { Truth } from '../verify/truth.ts'
import { compareBriefs } from './compare.ts'
import { changeLines } from './compare-lines.ts'

/** What the page needs of what the chain tells of a brief. */
export type HtmlNode = Omit<ChainNode, 'agentId' | 'persona' | 'reason' | 'oid' | 'ref' | 'head' | 'base'>

/** Everything that the page is made of. */
export interface HtmlInput {
  /** What the repository is called. */
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

export interface PageBrief {
  node: HtmlNode
  parsed: ParsedBrief | null
  /** Why there is no text. */
  why: string | null
  persona: string | null
  /** What changed since the parent, where both can be read. */
  changes: string[] | null
  /** Where the parent is; null when there is none. */
  parentIs: 'here' | 'cut' | 'missing' | null
  /** Ids that name it as their parent, oldest first. */
  children: readonly string[]
  isHead: boolean
  isClosing: boolean
  state: BriefState
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

export function pageBriefs(input: HtmlInput): PageBrief[] {
  const shown = input.shown.slice(0, MOST_BRIEFS)
  const here = new Set(shown.map(({ id }) => id))
  const known = new Set(input.chain.map(({ id }) => id))
  const children = childrenOf(input.chain)
  const branches = [...new Set(shown.map(({ branch }) => branch))]
  let room = MOST_TEXT
  return shown.map((node) => {
    const found = input.read.get(node.id) ?? 'its text is not in this clone'
    room -= typeof found === 'string' ? 0 : found.body.length
    const parsed = typeof found === 'string' || room < 0 ? null : found
    const before = node.parent === null ? undefined : input.read.get(node.parent)
    const isHead = (children.get(node.id) ?? []).length === 0
    const isClosing = node.kind === 'done'
    return {
      node,
      parsed,
      why: parsed !== null ? null : typeof found === 'string' ? found : 'the page is full',
      persona: parsed?.meta.persona ?? null,
      changes:
        parsed === null || before === undefined || typeof before === 'string'
          ? null
          : changeLines(compareBriefs(before, parsed)),
      parentIs:
        node.parent === null
          ? null
          : here.has(node.parent)
            ? 'here'
            : known.has(node.parent)
              ? 'cut'
              : 'missing',
      children: children.get(node.id) ?? [],
      isHead,
      isClosing,
      state: node.state,
      marks: marksOf(node, isHead, input),
      hue: branches.indexOf(node.branch) % HUES,
      truth: input.truths.get(node.id) ?? null,
    }
  })
}

function marksOf(node: HtmlNode, isHead: boolean, { current, parked }: HtmlInput): Mark[] {
  const holds: Record<Mark, boolean> = {
    current: node.id === current,
    closed: node.kind === 'done',
    open: node.kind !== 'done' && isHead,
    parked: parked.has(node.id),
    edited: node.edited === true,
    duplicate: node.duplicate === true,
  }
  return (Object.keys(holds) as Mark[]).filter((mark) => holds[mark])
}

function childrenOf(chain: readonly Pick<HtmlNode, 'id' | 'parent'>[]): Map<string, string[]> {
  const children = new Map<string, string[]>()
  for (const { id, parent } of [...chain].sort((a, b) => (a.id < b.id ? -1 : 1)))
    if (parent !== null) children.set(parent, [...(children.get(parent) ?? []), id])
  return children
}

// ---------------------------------------------------------------- words

/** One line for the timeline: the goal, or how the chain was closed. */
export const goalOf = ({ node, parsed }: Pick<PageBrief, 'node' | 'parsed'>): string =>
  node.kind === 'done' ? `Closed: ${clipLine(parsed?.closed ?? node.goal, 150)}` : clipLine(node.goal, 160)

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `22 Nov 2026, 10:35`, in UTC as it is recorded. */
export function dateOf(at: string): string {
  const [, year, month, day, time] = /^(\d{4})-(\d\d)-(\d\d)T(\d\d:\d\d)/.exec(at) ?? []
  const name = MONTHS[Number(month) - 1]
  return name === undefined ? oneLine(at) : `${Number(day)} ${name} ${year}, ${time}`
}

/** The end of an id, by which a person tells briefs apart. */
export const shortId = (id: string): string => id.slice(-8)
