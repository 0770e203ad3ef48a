import { clipLine } from '../brief/safe-text.ts'

/** A brief as a box of the drawn chain. */
export interface ChainBox {
  id: string
  parent: string | null
  goal: string
  agent: string
  kind: 'handoff' | 'done'
}

/** Boxes drawn; the newest ones. */
const MOST = 20
const GOAL = 60

/**
 * The chain as a flowchart of mermaid, fenced; empty without boxes. `older`: the briefs of the range and, before them, what
 * they go on from; `current`: drawn in bold. Every character of a label that mermaid could take for more than a character is
 * written by its number (mermaid.js.org/syntax/flowchart.html, "Entity codes to escape characters"; rendered with 11.17).
 */
export function drawFlowchart(boxes: readonly ChainBox[], current: string | null): string {
  if (boxes.length === 0) return ''
  const shown = [...boxes].sort((a, b) => (a.id < b.id ? -1 : 1)).slice(-MOST)
  const names = new Map(shown.map(({ id }, at) => [id, `b${at + 1}`]))
  const lines = shown.map((box) => {
    const name = names.get(box.id)
    const label = `"${text(clipLine(box.goal, GOAL))}<br/>${text(`${box.agent}, ${dayOf(box.id)}`)}"`
    return `  ${name}${box.kind === 'done' ? `([${label}])` : `[${label}]`}`
  })
  const links = shown.flatMap(({ id, parent }) => {
    const from = parent === null ? undefined : names.get(parent)
    return from === undefined ? [] : [`  ${from} --> ${names.get(id)}`]
  })
  const mark = current === null ? undefined : names.get(current)
  const cut = boxes.length - shown.length
  return [
    ...(cut === 0 ? [] : [`The newest ${shown.length} of ${boxes.length} are drawn.`, '']),
    '```mermaid',
    'flowchart TD',
    ...lines,
    ...links,
    ...(mark === undefined ? [] : [`  style ${mark} stroke-width:3px`]),
    '```',
  ].join('\n')
}

const dayOf = (id: string): string => `${id.slice(0, 4)}-${id.slice(4, 6)}-${id.slice(6, 8)}`

/** Letters, digits and what means nothing in a diagram; the rest by number. */
const text = (line: string): string =>
  line.replace(/[^\p{L}\p{N} ,.?!()/+=_'-]|--+/gu, (found) =>
    // Two dollar signs begin a formula, also when they were written by number.
    [...found].map((char) => (char === '$' ? '#36;#8203;' : `#${char.codePointAt(0)};`)).join(''),
  )
