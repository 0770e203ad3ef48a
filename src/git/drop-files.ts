import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readInHead } from './in-head.ts'
import type { Repo } from './open-repo.ts'
import { ownName, privateFolder } from './private-folder.ts'
import { forgetFile, removeFile } from './remove-file.ts'
import { readEntries } from './rewrite-index.ts'
import { holdsBlob } from './work-file.ts'
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
  let isOver = true
  try {
    const made = await commit()
    for (const file of files) removeUnchanged(repo, file)
    return made
  } catch (error) {
    isOver = await areStaged(repo, files).catch(() => false)
    throw error
  } finally {
    if (isOver) forgetFile(record)
  }
}

/** False when the index could not be put back: whoever commits next takes them out of the tree. */
async function areStaged(repo: Repo, files: readonly Dropped[]): Promise<boolean> {
  const entries = await readEntries(
    repo,
    files.map(({ path }) => path),
  )
  return files.every(({ path }) => entries.has(path))
}

/**
 * Takes the files of a record off the disk that HEAD does not hold any more; all of them stay when its commit never came. False: that
 * may still come, by somebody else, and the record is needed then. Throws `gitFailed`.
 */
export async function finishDrop(repo: Repo, record: string): Promise<boolean> {
  const text = readFileSync(record, 'utf8')
  // Cut off while it was written: nothing had been committed then.
  if (!text.endsWith(']')) return true
  const files = JSON.parse(text) as Dropped[]
  const { held } = await readInHead(
    repo,
    files.map(({ path }) => path),
  )
  let isRemoved = true
  for (const [at, file] of files.entries())
    try {
      if (held[at] === null) removeUnchanged(repo, file)
    } catch {
      // A brief that lies about is no reason to make no other; it goes when it can.
      isRemoved = false
    }
  return isRemoved && (held.every((oid) => oid === null) || areStaged(repo, files))
}

/** Somebody may have written to it meanwhile. Throws what the file system says. */
function removeUnchanged(repo: Repo, { path, oid }: Dropped): void {
  if (holdsBlob(repo, path, oid)) removeFile(join(repo.root, path))
}
