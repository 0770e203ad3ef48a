import { mkdirSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { privateFolder } from './private.ts'

/** Ms after which a lock is one of a process that was killed: what is done under it takes a few. */
const STALE = 2000
/** Ms between two tries. */
const AGAIN = 5

/**
 * Runs `work` while no other process does the same under this name, so that what one has read and writes back does not undo what
 * another wrote in between. A hook must not wait for ever, so a stale lock is taken over.
 */
export async function withLock<T>(commonDir: string, name: string, work: () => Promise<T>): Promise<T> {
  const path = join(privateFolder(commonDir), 'locks', name)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  while (!take(path)) {
    if (ageOf(path) > STALE) remove(path)
    else await sleep(AGAIN)
  }
  try {
    return await work()
  } finally {
    remove(path)
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

function ageOf(path: string): number {
  try {
    return Date.now() - statSync(path).mtimeMs
  } catch {
    return 0 // Given back in between.
  }
}

function remove(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // Another has taken it over.
  }
}
