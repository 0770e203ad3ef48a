import type { Repo } from '../git/open-repo.ts'
import { readHistory } from '../git/read-history.ts'
import { readSelection } from '../git/read-selection.ts'
import { readMetas } from './read-metas.ts'

/** One brief of the chain, wherever in history it stands. */
export interface ChainNode {
  id: string
  parent: string | null
  kind: 'handoff' | 'done'
  goal: string
  branch: string | null
  agent: string
  reason: string
  createdAt: string
  path: string
  /** Id of the blob that is told. */
  oid: string
  /** The commit that brought it, and a ref it was reached from. */
  commit: string
  ref: string
  /** It stands in the tree of HEAD. */
  inTree: boolean
}

/**
 * Every brief once, by id, newest commit first; the file is the truth. `all`: of every branch, remote, worktree and parked
 * brief; `range`: those that the commits `a..b` brought; else of the current branch. Throws `gitFailed`, `badRevision`.
 */
export async function readChain(
  repo: Repo,
  options: { all?: boolean; range?: string } = {},
): Promise<ChainNode[]> {
  const [entries, selection] = await Promise.all([readHistory(repo, options), readSelection(repo)])
  const inTree = new Set(selection.briefs.map(({ id }) => id))
  return (await readMetas(repo, entries)).map(({ entry, meta }) => ({
    id: entry.id,
    parent: meta.parent,
    kind: meta.kind ?? 'handoff',
    goal: meta.goal,
    branch: meta.branch,
    agent: meta.agent.label,
    reason: meta.reason,
    createdAt: meta.createdAt,
    path: entry.path,
    oid: entry.oid,
    commit: entry.commit,
    ref: entry.ref,
    inTree: inTree.has(entry.id),
  }))
}
