import { clipLine } from '../text/safe-text.ts'
import type { FrontMatter } from '../types/brief.ts'

const MAX_GOAL = 60

/**
 * Briefs as a fenced flowchart of mermaid, oldest first. Every character of a label that mermaid could take for more than a
 * character is written by its number (mermaid.js.org/syntax/flowchart.html, "Entity codes to escape characters"; rendered with 11.17).
 */
export function drawFlowchart(briefs: readonly FrontMatter[]): string {
  const names = new Map(briefs.map(({ id }, at) => [id, `b${at + 1}`]))
  const boxes = briefs.map(({ id, goal, agent, kind }) => {
    const label = `"${text(clipLine(goal, MAX_GOAL))}<br/>${text(`${clipLine(agent.label, MAX_GOAL)}, ${dayOf(id)}`)}"`
    return `  ${names.get(id)}${kind === 'done' ? `([${label}])` : `[${label}]`}`
  })
  const links = briefs.flatMap(({ id, parent }) => {
    const from = parent === null ? undefined : names.get(parent)
    return from === undefined ? [] : [`  ${from} --> ${names.get(id)}`]
  })
  return ['```mermaid', 'flowchart TD', ...boxes, ...links, '```'].join('\n')
}

const dayOf = (id: string): string => `${id.slice(0, 4)}-${id.slice(4, 6)}-${id.slice(6, 8)}`

/** Letters, digits and what means nothing in a diagram; the rest by number. */
const text = (line: string): string =>
  line.replace(/[^\p{L}\p{N} ,.?!()/+=_'-]|--+/gu, (found) =>
    // Two dollar signs begin a formula, also when they were written by number.
    [...found].map((char) => (char === '$' ? '#36;#8203;' : `#${char.codePointAt(0)};`)).join(''),
  )
