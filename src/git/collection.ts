import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { areThere } from './objects.ts'
import type { Repo } from './open-repo.ts'
import { orNull } from './or-null.ts'

/** Ms for which a running collection is watched: its list of what may go was made before ours was named. */
const WATCH = 2000
/** Ms after which git takes the mark of a collection for a dead one (git 2.39, builtin/gc.c: 12 hours). */
const STALE = 12 * 3_600_000

/**
 * Whether new objects that a ref names by now outlast a `git gc` that is running: one that began earlier may still take them away.
 * One that begins later finds the ref.
 */
export async function outlastCollection(repo: Repo, oids: readonly string[]): Promise<boolean> {
  const end = performance.now() + WATCH
  for (;;) {
    const mark = orNull(() => statSync(join(repo.commonDir, 'gc.pid')))
    const isRunning = mark !== null && Date.now() - mark.mtimeMs < STALE
    // Asked after the mark: a collection that was over then has taken all it will.
    if (!(await areThere(repo, oids))) return false
    if (!isRunning || performance.now() > end) return true
    await sleep(50)
  }
}
