import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Repo } from './open-repo.ts'
import { orNull } from './or-null.ts'
import { isGone, ownName, parseOwner, privateFolder } from './private-folder.ts'
import { forgetFile } from './remove-file.ts'
import { writeNew } from './write-new.ts'

/** A brief that is being made in this repository. */
export interface Running {
  pid: number
  /** ISO. */
  startedAt: string
  /** Top of the worktree it is made in. */
  root: string
}

/** Ms after which it is worth telling: most briefs are made by then, and nothing is written for them. */
const QUIET = 1000

/**
 * Lets others see that a brief is being made, once that takes a second. The record stands in the private folder that all worktrees share,
 * until what this returns is called; `heal` sweeps one that a kill left. Throws nothing.
 */
export function announceRunning({ commonDir, root }: Repo, startedAt: Date): () => void {
  let path: string | null = null
  const timer = setTimeout(() => {
    try {
      const file = join(privateFolder({ gitDir: commonDir }), ownName('run'))
      const record = {
        schemaVersion: 1,
        startedAt: startedAt.toISOString(),
        root,
        begun: begunAt(process.pid),
      }
      writeNew(file, `${JSON.stringify(record)}\n`)
      path = file
    } catch {
      // A full disk is told of by what needs it; to be seen is no reason to fail.
    }
  }, QUIET).unref()
  return () => {
    clearTimeout(timer)
    if (path !== null) forgetFile(path)
  }
}

/** Briefs that are being made now, the oldest first. What a killed process left is not among them. */
export function listRunning({ commonDir }: Pick<Repo, 'commonDir'>): Running[] {
  const folder = join(commonDir, 'handoff')
  const names = orNull(() => readdirSync(folder)) ?? []
  return names
    .flatMap((name): Running[] => {
      const owner = parseOwner(name)
      if (owner?.kind !== 'run') return []
      const found = orNull(() => ({
        age: Date.now() - statSync(join(folder, name)).mtimeMs,
        // Null while it is being written.
        record: JSON.parse(readFileSync(join(folder, name), 'utf8')) as Record<string, unknown> | null,
      }))
      const { startedAt, root, begun } = found?.record ?? {}
      if (found === null || typeof startedAt !== 'string' || typeof root !== 'string') return []
      // Its number may have been given to another process since, by a restart of the machine if by nothing else.
      const isOther = typeof begun === 'string' && begun !== begunAt(owner.pid)
      return isGone(owner, found.age) || isOther ? [] : [{ pid: owner.pid, startedAt, root }]
    })
    .sort((a, b) => (a.startedAt < b.startedAt ? -1 : 1))
}

/** When a process began, in ticks since the machine did (field 22 of proc(5)); null where the system does not tell. */
function begunAt(pid: number): string | null {
  const line = orNull(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))
  // Its name stands in parentheses and may hold anything.
  return line?.slice(line.lastIndexOf(')') + 2).split(' ')[19] ?? null
}
