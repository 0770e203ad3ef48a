import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { finishDrop } from './drop-files.ts'
import { freeConfig, freeIndex, freeRefs, type Healed, newHealed } from './free-locks.ts'
import type { Repo } from './open-repo.ts'
import { orNull } from './or-null.ts'
import { isGone, isLeftAside, parseOwner } from './private-folder.ts'
import { breakIfDead } from './queue.ts'
import { forgetFile } from './remove-file.ts'
import { takeBackUnfinished } from './unfinished.ts'

/**
 * Clears up after handoffs that were killed: their private files, and the locks that provably are theirs. Costs one
 * directory listing when there is nothing to do. Called at the start of every write.
 */
export async function heal(repo: Repo): Promise<Healed> {
  const healed = newHealed()
  // In a linked worktree the second is one that all worktrees share.
  for (const gitDir of new Set([repo.gitDir, repo.commonDir]))
    await healIn(repo, join(gitDir, 'handoff'), healed)
  return healed
}

async function healIn(repo: Repo, folder: string, healed: Healed): Promise<void> {
  for (const name of namesIn(folder)) {
    const path = join(folder, name)
    // Whoever comes next would break it; nobody may come for long.
    if (name === 'queue.lock') breakIfDead(path)
    const owner = parseOwner(name)
    const found = owner || isLeftAside(name, null) ? orNull(() => statSync(path)) : null
    if (!found) continue
    const age = Date.now() - found.mtimeMs
    if (owner ? !isGone(owner, age) : !isLeftAside(name, age)) continue
    if (owner?.kind === 'index') freeIndex(`${repo.indexPath}.lock`, found.ino, healed)
    if (owner?.kind === 'ref') await freeRefs(repo, path, healed)
    if (owner?.kind === 'config') await freeConfig(repo, path, healed)
    if (owner?.kind === 'made') healed.kept.push(...[(await takeBackUnfinished(repo, path)) ?? []].flat())
    if (owner?.kind === 'drop' && !(await finishDrop(repo, path))) continue
    forgetFile(path)
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
