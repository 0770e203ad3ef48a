import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { orNull } from '../errors/handoff-error.ts'
import type { Repo } from './open-repo.ts'
import { readRefs } from './refs.ts'

/** Where a branch came from in this worktree. */
export interface BranchLine {
  /** Its name and earlier ones. */
  names: ReadonlySet<string>
  /** Branches that were checked out when it, or the one before, was made, and those it was made from. */
  from: ReadonlySet<string>
  /** When HEAD came to it last, in ms since 1970; null where the log of HEAD does not tell. */
  since: number | null
}

const CHANGED =
  /^(?:checkout: moving from (\S+) to (\S+)|Branch: renamed refs\/heads\/(\S+) to refs\/heads\/(\S+))$/

/** Read from the log of HEAD, which each worktree has for itself. Throws `gitFailed`. */
export async function readBranchLine(repo: Repo, branch: string): Promise<BranchLine> {
  const names = new Set([branch])
  const from = new Set<string>()
  let since: number | null = null
  /** As it was called then, and as it is called now. */
  let [name, ref] = [branch, branch]
  for (const { time, said } of readReflog(repo.gitDir, 'HEAD')) {
    const [, left, to, old, renamed] = CHANGED.exec(said) ?? []
    const before = left ?? old ?? ''
    if ((to ?? renamed) !== name) continue
    if (renamed !== undefined) (since === null ? names : from).add(before)
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
  const made = madeFrom(repo, branch)
  if (made === null || Math.abs(made.time - time) > SAME_COMMAND) return null
  const far = await readRefs(repo, ['refs/remotes'])
  return far.some(({ name }) => `${name}/`.startsWith(`refs/remotes/${made.start}/`)) ? null : made.start
}

/** What a branch was made from, as its log says: `HEAD`, or the name that was typed; null where it does not say. */
export function madeFrom({ commonDir }: Repo, branch: string): { start: string; time: number } | null {
  const first = readReflog(commonDir, `refs/heads/${branch}`).at(-1)
  const start = /^branch: Created from (?:refs\/(?:heads|remotes)\/)?(.+)$/.exec(first?.said ?? '')?.[1]
  return first === undefined || start === undefined ? null : { start, time: first.time }
}

/** The log of a ref, newest first; empty where refs are not stored as files. */
export function readReflog(folder: string, ref: string): { time: number; said: string }[] {
  const text = orNull(() => readFileSync(join(folder, 'logs', ref), 'utf8')) ?? ''
  const entries = [...text.matchAll(/> (\d+) [+-]\d{4}\t(.*)$/gm)]
  return entries.map(([, seconds, said = '']) => ({ time: 1000 * Number(seconds), said })).reverse()
}
