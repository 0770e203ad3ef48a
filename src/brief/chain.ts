import { ambiguousId, badId, noBrief, unknownId } from '../errors/briefs.ts'
import type { QuestionFact, TextFact } from '../types/evidence.ts'
import type { ParsedBrief } from './parse.ts'

export interface Chain<N> {
  /** Every node once, each after its parent; unrelated ones by id. */
  order: N[]
  /** Nodes whose parent is not among them. */
  missing: { id: string; parent: string }[]
  /** Ids that are their own ancestors, one list per cycle, smallest id first. */
  cycles: string[][]
  /** Nodes that are nobody's parent. */
  heads: string[]
}

/** Links briefs by `parent`. A cycle or a missing parent is data, never an error here. */
export function linkChain<N extends { id: string; parent: string | null }>(nodes: readonly N[]): Chain<N> {
  const byId = new Map([...nodes].sort((a, b) => (a.id < b.id ? -1 : 1)).map((node) => [node.id, node]))
  const order: N[] = []
  const cycles: string[][] = []
  const state = new Map<string, 'open' | 'done'>()
  for (const start of byId.values()) {
    const path: N[] = []
    let node: N | undefined = start
    while (node !== undefined && !state.has(node.id)) {
      state.set(node.id, 'open')
      path.push(node)
      node = node.parent === null ? undefined : byId.get(node.parent)
    }
    if (node !== undefined && state.get(node.id) === 'open') {
      const turn = path.slice(path.indexOf(node)).map(({ id }) => id)
      const first = turn.indexOf([...turn].sort()[0] ?? '')
      cycles.push([...turn.slice(first), ...turn.slice(0, first)])
    }
    for (const visited of path.reverse()) {
      state.set(visited.id, 'done')
      order.push(visited)
    }
  }
  const parents = new Set([...byId.values()].map((node) => node.parent))
  return {
    order,
    missing: order.flatMap(({ id, parent }) => (parent === null || byId.has(parent) ? [] : [{ id, parent }])),
    cycles,
    heads: order.filter(({ id }) => !parents.has(id)).map(({ id }) => id),
  }
}

/** The line from the oldest known ancestor to `id`, oldest first; stops where a parent is missing or repeats. */
export function chainOf<N extends { id: string; parent: string | null }>(
  id: string,
  nodes: readonly N[],
): N[] {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const line = new Set<N>()
  let node = byId.get(id)
  while (node !== undefined && !line.has(node)) {
    line.add(node)
    node = node.parent === null ? undefined : byId.get(node.parent)
  }
  return [...line].reverse()
}

/**
 * The id that `input` means among `ids`: `latest`, a whole id or a unique prefix. `current` is what `latest`
 * stands for. Throws `noBrief`, `badId`, `unknownId`, and `ambiguousId` with the candidates.
 */
export function resolveId(input: string, ids: readonly string[], current: string | null): string {
  if (input === 'latest') {
    if (current === null) throw noBrief()
    return current
  }
  if (!/^[0-9]{1,8}$|^\d{8}T\d{0,6}$|^\d{8}T\d{6}-[0-9a-f]{0,8}$/.test(input)) throw badId(input)
  const found = [...new Set(ids)].filter((id) => id.startsWith(input)).sort()
  const [only, second] = found
  if (only === undefined) throw unknownId(input)
  if (second !== undefined) throw ambiguousId(input, found)
  return only
}

/**
 * What a brief hands down to the next one: the person's quoted demands and everything still open, the open
 * questions and blockers of its notes included. Nothing else is copied.
 */
export function handedDown({ meta, brief }: ParsedBrief): {
  id: string
  constraints: TextFact[]
  questions: QuestionFact[]
} {
  // Notes are used again within the hour, beside what was carried of them before.
  const told = new Set(brief.questions.map(({ text }) => text))
  const noted = (texts: readonly string[] = [], kind: QuestionFact['kind']): QuestionFact[] =>
    texts.filter((text) => !told.has(text)).map((text) => ({ text, source: 'agent', at: null, kind }))
  return {
    id: meta.id,
    constraints: brief.constraints,
    questions: [
      ...brief.questions,
      ...noted(brief.notes?.openQuestions, 'question'),
      ...noted(brief.notes?.blockers, 'blocker'),
    ],
  }
}
