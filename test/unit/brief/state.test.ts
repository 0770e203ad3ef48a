import { describe, expect, it } from 'vitest'
import { currentOf, type StateNode, statesOf } from '../../../src/brief/state.ts'

const id = (at: number): string => `2026010${at}T000000-0000000${at}`
const node = (
  at: number,
  branch: string | null,
  parent: number | null = null,
  kind: StateNode['kind'] = 'handoff',
): StateNode => ({
  ...{ id: id(at), branch, kind },
  parents: parent === null ? [] : [id(parent)],
})
const none = new Set<string>()

describe('statesOf', () => {
  const states = (nodes: StateNode[], landed: number[] = []) =>
    [...statesOf(nodes, new Set(landed.map(id))).values()].join(' ')

  it.each<[string, StateNode[], number[], string]>([
    ['one brief', [node(1, 'main')], [], 'open'],
    ['a newer one of its branch, whatever its parent', [node(1, 'a'), node(2, 'a')], [], 'followed open'],
    ['one of another branch does not follow it', [node(1, 'main'), node(2, 'a', 1)], [], 'open open'],
    [
      'without a branch only a child follows it',
      [node(1, null), node(2, null), node(3, 'a', 1)],
      [],
      'followed open open',
    ],
    [
      'a record closes the whole chain',
      [node(1, 'main'), node(2, 'a', 1), node(3, 'a', 2, 'done')],
      [],
      'closed closed closed',
    ],
    [
      'a record closes no other chain',
      [node(1, 'main'), node(2, 'a'), node(3, 'a', 2, 'done')],
      [],
      'open closed closed',
    ],
    [
      'a record follows what its chain does not lead to',
      [node(1, 'a'), node(3, 'a', 2, 'done')],
      [],
      'followed closed',
    ],
    [
      'what landed has landed, closed or followed',
      [node(1, 'a'), node(2, 'a', 1), node(3, 'a', 2, 'done')],
      [1, 2],
      'landed landed closed',
    ],
    [
      'a record closes what both of its parents lead to',
      [node(1, 'a'), node(2, 'b'), { ...node(3, 'b', 2, 'done'), parents: [id(2), id(1)] }],
      [],
      'closed closed closed',
    ],
    [
      'a chain that turns in a circle ends',
      [node(1, 'a', 2), node(2, 'b', 1), node(3, 'c', 2, 'done')],
      [],
      'closed closed closed',
    ],
  ])('%s', (_, nodes, landed, expected) => expect(states(nodes, landed)).toBe(expected))

  it('does not depend on the order it is given, and takes 10,000', () => {
    const nodes = Array.from({ length: 9 }, (_, at) =>
      node(at + 1, at % 2 === 0 ? 'a' : 'b', at === 0 ? null : at),
    )
    const sorted = (map: Map<string, string>) => [...map].sort()
    expect(sorted(statesOf([...nodes].reverse(), none))).toEqual(sorted(statesOf(nodes, none)))
    const many = Array.from({ length: 10_000 }, (_, at) => ({
      ...{ id: String(at).padStart(6, '0'), branch: 'a', kind: 'handoff' as const },
      parents: at === 0 ? [] : [String(at - 1).padStart(6, '0')],
    }))
    expect([...statesOf(many, none).values()].filter((state) => state === 'open')).toHaveLength(1)
  })
})

describe('currentOf', () => {
  const facts = { headId: null, names: ['feature'], trunk: 'main', landed: none }
  const nodes = [node(1, 'main'), node(2, 'feature'), node(3, 'feature'), node(4, 'other')]
  const told = (more: Partial<Parameters<typeof currentOf>[0]>, grown?: StateNode | null) => {
    const { by, node: found } = currentOf({ ...facts, nodes, ...more }, grown)
    return [by, found?.id ?? null]
  }

  it.each<[string, [string, string | null], Parameters<typeof told>[0], (StateNode | null)?]>([
    ["HEAD's own", ['head', id(4)], { headId: id(4) }],
    ["not HEAD's own that was followed", ['branch', id(3)], { headId: id(2) }],
    ["not HEAD's own that is in no tree", ['branch', id(3)], { headId: 'x' }],
    ['the newest of this branch', ['branch', id(3)], {}],
    ['of any branch that points here', ['branch', id(1)], { names: ['claude/x', 'main'] }],
    [
      'none after a record of this branch',
      ['closed', id(5)],
      { nodes: [...nodes, node(5, 'feature', 3, 'done')] },
    ],
    ['the need to ask history', ['history-needed', null], { names: ['claude/x'] }],
    ['what history tells', ['grown', id(4)], { names: ['claude/x'] }, node(4, 'other')],
    [
      'that of the default branch, when history tells of none',
      ['grown', id(1)],
      { names: ['claude/x'] },
      null,
    ],
    [
      'that of the default branch without asking, when nothing else is open',
      ['grown', id(1)],
      { names: ['claude/x'], nodes: [node(1, 'main')] },
    ],
    [
      'none when all have landed',
      ['none', null],
      { names: ['main'], landed: new Set([2, 3, 4].map(id)), nodes: nodes.slice(1) },
    ],
    ['none without briefs', ['none', null], { nodes: [] }],
    [
      'none of a branch to a brief without one',
      ['history-needed', null],
      { names: [], nodes: [node(1, null)] },
    ],
  ])('%s', (_, expected, more, grown) => expect(told(more, grown)).toEqual(expected))
})
