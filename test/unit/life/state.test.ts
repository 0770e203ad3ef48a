import { describe, expect, it } from 'vitest'
import { currentOf, type LifeNode, type Spot, statesOf } from '../../../src/life/state.ts'

const id = (at: number): string => `2026010${at}T000000-0000000${at}`
const node = (
  at: number,
  branch: string | null,
  parents: number[] = [],
  kind: LifeNode['kind'] = 'handoff',
): LifeNode => ({ id: id(at), branch, kind, parents: parents.map(id) })

/** Branches and the numbers of the briefs on each. */
type Branches = Record<string, number[]>
const factsOf = (branches: Branches, landed: number[] = []) => ({
  landed: new Set(landed.map(id)),
  branches: new Map(Object.entries(branches).map(([name, on]) => [name, new Set(on.map(id))])),
  tips: new Set([1, 2, 3, 4, 5].map(id)),
})

describe('statesOf', () => {
  it.each<[string, LifeNode[], Branches, number[], string]>([
    ['one brief is open', [node(1, 'a')], { a: [1] }, [], 'open'],
    [
      'two people who hand over at once leave two open',
      [node(1, 'a'), node(2, 'a')],
      { a: [1, 2] },
      [],
      'open open',
    ],
    ['one that names itself is open', [node(1, 'a', [1])], { a: [1] }, [], 'open'],
    ['its successor follows it', [node(1, 'a'), node(2, 'a', [1])], { a: [1, 2] }, [], 'followed open'],
    [
      'one that joins two lines follows both',
      [node(1, 'a'), node(2, 'a'), node(3, 'a', [1, 2])],
      { a: [1, 2, 3] },
      [],
      'followed followed open',
    ],
    [
      'a fork of the line followed it somewhere else',
      [node(1, 'a'), node(2, 'b', [1])],
      { a: [1], b: [1, 2] },
      [],
      'open open',
    ],
    [
      'until the fork comes back',
      [node(1, 'a'), node(2, 'b', [1])],
      { a: [1, 2], b: [1, 2] },
      [],
      'followed open',
    ],
    [
      'where its own branch is gone any successor follows it',
      [node(1, 'a'), node(2, 'b', [1])],
      { b: [1, 2] },
      [],
      'followed open',
    ],
    ['the same without a branch', [node(1, null), node(2, 'b', [1])], { b: [1, 2] }, [], 'followed open'],
    [
      'over more than one hop',
      [node(1, 'a'), node(2, 'b', [1]), node(3, 'a', [2])],
      { a: [1, 2, 3] },
      [],
      'followed followed open',
    ],
    [
      'a record closes the whole line',
      [node(1, 'a'), node(2, 'a', [1]), node(3, 'a', [2], 'done')],
      { a: [1, 2, 3] },
      [],
      'closed closed closed',
    ],
    [
      'a record closes no other line',
      [node(1, 'a'), node(2, 'a'), node(3, 'a', [2], 'done')],
      { a: [1, 2, 3] },
      [],
      'open closed closed',
    ],
    [
      'a record on a fork closes the fork alone',
      [node(1, 'a'), node(2, 'b', [1]), node(3, 'b', [2], 'done')],
      { a: [1], b: [1, 2, 3] },
      [],
      'open closed closed',
    ],
    [
      'what landed has landed, closed or followed',
      [node(1, 'a'), node(2, 'a', [1]), node(3, 'a', [2], 'done')],
      { a: [1, 2, 3] },
      [1, 2],
      'landed landed closed',
    ],
    [
      'a line that turns in a circle ends',
      [node(1, 'a', [2]), node(2, 'b', [1]), node(3, 'c', [2], 'done')],
      {},
      [],
      'closed closed closed',
    ],
  ])('%s', (_, nodes, branches, landed, expected) => {
    const states = statesOf(nodes, factsOf(branches, landed))
    expect([...states.values()].join(' ')).toBe(expected)
    const turned = statesOf(nodes.toReversed(), factsOf(branches, landed))
    expect(new Map(turned)).toEqual(new Map(states))
  })

  it('takes a line of 10,000', () => {
    const nodes = Array.from({ length: 10_000 }, (_, at): LifeNode => {
      const name = (one: number): string => String(one).padStart(6, '0')
      return { id: name(at), branch: 'a', kind: 'handoff', parents: at === 0 ? [] : [name(at - 1)] }
    })
    const on = new Map([['a', new Set(nodes.map((one) => one.id))]])
    const states = statesOf(nodes, { landed: new Set(), branches: on, tips: new Set() })
    expect([...states.values()].filter((state) => state === 'open')).toHaveLength(1)
  })
})

describe('currentOf', () => {
  const spot: Spot = { names: ['feature'], atHead: [], headId: null, trunks: ['main'], taken: new Set() }
  const nodes = [node(1, 'main'), node(2, 'feature'), node(3, 'feature'), node(4, 'other')]
  const branches: Branches = { main: [1], feature: [2, 3], other: [4] }

  const told = async (
    more: Partial<Spot> & { nodes?: LifeNode[]; branches?: Branches; grown?: LifeNode | null },
  ) => {
    const facts = factsOf(more.branches ?? branches)
    const all = more.nodes ?? nodes
    const {
      by,
      node: found,
      heads,
    } = await currentOf(
      all,
      statesOf(all, facts),
      facts,
      { ...spot, ...more },
      async () => more.grown ?? null,
    )
    return `${by} ${found?.id.slice(-1) ?? '-'} of ${heads.map((one) => one.id.slice(-1)).join('')}`
  }

  it.each<[string, string, Parameters<typeof told>[0]]>([
    ['the newest open head of this branch, and the other', 'own 3 of 32', {}],
    ['of a detached HEAD those of the branches there', 'own 4 of 4', { names: [], atHead: ['other'] }],
    ['not one that was picked from another living branch', 'own 3 of 32', { headId: id(4) }],
    [
      'one that HEAD brought from a branch that is gone',
      'own 4 of 432',
      { headId: id(4), branches: { main: [1], feature: [2, 3] } },
    ],
    [
      'none after a record of this branch',
      'closed 5 of ',
      { nodes: [node(3, 'feature'), node(5, 'feature', [3], 'done')], branches: { feature: [3, 5] } },
    ],
    [
      'the head that is left where a record closed the other',
      'own 2 of 2',
      { nodes: [...nodes, node(5, 'feature', [3], 'done')], branches: { ...branches, feature: [2, 3, 5] } },
    ],
    ['that of a branch at HEAD, on a new branch', 'grown 4 of 4', { names: ['new'], atHead: ['other'] }],
    ['that of its other name on a remote', 'own 3 of 32', { names: ['new', 'feature'] }],
    ['that of the trunk at HEAD, on a new branch', 'trunk 1 of 1', { names: ['new'], atHead: ['main'] }],
    ['what history tells', 'grown 3 of 32', { names: ['new'], grown: nodes[2] as LifeNode }],
    ['that of the trunk, when history tells of none', 'trunk 1 of 1', { names: ['new'] }],
    [
      'nothing that a session in another worktree has; the next brief follows it all the same',
      'grown - of 4',
      { names: ['new'], atHead: ['other'], taken: new Set([id(4)]) },
    ],
    ['its own also where another worktree had it', 'own 3 of 32', { taken: new Set([id(3)]) }],
    ['none without briefs', 'none - of ', { nodes: [] }],
    [
      'what waits for this branch',
      'own 5 of 5',
      { names: ['new'], nodes: [...nodes, { ...node(5, 'old'), parked: true }] },
    ],
  ])('%s', async (_, expected, more) => expect(await told(more)).toBe(expected))
})
