import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { orNull } from '../errors/handoff-error.ts'
import type { Operation } from '../types/git.ts'
import type { Repo } from './open-repo.ts'
import { askAbout, branchName, readCommit, readHead } from './refs.ts'

/** Files under the git directory that git keeps while an operation is unfinished, outermost operation first (git 2.39). */
const MARKS: readonly [string, Operation][] = [
  ['rebase-merge', 'rebase'],
  ['rebase-apply/applying', 'am'],
  ['rebase-apply', 'rebase'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
  ['MERGE_HEAD', 'merge'],
  ['BISECT_LOG', 'bisect'],
]

/** The unfinished operation of this worktree, or null. */
export function readOperation(gitDir: string): Operation | null {
  for (const [mark, operation] of MARKS) if (existsSync(join(gitDir, mark))) return operation
  // Between two picks of a series only the to-do list is there.
  const todo = readIfThere(join(gitDir, 'sequencer', 'todo'))
  if (todo !== null) return todo.startsWith('revert') ? 'revert' : 'cherry-pick'
  return existsSync(join(gitDir, 'sequencer')) ? 'cherry-pick' : null
}

/**
 * An operation may still check out other commits. A new file that one of them has would stop it and its abort (git 2.39); a merge is done
 * with that.
 */
export const isReplaying = (gitDir: string): boolean => ![null, 'merge'].includes(readOperation(gitDir))

/** The branch that is checked out, or that a rebase or bisect comes back to. Null when detached. `branch`: what is checked out. */
export const branchOfWork = (gitDir: string, branch: string | null): string | null =>
  branch ?? branchName(readUnderWay(gitDir).branch ?? '')

/** The unfinished operation of this worktree and the full name of the branch that it comes back to, while HEAD is detached. */
export function readUnderWay(gitDir: string): { operation: Operation | null; branch: string | null } {
  const operation = readOperation(gitDir)
  const [rebase, apply, bisect] = ['rebase-merge/head-name', 'rebase-apply/head-name', 'BISECT_START'].map(
    (file) => readIfThere(join(gitDir, file))?.trim(),
  )
  // BISECT_START holds the short name, or a commit id when HEAD was detached.
  const start =
    bisect === undefined || /^[0-9a-f]{40,64}$/.test(bisect) ? [] : [bisect, `refs/heads/${bisect}`]
  const branch = [rebase, apply, ...start].find((name) => name?.startsWith('refs/heads/'))
  return { operation, branch: operation === null ? null : (branch ?? null) }
}

/** The operation may end at any moment, and takes its files along. */
const readIfThere = (path: string): string | null => orNull(() => readFileSync(path, 'utf8'))

/** What a brief says of its place. */
export interface Named {
  /** Short name of its branch; null for a detached HEAD. */
  branch: string | null
  /** The commit it was made at; null before the first one. */
  head: string | null
}

/**
 * Where a brief waits because another branch is checked out by now, and what its commit is built on; null: here. A renamed branch is found by
 * the commit that the brief was made at.
 */
export async function findElsewhere(
  repo: Repo,
  { branch, head }: Named,
): Promise<{ ref: string; rev: string } | null> {
  const ref = branch === null ? 'HEAD' : `refs/heads/${branch}`
  if (branch !== null) {
    if (ref === (await branchHere(repo))) return null
    if ((await readCommit(repo, ref)) !== null) return { ref, rev: ref }
  }
  return head === null || (await isBehind(repo, head)) ? null : { ref, rev: head }
}

/** Full name of the branch that is checked out, or that an unfinished operation comes back to; `HEAD` where there is none. */
export async function branchHere(repo: Repo): Promise<string> {
  const branch = branchOfWork(repo.gitDir, branchName((await readHead(repo)).ref))
  return branch === null ? 'HEAD' : `refs/heads/${branch}`
}

/** Whether a commit is `end` or in its history; null where git knows one of them no more. Throws `gitFailed`. */
export async function isBehind(repo: Repo, commit: string, end = 'HEAD'): Promise<boolean | null> {
  const ended = await askAbout(repo, [commit, end], ['merge-base', '--is-ancestor', commit, end])
  return ended && ended.code === 0
}
