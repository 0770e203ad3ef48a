import { mkdirSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { writeFailed } from '../errors/writing.ts'
import { privateFolder } from './private.ts'

/** Ms after which a lock is one of a process that was killed: what is done under it takes a few. */
const STALE = 2000
/** Ms between two tries. */
const AGAIN = 5

/**
 * Runs `work` while no other process does the same under this name, so that what one has read and writes back does not undo what
 * another wrote in between. A hook must not wait for ever, so a stale lock is taken over. Throws `writeFailed` when it cannot be.
 */
export async function withLock<T>(commonDir: string, name: string, work: () => Promise<T>): Promise<T> {
  const path = join(privateFolder(commonDir), 'locks', name)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  let seen = { made: 0, at: performance.now() }
  while (!take(path)) {
    const made = madeAt(path)
    if (made !== seen.made) seen = { made, at: performance.now() }
    // By the clock alone it would stand for an hour when that was set back by one.
    const isStale = performance.now() - seen.at > STALE || (made > 0 && Date.now() - made > STALE)
    if (isStale) takeOver(path)
    else await sleep(AGAIN)
  }
  try {
    return await work()
  } finally {
    giveBack(path)
  }
}

function take(path: string): boolean {
  try {
    writeFileSync(path, '', { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Ms since 1970. */
function madeAt(path: string): number {
  try {
    return statSync(path).mtimeMs
  } catch {
    return 0 // Given back in between.
  }
}

function giveBack(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // Another has taken it over.
  }
}

function takeOver(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    // Another may have taken it over.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw writeFailed(path, error)
  }
}
