import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { moveRefs } from './move-ref.ts'
import type { Repo } from './open-repo.ts'
import { readOperation } from './operation.ts'
import { orNull } from './or-null.ts'
import { writeCommit } from './write-commit.ts'

/**
 * Parks a brief that a rebase has not seen: it read the branch before the brief was committed, and its end or its abort puts the branch
 * back to where it was then. The next command adopts the brief, or lets go of it when it is there all the same. `message`: of the commit
 * that is parked.
 */
export async function keepBesideRebase(
  repo: Repo,
  id: string,
  commit: string,
  message: string,
): Promise<void> {
  const operation = readOperation(repo.gitDir)
  if (operation !== 'rebase' && operation !== 'am') return
  const seen = ['rebase-merge/orig-head', 'rebase-apply/orig-head'].map((file) =>
    orNull(() => readFileSync(join(repo.gitDir, file), 'utf8').trim()),
  )
  if (seen.includes(commit)) return
  const parents = (await repo.git(['rev-list', '-1', '--parents', commit])).trim().split(' ').slice(1)
  const stored = Promise.resolve()
  const { oid } = await writeCommit(repo, { tree: `${commit}^{tree}`, parents, message, sign: false, stored })
  await moveRefs(repo, [{ ref: `refs/handoff/${id}`, to: oid }], `handoff: ${id} beside a rebase`)
}
