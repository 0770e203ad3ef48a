import { checkObjects } from './objects.ts'
import type { Repo } from './open-repo.ts'
import { branchOfWork } from './operation.ts'
import { branchName, readHead } from './read-head.ts'
import { spawnGit } from './spawn.ts'

/** What a brief says of its place. */
export interface Named {
  /** Short name of its branch; null for a detached HEAD. */
  branch: string | null
  /** The commit it was made at; null before the first one. */
  head: string | null
}

/** Where a brief belongs that is not about the branch which is checked out. */
export interface Elsewhere {
  /** Full name of its branch, or `HEAD`. */
  ref: string
  /** What its commit is built on. */
  rev: string
}

/**
 * Where a brief must wait because another branch was checked out since it was begun; null where it belongs here. A branch that is gone was
 * renamed: like a detached HEAD, its brief belongs where the commit it was made at is in the history. Throws `gitFailed`.
 */
export async function findElsewhere(repo: Repo, { branch, head }: Named): Promise<Elsewhere | null> {
  const ref = branch === null ? 'HEAD' : `refs/heads/${branch}`
  if (branch !== null) {
    if (ref === (await branchHere(repo))) return null
    const [tip] = await checkObjects(repo, [`${ref}^{commit}`])
    if (tip) return { ref, rev: ref }
  }
  return head === null || (await isBehindHead(repo, head)) ? null : { ref, rev: head }
}

/** Full name of the branch that is checked out, or that an unfinished operation comes back to; `HEAD` where there is none. */
export async function branchHere(repo: Repo): Promise<string> {
  const branch = branchOfWork(repo.gitDir, branchName((await readHead(repo)).ref))
  return branch === null ? 'HEAD' : `refs/heads/${branch}`
}

/** True when a commit is in the history of HEAD. */
export async function isBehindHead(repo: Repo, commit: string): Promise<boolean> {
  const args = ['merge-base', '--is-ancestor', commit, 'HEAD']
  return (await spawnGit(args, repo.child())).code === 0
}
