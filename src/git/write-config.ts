import { statSync } from 'node:fs'
import { join } from 'node:path'
import { gitFailed, writeFailed } from '../errors.ts'
import { freeConfig, newHealed } from './free-locks.ts'
import type { Repo } from './open-repo.ts'
import { orNull } from './or-null.ts'
import { ownName, privateFolder } from './private-folder.ts'
import { forgetFile } from './remove-file.ts'
import { spawnGit } from './spawn.ts'
import { writeNew } from './write-new.ts'

/**
 * Changes the repository's own configuration, with what comes after `git config --local`. A record of it stands in the private
 * folder meanwhile, so that `heal` knows the lock that a killed git leaves. Throws `writeFailed`.
 */
export async function writeConfig(repo: Repo, args: readonly string[]): Promise<void> {
  const record = join(privateFolder(repo), ownName('config'))
  writeNew(record, '')
  try {
    const all = ['config', '--local', ...args]
    const { code, stderr } = await spawnGit(all, repo.child())
    if (code === null && orNull(() => statSync(join(repo.commonDir, 'config.lock'))))
      await freeConfig(repo, record, newHealed())
    // Git names the file and not the reason.
    if (code !== 0)
      throw writeFailed('.git/config', gitFailed(all, stderr || `exit ${code ?? 'by a signal'}`))
  } finally {
    forgetFile(record)
  }
}
