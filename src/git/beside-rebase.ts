import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Repo } from './open-repo.ts'
import { readOperation } from './operation.ts'
import { orNull } from './or-null.ts'
import { parkCopy } from './parking.ts'

/**
 * Parks a brief that a rebase has not seen: it read the branch before the brief was committed, and its end or its abort puts the branch
 * back to where it was then. The next command adopts the brief, or lets go of it when it is there all the same. `branch`: its full
 * name; `message`: of the brief's commit.
 */
export async function keepBesideRebase(
  repo: Repo,
  brief: Record<'id' | 'commit' | 'message' | 'branch', string>,
): Promise<void> {
  const operation = readOperation(repo.gitDir)
  if (operation !== 'rebase' && operation !== 'am') return
  const seen = ['rebase-merge/orig-head', 'rebase-apply/orig-head'].map((file) =>
    orNull(() => readFileSync(join(repo.gitDir, file), 'utf8').trim()),
  )
  if (!seen.includes(brief.commit)) await parkCopy(repo, { ...brief, why: 'beside a rebase' })
}
