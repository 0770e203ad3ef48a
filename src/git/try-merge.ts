import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Repo } from './open-repo.ts'
import { isPartial } from './read-named.ts'

/** Paths that conflict; `why` says what stood in the way of trying. */
export interface MergeTrial {
  conflicts: string[]
  why: string | null
}

/**
 * What merging two commits would give, without a work tree, by `git merge-tree --write-tree` (git 2.38). What that writes goes
 * to a folder of its own and away again, so that a question leaves nothing in the repository.
 */
export async function tryMerge(repo: Repo, ours: string, theirs: string): Promise<MergeTrial> {
  if (isPartial(repo))
    return { conflicts: [], why: 'this clone is partial, and files would have to be fetched' }
  const folder = mkdtempSync(join(tmpdir(), 'handoff-merge-'))
  try {
    const args = ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', ours, theirs]
    const env = {
      GIT_OBJECT_DIRECTORY: folder,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: quoted(join(repo.commonDir, 'objects')),
    }
    const { code, stdout, stderr } = await repo.run(args, { env })
    if (code === 0) return { conflicts: [], why: null }
    if (code === 1)
      return {
        conflicts: [...new Set(stdout.toString('utf8').split('\0').slice(1))].filter(Boolean),
        why: null,
      }
    if (/unrelated histories/.test(stderr))
      return {
        conflicts: [],
        why: repo.shallow
          ? 'this clone is shallow, and what both grew from is not in it'
          : 'the two have no commit in common',
      }
    const isOld = /usage: git merge-tree|unknown option/.test(stderr)
    return { conflicts: [], why: isOld ? 'git before 2.38 cannot' : 'git could not' }
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** A path that holds the mark between paths stands in quotation marks (git-config manual of `GIT_ALTERNATE_OBJECT_DIRECTORIES`). */
const quoted = (path: string): string =>
  /[:"\n]/.test(path) ? `"${path.replace(/[\\"]/g, '\\$&').replace(/\n/g, '\\n')}"` : path
