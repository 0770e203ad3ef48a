import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { orNull } from '../errors/handoff-error.ts'
import { forgetFile, privateFolder, writeNew } from './files.ts'
import type { Repo } from './open-repo.ts'

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

let count = 0

/**
 * Lets others see that a brief is being made, once that takes a second. The record stays in the private folder that all worktrees share
 * until what this returns is called. Throws nothing.
 */
export function announceRunning({ commonDir, root }: Repo, startedAt: Date): () => void {
  let path: string | null = null
  const timer = setTimeout(() => {
    try {
      const file = join(privateFolder({ gitDir: commonDir }), `run.${process.pid}.${count++}`)
      writeNew(file, `${JSON.stringify({ schemaVersion: 1, startedAt: startedAt.toISOString(), root })}\n`)
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
      const pid = Number(/^run\.(\d+)\.\d+$/.exec(name)?.[1])
      if (Number.isNaN(pid) || !isAlive(pid)) return []
      // Null while it is being written.
      const record = orNull(
        () => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Record<string, unknown> | null,
      )
      const { startedAt, root } = record ?? {}
      return typeof startedAt === 'string' && typeof root === 'string' ? [{ pid, startedAt, root }] : []
    })
    .sort((a, b) => (a.startedAt < b.startedAt ? -1 : 1))
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: it lives and belongs to somebody else.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
