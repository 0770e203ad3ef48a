import type { ChainNode } from '../brief/chain.ts'
import { goalLine } from '../brief/prompt.ts'
import { UNTRUSTED } from '../briefs/trusted-among.ts'
import { drawChain } from '../report/chain-graph.ts'
import { widthOf, wrapPlain } from '../text/rows.ts'
import { oneLine } from '../text/safe-text.ts'

interface Marked {
  current: string | null
  parked: ReadonlySet<string>
}

/** One line for each brief. Everything in it is a stranger's text and made safe. */
export const logLines = (shown: readonly ChainNode[], marked: Marked): string[] =>
  shown.map((node) => {
    const marks = marksOf(node, marked)
    return [node.id, ...wordsOf(node), ...(marks.length === 0 ? [] : [`[${marks.join(', ')}]`])].join('  ')
  })

/** The chain drawn, no wider than the terminal, whose `columns` are known where it is one; `shown` are the ids to draw. */
export function graphLines(
  nodes: readonly ChainNode[],
  shown: readonly ChainNode[],
  marked: Marked,
  env: Readonly<Record<string, string | undefined>>,
  columns: number | null,
): string[] {
  const drawn = nodes.map((node) => {
    const marks = marksOf(node, marked)
    // Of a line of several rows the first says most: the marks stand before the goal.
    const text = [...(marks.length === 0 ? [] : [`[${marks.join(', ')}]`]), ...wordsOf(node)].join('  ')
    return { id: node.id, parents: node.parents, isClosed: node.kind === 'done', text }
  })
  const ids = new Set(shown.map(({ id }) => id))
  const width = columns ?? widthOf(env)
  return drawChain(drawn, { width, ascii: !isUtf8(env), wrap: wrapPlain, shown: ids })
}

/** What the brief says of itself; nothing but its goal's stand-in where the reader may not see it. */
const wordsOf = ({ branch, author, agent, goal }: ChainNode): string[] =>
  goal === UNTRUSTED
    ? [goal]
    : [
        branch === null ? '(detached)' : oneLine(branch),
        oneLine(author === undefined ? agent : `${author} with ${agent}`),
        goalLine(goal),
      ]

function marksOf(node: ChainNode, { current, parked }: Marked): string[] {
  return [
    ...(node.id === current ? ['current'] : []),
    ...(node.id === current && node.state === 'open' ? [] : [node.state]),
    ...(parked.has(node.id) ? ['parked'] : []),
    ...(node.edited ? ['edited'] : []),
    ...(node.duplicate ? ['duplicate'] : []),
    ...(node.gone ? ['only in history'] : []),
  ]
}

/** What the locale says of the terminal's characters; without one it is the C locale, which has only ASCII. */
function isUtf8(env: Readonly<Record<string, string | undefined>>): boolean {
  const locale = (env.LC_ALL || env.LC_CTYPE || env.LANG || '').toLowerCase()
  return locale.includes('utf-8') || locale.includes('utf8')
}
