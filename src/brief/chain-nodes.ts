import type { FrontMatter } from '../types/brief.ts'
import type { BriefState } from './state.ts'

/** One content of one brief file, as a commit brought it. */
export interface BriefVersion {
  id: string
  path: string
  oid: string
  commit: string
  ref: string
  /** The path stood there before with another content. */
  edited?: true
  /** Null when it cannot be read; `why` tells. */
  meta: FrontMatter | null
  why?: string
}

/** One brief of the chain, wherever in history it stands. */
export interface ChainNode {
  id: string
  parent: string | null
  kind: 'handoff' | 'done'
  goal: string
  branch: string | null
  /** The commit that it was made at, and the branch that its work shall go into, as `ref@commit`. */
  head: string | null
  base: string | null
  /** The name people know the agent by, and its id. */
  agent: string
  agentId: string
  persona?: string
  reason: string
  createdAt: string
  path: string
  /** Id of the blob that is told. */
  oid: string
  /** The commit that brought it, and a ref it was reached from. */
  commit: string
  ref: string
  /** It stands in the tree of HEAD, or at the end of the branch on which briefs of this checkout are kept. */
  inTree: boolean
  /** What became of it. */
  state: BriefState
  /** The file was changed after it was committed, here or on another line of work: what is told is what was added. */
  edited?: true
  /** Another file carries the same id. */
  duplicate?: true
  /** The other contents and files of that id. */
  others?: { path: string; oid: string; commit: string }[]
}

/** One of which nobody has asked yet what became of it. */
export type StatelessNode = Omit<ChainNode, 'state'>

/** A file that is named as a brief and is none. */
export interface Unreadable {
  id: string
  path: string
  commit: string
  why: string
}

/**
 * One node for each id, in the order its versions come (newest commit first), and what could be read in no version. A
 * brief is immutable, so the version as added is told, whatever was made of it since; of several the one that `inTree`
 * (path → blob) holds, else the first that was ever added.
 */
export function nodesOf(
  versions: readonly BriefVersion[],
  inTree: ReadonlyMap<string, string>,
): { nodes: StatelessNode[]; unreadable: Unreadable[] } {
  const byId = new Map<string, BriefVersion[]>()
  for (const version of versions) {
    const known = byId.get(version.id)
    if (known === undefined) byId.set(version.id, [version])
    else known.push(version)
  }
  const idsInTree = new Set<string>()
  for (const version of versions) if (inTree.has(version.path)) idsInTree.add(version.id)
  const nodes: StatelessNode[] = []
  const unreadable: Unreadable[] = []
  for (const [id, all] of byId) {
    const told = chosen(all, inTree)
    if (told?.meta) nodes.push(nodeOf(told, told.meta, all, idsInTree.has(id)))
    else
      for (const { path, commit, why = 'cannot be read' } of all) unreadable.push({ id, path, commit, why })
  }
  return { nodes, unreadable }
}

function chosen(all: readonly BriefVersion[], inTree: ReadonlyMap<string, string>): BriefVersion | undefined {
  const readable = all.filter(({ meta }) => meta !== null)
  const added = readable.filter(({ edited }) => edited === undefined)
  const from = added.length > 0 ? added : readable
  return from.findLast(({ path, oid }) => inTree.get(path) === oid) ?? from.at(-1)
}

function nodeOf(
  told: BriefVersion,
  meta: FrontMatter,
  all: readonly BriefVersion[],
  inTree: boolean,
): StatelessNode {
  const { id, path, oid, commit, ref } = told
  const others = new Map(
    all
      .filter((other) => other.path !== path || other.oid !== oid)
      .map((other) => [
        `${other.path}\0${other.oid}`,
        { path: other.path, oid: other.oid, commit: other.commit },
      ]),
  )
  const list = [...others.values()]
  return {
    id,
    parent: meta.parent,
    kind: meta.kind ?? 'handoff',
    goal: meta.goal,
    branch: meta.branch,
    head: meta.head,
    base: meta.base ?? null,
    agent: meta.agent.label,
    agentId: meta.agent.id,
    ...(meta.persona === undefined ? {} : { persona: meta.persona }),
    reason: meta.reason,
    createdAt: meta.createdAt,
    path,
    oid,
    commit,
    ref,
    inTree,
    ...(told.edited || list.some((other) => other.path === path) ? { edited: true } : {}),
    ...(list.some((other) => other.path !== path) ? { duplicate: true } : {}),
    ...(list.length === 0 ? {} : { others: list }),
  }
}
