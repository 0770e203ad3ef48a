import { createHash } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import type { ChainNode } from '../brief/chain.ts'
import type { ParsedBrief } from '../brief/parse.ts'
import { GOAL_LEAD, isTrailLead } from '../brief/render.ts'
import type { SectionId } from '../brief/sections.ts'
import { templates as ours } from '../brief/template.ts'
import { PLACEHOLDER } from '../brief/working-memory.ts'
import { unescapeAlone, unescapeLine, visible } from '../text/safe-text.ts'
import { changeLine, changesBetween } from './compare.ts'

/** What the page needs of what the chain tells of a brief. */
export type HtmlNode = Omit<ChainNode, 'agentId' | 'reason' | 'oid' | 'ref' | 'head' | 'base'>

export interface HtmlInput {
  name: string
  /** Which part of the chain was asked for, in words. */
  scope: string
  /** What is not as it should be with the chain, one line each. */
  notices: readonly string[]
  /** The whole chain, in any order; what follows what is told from it. */
  chain: readonly HtmlNode[]
  /** What to show, newest first. */
  shown: readonly HtmlNode[]
  /** A brief read back, or why it cannot be; a parent that is not shown may be here too. */
  read: ReadonlyMap<string, ParsedBrief | string>
  current: string | null
  parked: ReadonlySet<string>
}

/** The files of `templates/html/`: the frame, its style and its script. They are our own and stand in the page as they are. */
export interface HtmlTemplates {
  page: string
  style: string
  script: string
}

export interface HtmlPage {
  text: string
  /** Briefs on the page, and how many there were to show. */
  shown: number
  total: number
}

/** Briefs on a page, and characters of their texts in all: what a browser still handles without delay. */
export const MOST_BRIEFS = 1000
export const MOST_TEXT = 8_000_000

/**
 * The chain as one page that needs nothing else: data that its own script draws. Its policy forbids every load and allows the
 * one style and the one script in it by their digests. Same input, same bytes; no time of writing stands in it.
 */
export function renderHtml(input: HtmlInput, templates: HtmlTemplates): HtmlPage {
  const { style, script } = templates
  const data = pageData(input)
  const slots: Readonly<Record<string, string>> = {
    style: `<style>${style}</style>`,
    script: `<script>${script}</script>`,
    policy: `default-src 'none'; style-src '${digest(style)}'; script-src '${digest(script)}'; base-uri 'none'; form-action 'none'`,
    data: `<script type="text/plain" id="data">${packed(data)}</script>`,
  }
  // Once, so that nothing that was put in is looked at again.
  const text = templates.page.replace(/\{\{(\w+)\}\}/g, (slot, name: string) => slots[name] ?? slot)
  return { text, shown: data.briefs.length, total: input.shown.length }
}

const digest = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`

/** A value as base64 of its JSON, deflated to a third; what nobody can see is shown. */
const packed = (value: unknown): string =>
  deflateRawSync(
    JSON.stringify(value, (_, part) => (typeof part === 'string' ? visible(part) : part)),
  ).toString('base64')

/** What the script draws. */
function pageData({ chain, shown, read, current, parked, ...head }: HtmlInput) {
  let room = MOST_TEXT
  const briefs = shown.slice(0, MOST_BRIEFS).map((node) => {
    const found = read.get(node.id) ?? 'its text is not in this clone'
    room -= typeof found === 'string' ? 0 : found.body.length
    const parsed = typeof found === 'string' ? null : room < 0 ? null : found
    return {
      ...node,
      isCurrent: node.id === current,
      isParked: parked.has(node.id),
      why: typeof found === 'string' ? found : parsed === null ? 'the page is full' : null,
      text: parsed === null ? null : textOf(parsed),
      // What each parent that can be read says otherwise; a closing record says one thing, above.
      changes: (parsed?.closed ? [] : node.parents).flatMap((since) => {
        const before = read.get(since)
        return parsed === null || before === undefined || typeof before === 'string'
          ? []
          : [{ since, lines: changesBetween(before, parsed).map((one) => unescapeAlone(changeLine(one))) }]
      }),
    }
  })
  const links = chain.map(({ id, parents }) => ({ id, parents })).sort((a, b) => (a.id < b.id ? -1 : 1))
  return { ...head, links, left: shown.length - briefs.length, briefs }
}

/** The goal and the link to the brief before stand in the head of the article. */
const ELSEWHERE: ReadonlySet<SectionId | null> = new Set(['goal', 'previous'])

/** What the text of a brief tells, its sections as markdown in which only the start of a line is still escaped. */
function textOf({ meta, goal, closed, sections }: ParsedBrief) {
  return {
    goal: goal?.text ?? null,
    closed,
    focus: meta.focus ?? null,
    reason: meta.reason,
    head: meta.head,
    dirty: meta.dirty,
    resumedFrom: meta.resumedFrom?.id ?? null,
    sections: sections
      .filter(({ id }) => !ELSEWHERE.has(id))
      .map(({ id, heading, lines }) => ({
        id,
        heading,
        lines: lines
          .filter(({ text }) => !isBoilerplate(id, text) && (closed === null || !text.startsWith('Closed: ')))
          .map(({ text, fenced }) => (fenced ? text : unescapeAlone(text))),
      })),
  }
}

/** Sentences for agents, and words for what is not there. */
const isBoilerplate = (id: SectionId | null, text: string): boolean =>
  isTrailLead(text) ||
  text.trim() === PLACEHOLDER ||
  (id === 'preamble' &&
    (text.startsWith(GOAL_LEAD) ||
      unescapeLine(text) === ours.preamble.text.trim() ||
      text.startsWith('The facts below were true ')))
