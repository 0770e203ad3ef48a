import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { orNull, reasonOf } from '../errors/handoff-error.ts'
import { withLock } from '../private-folder.ts'
import type { Repo } from './open-repo.ts'
import { readHead } from './refs.ts'

/** Somebody else was faster or holds a lock: worth another try. */
export class Busy extends Error {
  override readonly name = 'Busy'
}

/** Runs `work`, and again as long as it throws `Busy`, after 4 to 200 ms, more and more. Throws the last error after `patience` ms, and the signal's reason. */
export async function keepTrying<T>(
  work: () => Promise<T>,
  patience: number,
  signal?: AbortSignal,
): Promise<T> {
  const end = performance.now() + patience
  for (let most = 8; ; most = Math.min(200, 2 * most)) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Busy) || performance.now() > end) throw error
      await sleep(4 + Math.random() * (most - 4))
      signal?.throwIfAborted()
    }
  }
}

/** Runs a git that takes this lock file. Throws `Busy` while somebody else holds it, and what git says otherwise. */
export async function underLock(lock: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    // It may have been given back before this look.
    throw existsSync(lock) || /File exists/.test(reasonOf(error)) ? busyBy(error) : error
  }
}

/** `Busy` in the words of another error. */
export const busyBy = (error: unknown): Busy => new Busy(reasonOf(error), { cause: error })

/** Runs `work` while no other handoff of this worktree writes. It only spares retries: 50 creators take 7 s with it, 45 s without. */
export const inQueue = <T>(
  { gitDir, signal }: Pick<Repo, 'gitDir' | 'signal'>,
  work: () => Promise<T>,
): Promise<T> => withLock(gitDir, 'queue.lock', work, signal)

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
