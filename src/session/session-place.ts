import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isWithin } from '../agents/session-files.ts'
import { type BranchLine, readBranchLine } from '../git/branch-line.ts'
import { branchName, readHead, readRefs } from '../git/refs.ts'
import type { SessionRef } from '../types/session.ts'
import type { Workspace } from '../workspace/workspace.ts'

/** Which sessions are of here: of this worktree, this branch, this repository. */
export interface Here {
  /** It works in this worktree, and in no repository nested inside. */
  isHome(ref: Pick<SessionRef, 'cwd'>): boolean
  /** Those that may be meant without a name: of this worktree and branch; where there are none, those of this worktree and no other branch. */
  own(refs: readonly SessionRef[]): Promise<SessionRef[]>
  /** The branch that is checked out; null where there is none. */
  branch(): Promise<string | null>
  /** Why a session is none of these, e.g. `of another worktree (/path, branch x)`; null for one that may be meant. */
  elsewhere(ref: SessionRef): Promise<string | null>
}

/** Asks git at most once, and only where a session does not say that it is of this branch. */
export function openHere({ repo, roots }: Pick<Workspace, 'repo' | 'roots'>): Here {
  const isHome: Here['isHome'] = ({ cwd }) => {
    const place = placeOf(cwd, roots)
    return place.nested === null && place.worktree === roots[0]
  }
  let head: ReturnType<typeof readHead> | undefined
  const branch = async (): Promise<string | null> => {
    if (repo === null) return null
    head ??= readHead(repo)
    return branchName((await head).ref)
  }
  let line: Promise<BranchLine> | undefined
  let branches: ReturnType<typeof readRefs> | undefined
  /** 2: of this branch; 1: of one that it grew from or that is not here, or not known; 0: of another one. */
  const rank = async (ref: SessionRef): Promise<0 | 1 | 2> => {
    const name = await branch()
    if (repo === null || name === null || ref.branch === name) return 2
    line ??= readBranchLine(repo, name)
    const { names, from, since } = await line
    // An agent may record the branch that it began on, and make another.
    if (since !== null && Date.parse(ref.updatedAt) >= since) return 2
    if (ref.branch === undefined) return since === null ? 2 : 1
    if (names.has(ref.branch)) return 2
    if (from.has(ref.branch)) return 1
    branches ??= readRefs(repo, ['refs/heads'])
    return (await branches).some(({ name }) => name === `refs/heads/${ref.branch}`) ? 0 : 1
  }
  return {
    isHome,
    branch,
    async own(refs) {
      const ranked = await Promise.all(
        refs.filter(isHome).map(async (ref) => ({ ref, rank: await rank(ref) })),
      )
      const best = Math.max(1, ...ranked.map((one) => one.rank))
      return ranked.filter((one) => one.rank === best).map(({ ref }) => ref)
    },
    async elsewhere(ref) {
      const { worktree, nested } = placeOf(ref.cwd, roots)
      const branchText = ref.branch === undefined ? '' : `branch ${ref.branch}`
      if (nested !== null || (worktree === null && ref.cwd !== null))
        return `of another repository (${nested ?? ref.cwd})`
      if (worktree !== null && worktree !== roots[0])
        return `of another worktree (${[worktree, branchText].filter(Boolean).join(', ')})`
      return worktree !== null && (await rank(ref)) === 0 ? `of another branch (${branchText})` : null
    },
  }
}

/** The worktree that a directory lies in, and the repository nested there that it belongs to. */
function placeOf(
  cwd: string | null,
  roots: readonly string[],
): { worktree: string | null; nested: string | null } {
  if (cwd === null) return { worktree: null, nested: null }
  // One worktree may lie inside another.
  const [worktree = null] = roots.filter((root) => isWithin(cwd, [root])).sort((a, b) => b.length - a.length)
  for (let at = cwd; worktree !== null && at !== worktree && isWithin(at, [worktree]); at = dirname(at))
    if (existsSync(join(at, '.git'))) return { worktree, nested: at }
  return { worktree, nested: null }
}
