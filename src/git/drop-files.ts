import { readFileSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { checkObjects } from './objects.ts'
import type { Repo } from './open-repo.ts'
import { ownName, privateFolder } from './private-folder.ts'
import { forgetFile } from './remove-file.ts'
import { hashPlainFile } from './work-file.ts'
import { writeNew } from './write-new.ts'

/** A file that a commit takes out of the tree, and what it holds there. */
export interface Dropped {
  path: string
  oid: string
}

/**
 * Runs `commit`, which takes files out of the tree of HEAD, then takes them off the disk, as far as they are what was committed. A
 * record stands in the private folder meanwhile, by which `heal` finishes what a kill cut off. Throws what `commit` throws.
 */
export async function dropFiles<T>(
  repo: Repo,
  files: readonly Dropped[],
  commit: () => Promise<T>,
): Promise<T> {
  const record = join(privateFolder(repo), ownName('drop'))
  writeNew(record, JSON.stringify(files.map(({ path, oid }) => ({ path, oid }))))
  try {
    const made = await commit()
    for (const file of files) removeUnchanged(repo, file)
    return made
  } finally {
    forgetFile(record)
  }
}

/** Takes the files of a record off the disk that HEAD does not hold any more; all of them stay when its commit never came. */
export async function finishDrop(repo: Repo, record: string): Promise<void> {
  const text = readFileSync(record, 'utf8')
  // Cut off while it was written: nothing had been committed then.
  if (!text.endsWith(']')) return
  const files = JSON.parse(text) as Dropped[]
  const held = await checkObjects(
    repo,
    files.map(({ path }) => `HEAD:${path}`),
  )
  for (const [at, file] of files.entries()) if (held[at] === null) removeUnchanged(repo, file)
}

/** Somebody may have written to it meanwhile. */
function removeUnchanged(repo: Repo, { path, oid }: Dropped): void {
  if (hashPlainFile(repo, path) === oid) unlinkSync(join(repo.root, path))
}
