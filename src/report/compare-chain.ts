import { chainOf } from '../brief/chain.ts'
import { plural } from '../text/count.ts'

/** How two briefs stand to each other in the chain. */
export type Relation =
  | { kind: 'same' | 'parent' | 'other-chain' }
  /** The older one is an ancestor of the newer, or the other way round, so many steps apart. */
  | { kind: 'ancestor' | 'descendant'; steps: number }
  /** Two lines of one chain; `common`: the last brief of both. */
  | { kind: 'fork'; common: string }
  /** A parent is missing, so that the lines cannot be followed to where they begin. */
  | { kind: 'unknown'; missing: { id: string; parent: string } }

interface Node {
  id: string
  parent: string | null
}

/** `nodes`: every brief that is known here, the two themselves too. Cycles and missing parents end a line. */
export function relationOf(older: Node, newer: Node, nodes: readonly Node[]): Relation {
  if (older.id === newer.id) return { kind: 'same' }
  if (newer.parent === older.id) return { kind: 'parent' }
  const all = [older, newer, ...nodes.filter(({ id }) => id !== older.id && id !== newer.id)]
  const [then, now] = [chainOf(older.id, all), chainOf(newer.id, all)]
  const up = now.findIndex(({ id }) => id === older.id)
  if (up !== -1) return { kind: 'ancestor', steps: now.length - 1 - up }
  const down = then.findIndex(({ id }) => id === newer.id)
  if (down !== -1) return { kind: 'descendant', steps: then.length - 1 - down }
  const shared = new Set(then.map(({ id }) => id))
  const common = now.findLast(({ id }) => shared.has(id))
  if (common !== undefined) return { kind: 'fork', common: common.id }
  const known = new Set(all.map(({ id }) => id))
  for (const first of [then[0], now[0]])
    if (first !== undefined && first.parent !== null && !known.has(first.parent))
      return { kind: 'unknown', missing: { id: first.id, parent: first.parent } }
  return { kind: 'other-chain' }
}

/** The relation in one safe sentence; null where it goes without saying. */
export function relationLine(relation: Relation): string | null {
  switch (relation.kind) {
    case 'same':
    case 'parent':
      return null
    case 'ancestor':
      return `Between the two: ${plural(relation.steps - 1, 'handoff')}.`
    case 'descendant':
      return 'The first of the two is the newer one.'
    case 'fork':
      return `Two lines of one chain, which part after ${relation.common}.`
    case 'unknown':
      return `Whether they belong to one chain is not known: the parent ${relation.missing.parent} of ${relation.missing.id} is not in the history that is here.`
    case 'other-chain':
      return 'They belong to different chains.'
  }
}
