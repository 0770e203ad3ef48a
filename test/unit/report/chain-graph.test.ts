import { describe, expect, it } from 'vitest'
import { drawChain, type GraphNode } from '../../../src/report/chain-graph.ts'
import { cells, wrapPlain } from '../../../src/text/rows.ts'

const node = (id: string, parent: string | null, text = '', isClosed = false): GraphNode => ({
  id,
  parents: parent === null ? [] : [parent],
  isClosed,
  text,
})
const draw = (nodes: GraphNode[], options: { ascii?: boolean; width?: number; shown?: string[] } = {}) =>
  drawChain(nodes, {
    width: options.width ?? 80,
    wrap: wrapPlain,
    ascii: options.ascii ?? false,
    shown: new Set(options.shown ?? nodes.map(({ id }) => id)),
  }).map((row) => row.trimEnd())

const fork = [node('a', null), node('b', 'a'), node('c', 'b'), node('d', 'b'), node('e', 'c'), node('f', 'a')]

describe('drawChain', () => {
  it('draws a line of briefs newest first', () => {
    expect(draw([node('a', null, 'first'), node('b', 'a'), node('c', 'b', 'last', true)])).toEqual([
      '■ c  last',
      '○ b',
      '○ a  first',
    ])
  })

  it('joins forks below their branches, the longest line straight', () => {
    expect(draw(fork)).toEqual(['● e', '○ c', '│ ● d', '├─╯', '○ b', '│ ● f', '├─╯', '○ a'])
  })

  it('says the same with ASCII alone', () => {
    const rows = draw(fork, { ascii: true })
    expect(rows).toEqual(['* e', 'o c', '| * d', '|/', 'o b', '| * f', '|/', 'o a'])
    expect(rows.join('')).toMatch(/^[\x20-\x7e]*$/)
  })

  it('puts several chains under one another, the one with the newest brief first', () => {
    expect(draw([node('a', null), node('d', 'a'), node('b', null), node('c', 'b', '', true)])).toEqual([
      '● d',
      '○ a',
      '',
      '■ c',
      '○ b',
    ])
  })

  it('draws a missing parent once, with all that hangs on it', () => {
    expect(draw([node('b', 'a'), node('c', 'a'), node('d', 'b')])).toEqual([
      '● d',
      '○ b',
      '│ ● c',
      '├─╯',
      '? a  not in the history that is here',
    ])
  })

  it('ends in a circle, where a parent is not older; all of it is drawn', () => {
    expect(draw([node('a', 'c'), node('b', 'a'), node('c', 'b'), node('d', 'b')])).toEqual([
      '● d',
      '│ ● c',
      '├─╯',
      '○ b',
      '○ a',
    ])
    expect(draw([node('a', 'a')], { ascii: true })).toEqual(['* a'])
  })

  it('draws a brief on its first parent and names the others, which are no ends then', () => {
    const merged = [
      node('a', null),
      node('b', 'a'),
      node('c', 'a'),
      { ...node('d', 'b'), parents: ['b', 'c'] },
    ]
    expect(draw(merged)).toEqual(['● d', '├ follows c as well', '○ b', '│ ○ c', '├─╯', '○ a'])
    expect(draw(merged, { ascii: true, shown: ['d', 'c'] })).toEqual([
      '* d',
      '+ follows c as well',
      '',
      'o c',
    ])
  })

  it('puts what is shown on the nearest brief that is shown', () => {
    expect(draw(fork, { shown: ['a', 'e', 'd'] })).toEqual(['● e', '│ ● d', '├─╯', '○ a'])
    expect(draw(fork, { shown: ['e'] })).toEqual(['● e'])
    expect(draw([node('b', 'a'), node('c', 'b')], { shown: ['c'] })).toEqual(['● c'])
    expect(draw([], {})).toEqual([])
  })

  it('stays within the width, wide characters counted as two, and loses nothing', () => {
    const texts = [`x${'日本語の目標'.repeat(20)}`, 'x'.repeat(200)] as const
    const rows = draw([node('a', null, texts[0]), node('b', 'a', texts[1])], { width: 40 })
    expect(Math.max(...rows.map(cells))).toBeLessThanOrEqual(40)
    const said = rows.map((row) => row.replace(/^[○●│ ]+/, '')).join('')
    expect(said).toBe(`b${texts[1]}a${texts[0]}`.replace('ax', 'a  x').replace('bx', 'b  x'))
  })

  it('lets the lanes go on beside a text of several rows, down to the brief it hangs on', () => {
    const goal = 'one two three four five'
    const nodes = [
      node('a', null, goal),
      node('b', 'a', goal),
      node('c', 'b', goal),
      node('d', 'b', goal),
      node('e', '0000', goal),
    ]
    expect(draw(nodes, { width: 20 })).toEqual([
      '● e  one two three',
      '│   four five',
      '? 0000  not in the',
      '    history that is',
      '    here',
      '',
      '● d  one two three',
      '│   four five',
      '│ ● c  one two three',
      '│ │   four five',
      '├─╯',
      '○ b  one two three',
      '│   four five',
      '○ a  one two three',
      '    four five',
    ])
  })

  it('draws 10,000 in a row, and as a tree, in no more lanes than their number has bits', () => {
    const line = Array.from({ length: 10_000 }, (_, i) =>
      node(`${10_000 + i}`, i === 0 ? null : `${9_999 + i}`),
    )
    expect(draw(line)).toHaveLength(10_000)
    const tree = Array.from({ length: 10_000 }, (_, i) =>
      node(`${10_000 + i}`, i === 0 ? null : `${10_000 + ((i - 1) >> 1)}`),
    )
    const rows = draw(tree)
    expect(rows.filter((row) => /[●○]/.test(row))).toHaveLength(10_000)
    expect(Math.max(...rows.map((row) => row.search(/[●○]/)))).toBeLessThanOrEqual(2 * 14)
  })
})
