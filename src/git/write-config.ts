import { statSync } from 'node:fs'
import { join } from 'node:path'
import { gitFailed } from '../errors/git.ts'
import { configLocked, writeFailed } from '../errors/writing.ts'
import { freeConfig, newHealed } from './free-locks.ts'
import type { Repo } from './open-repo.ts'
import { orNull } from './or-null.ts'
import { ownName, privateFolder } from './private-folder.ts'
import { forgetFile } from './remove-file.ts'
import { backOff, isPassing } from './retry.ts'
import { spawnGit } from './spawn.ts'
import { writeNew } from './write-new.ts'

/** Milliseconds to wait for others who write the configuration; each of them holds it for a few. */
const PATIENCE = 5000

/**
 * Changes the repository's own configuration, with what comes after `git config --local`. A record of it stands in the private
 * folder meanwhile, so that `heal` knows the lock that a killed git leaves. Throws `writeFailed`, or `configLocked` when another
 * holds it for longer than `patience` (ms); rejects with the signal's reason before git is started, and never while it runs.
 */
export async function writeConfig(repo: Repo, args: readonly string[], patience = PATIENCE): Promise<void> {
  const record = join(privateFolder(repo), ownName('config'))
  writeNew(record, '')
  try {
    const end = performance.now() + patience
    for (let round = 0; ; round++) {
      const failed = await tryWrite(repo, args, record)
      if (failed === null) return
      // Git names the file and not the reason.
      if (!isPassing(failed)) throw writeFailed('.git/config', failed)
      if (performance.now() > end) throw configLocked(lockOf(repo), failed)
      await backOff(round, repo.signal)
    }
  } finally {
    forgetFile(record)
  }
}

async function tryWrite(repo: Repo, args: readonly string[], record: string): Promise<Error | null> {
  const all = ['config', '--local', ...args]
  repo.signal?.throwIfAborted()
  // Git 2.39 knows a lock to remove a moment after it has made it: ended in between it leaves the lock, and ends by itself soon.
  const { code, stderr } = await spawnGit(all, repo.child({ signal: undefined }))
  if (code === 0) return null
  if (code === null && orNull(() => statSync(lockOf(repo)))) await freeConfig(repo, record, newHealed())
  return gitFailed(all, stderr || `exit ${code ?? 'by a signal'}`)
}

const lockOf = ({ commonDir }: Pick<Repo, 'commonDir'>) => join(commonDir, 'config.lock')
