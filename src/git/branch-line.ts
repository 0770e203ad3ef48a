import type { Repo } from './open-repo.ts'
import { openSimpleGit } from './simple-git.ts'

/** Where a branch came from in this worktree. */
export interface BranchLine {
  /** Its name and earlier ones. */
  names: ReadonlySet<string>
  /** Branches that were checked out when it, or the one before, was made, and those it was made from. */
  from: ReadonlySet<string>
  /** When HEAD came to it last, in ms since 1970; null where the log of HEAD does not tell. */
  since: number | null
}

/** Entries of the log of HEAD that are looked at. */
const MAX_ENTRIES = 2000
const MOVED = /^checkout: moving from (\S+) to (\S+)$/
const RENAMED = /^Branch: renamed refs\/heads\/(\S+) to refs\/heads\/(\S+)$/

/** Read from the log of HEAD, which each worktree has for itself. Throws `gitFailed`. */
export const readBranchLine = async (repo: Repo, branch: string): Promise<BranchLine> =>
  lineOf(repo, branch, await readLog(repo, 'HEAD'))

/** Whether this clone has a branch of that name now. Throws `gitFailed`. */
export async function hasBranch(repo: Repo, name: string): Promise<boolean> {
  return (await (await openSimpleGit(repo)).branchLocal()).all.includes(name)
}

interface Entry {
  /** Ms since 1970. */
  time: number
  said: string
}

/** `entries` are newest first. */
async function lineOf(repo: Repo, branch: string, entries: readonly Entry[]): Promise<BranchLine> {
  const names = new Set([branch])
  const from = new Set<string>()
  let since: number | null = null
  /** As it was called then, and as it is called now. */
  let [name, ref] = [branch, branch]
  for (const { time, said } of entries) {
    const isRename = RENAMED.test(said)
    const [, before = '', after] = (isRename ? RENAMED : MOVED).exec(said) ?? []
    if (after !== name) continue
    if (isRename) (since === null ? names : from).add(before)
    else {
      since ??= time
      // Mostly HEAD only came back to it.
      const start = await startAt(repo, ref, time)
      if (start === null) continue
      from.add(before).add(start)
      ref = before
    }
    name = before
  }
  return { names, from, since }
}

/** Ms between what two logs say of one command. */
const SAME_COMMAND = 2000

/** What the branch was made from when HEAD moved to it; null when it was made at another time, or from a branch of a remote, which is other work. */
async function startAt(repo: Repo, branch: string, time: number): Promise<string | null> {
  const first = (await readLog(repo, `refs/heads/${branch}`)).at(-1)
  const start = /^branch: Created from (.+)$/.exec(first?.said ?? '')?.[1]
  if (first === undefined || start === undefined || Math.abs(first.time - time) > SAME_COMMAND) return null
  const args = ['rev-parse', '--symbolic-full-name', '--end-of-options', start]
  const full = await repo.git(args, { answers: [128] })
  return full.includes('refs/remotes/') ? null : start
}

/** The log of a ref, newest first; empty where there is none. */
async function readLog(repo: Repo, ref: string): Promise<Entry[]> {
  const args = ['log', '--walk-reflogs', `--max-count=${MAX_ENTRIES}`, '--date=unix', '--no-show-signature']
  const text = await repo.git([...args, '--format=%gd%x00%gs', ref, '--'], { answers: [128] })
  const lines = text.split('\n').filter((line) => line !== '')
  return lines.map((line) => {
    const [at = '', said = ''] = line.split('\0')
    return { time: 1000 * Number(/@\{(\d+)\}$/.exec(at)?.[1]), said }
  })
}
