import { linkSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { orNull } from '../errors/handoff-error.ts'
import { forgetFile, isGone, ownName, parseOwner, privateFolder, removeFile, writeNew } from './files.ts'
import type { Repo } from './open-repo.ts'
import { backOff } from './retry.ts'

/** Milliseconds to wait for one of the others before going ahead without a place in the queue: it may hang. */
const PATIENCE = 20_000
/**
 * Milliseconds to wait for all of them. On a busy machine each of many takes seconds, and whoever went ahead would be in the way of the
 * others until its tries are over.
 */
const MOST = 180_000

/**
 * Runs `work` while no other handoff of this worktree writes. Advisory: it only spares retries (50 creators: 7 s with
 * it, 45 s without), nothing depends on it. `patience`: ms with one and the same before us. Throws what `work` throws, and file system
 * errors of the git directory.
 */
export async function inQueue<T>(repo: Repo, work: () => Promise<T>, patience = PATIENCE): Promise<T> {
  const folder = privateFolder(repo)
  const lock = join(folder, 'queue.lock')
  const own = join(folder, ownName('queue'))
  writeNew(own, own.slice(folder.length + 1))
  try {
    const mine = statSync(own)
    const held = await takePlace(repo, own, lock, patience)
    try {
      return await work()
    } finally {
      if (held && orNull(() => statSync(lock))?.ino === mine.ino) forgetFile(lock)
    }
  } finally {
    forgetFile(own)
  }
}

async function takePlace(repo: Repo, own: string, lock: string, patience: number): Promise<boolean> {
  const begun = performance.now()
  let first = { name: '', since: begun }
  for (let round = 0; ; round++) {
    try {
      linkSync(own, lock)
      return true
    } catch (error) {
      // A file system without hard links has no queue.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return false
    }
    breakIfDead(lock)
    const now = performance.now()
    const name = orNull(() => readFileSync(lock, 'utf8')) ?? ''
    if (name !== first.name) first = { name, since: now }
    if (now - first.since > patience || now - begun > MOST) return false
    await backOff(Math.min(round, 3), repo.signal)
  }
}

/** Removes the lock of a queue whose holder is gone. Throws what the file system says. */
export function breakIfDead(lock: string): void {
  const name = orNull(() => readFileSync(lock, 'utf8').trim())
  const found = orNull(() => statSync(lock))
  if (name === null || found === null) return
  const owner = parseOwner(name)
  if (owner !== null && !isGone(owner, Date.now() - found.mtimeMs)) return
  if (orNull(() => statSync(lock))?.ino === found.ino) removeFile(lock)
}

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
