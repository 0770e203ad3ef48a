import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { orNull } from '../errors/handoff-error.ts'
import { forgetFile, privateFolder } from './files.ts'
import type { Repo } from './open-repo.ts'
import { readHead } from './refs.ts'

/** Somebody else was faster or holds a lock: worth another try. */
export class Busy extends Error {
  override readonly name = 'Busy'
}

/** Waits 4 to 200 ms, longer and more scattered with every round. */
async function backOff(round: number, signal: AbortSignal | undefined): Promise<void> {
  const most = Math.min(200, 8 * 2 ** Math.min(round, 5))
  await sleep(4 + Math.random() * (most - 4))
  signal?.throwIfAborted()
}

/** Runs `work`, and again as long as it throws `Busy`. Throws the last error after `patience` ms, and the signal's reason. */
export async function keepTrying<T>(
  work: () => Promise<T>,
  patience: number,
  signal?: AbortSignal,
): Promise<T> {
  const end = performance.now() + patience
  for (let round = 0; ; round++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Busy) || performance.now() > end) throw error
      await backOff(round, signal)
    }
  }
}

/** Runs a git that takes this lock file. Throws `Busy` while somebody else holds it, and what git says otherwise. */
export async function underLock(lock: string, work: () => Promise<unknown>): Promise<void> {
  for (let left = 2; ; left--) {
    try {
      await work()
      return
    } catch (error) {
      if (existsSync(lock)) throw busyBy(error)
      // It may have been given back before this look.
      if (left === 0) throw error
    }
  }
}

/** `Busy` in the words of another error. */
export const busyBy = (error: unknown): Busy =>
  new Busy(error instanceof Error ? error.message : String(error), { cause: error })

/** Ms after which a place in the queue is that of a process that was killed: a commit takes a tenth. */
const STALE = 2000

/** Runs `work` while no other handoff of this worktree writes. It only spares retries: 50 creators take 7 s with it, 45 s without. */
export async function inQueue<T>(repo: Repo, work: () => Promise<T>): Promise<T> {
  const lock = join(privateFolder(repo), 'queue.lock')
  for (let round = 0; !take(lock); round++) {
    const made = orNull(() => statSync(lock).mtimeMs)
    // A time to come is one of a clock that was set back since.
    if (made !== null && Math.abs(Date.now() - made) > STALE) forgetFile(lock)
    else await backOff(Math.min(round, 3), repo.signal)
  }
  try {
    return await work()
  } finally {
    forgetFile(lock)
  }
}

function take(lock: string): boolean {
  try {
    writeFileSync(lock, '', { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Locks of git that a writer of this worktree meets, and that nobody has touched for `age` ms: their paths, and for how long. Throws `gitFailed`. */
export async function heldLocks(repo: Repo, age: number): Promise<{ path: string; age: number }[]> {
  const { gitDir, commonDir, indexPath } = repo
  const { ref } = await readHead(repo)
  const parked = join(commonDir, 'refs', 'handoff')
  const names = orNull(() => readdirSync(parked)) ?? []
  const paths = [
    ...[indexPath, join(gitDir, 'HEAD')].map((path) => `${path}.lock`),
    ...['config', 'packed-refs', ref].map((name) => join(commonDir, `${name}.lock`)),
    ...names.flatMap((name) => (name.endsWith('.lock') ? join(parked, name) : [])).sort(),
  ]
  return [...new Set(paths)].flatMap((path) => {
    const found = orNull(() => statSync(path))
    const held = found === null ? -1 : Date.now() - found.mtimeMs
    return found !== null && (age === 0 || held > age) ? [{ path, age: held }] : []
  })
}
