import { mkdirSync, readFileSync, renameSync, unlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { readInHead } from './in-head.ts'
import type { Repo } from './open-repo.ts'
import { ownName, privateFolder } from './private-folder.ts'
import { forgetFile } from './remove-file.ts'
import { readEntries } from './rewrite-index.ts'
import { hashPlainFile } from './work-file.ts'
import { writeNew } from './write-new.ts'

/** A file that is about to be made and committed, and what it will hold. */
export interface Begun {
  path: string
  oid: string
  /** Worth keeping when it never gets its commit. */
  isBrief: boolean
}

/**
 * Runs `work`, which makes files and commits them. A record stands in the private folder meanwhile, by which `heal` takes back what a
 * kill left half-way: nobody was told of it. Throws what `work` throws.
 */
export async function withRecord<T>(repo: Repo, files: readonly Begun[], work: () => Promise<T>): Promise<T> {
  const record = join(privateFolder(repo), ownName('made'))
  writeNew(record, JSON.stringify(files))
  try {
    return await work()
  } finally {
    forgetFile(record)
  }
}

/**
 * Takes the files of a record out of the work tree that are what was written and neither staged nor committed; where the brief is
 * kept instead, or null. What was staged goes with the next commit.
 */
export async function takeBackUnfinished(repo: Repo, record: string): Promise<string | null> {
  const text = readFileSync(record, 'utf8')
  // Cut off while it was written: no file had been made then.
  if (!text.endsWith(']')) return null
  return takeBack(repo, JSON.parse(text) as Begun[])
}

/** The same for files that this process has made. */
export async function takeBack(repo: Repo, files: readonly Begun[]): Promise<string | null> {
  const paths = files.map(({ path }) => path)
  const [{ held }, staged] = await Promise.all([readInHead(repo, paths), readEntries(repo, paths)])
  let kept: string | null = null
  for (const [at, { path, oid, isBrief }] of files.entries()) {
    if (held[at] !== null || staged.has(path) || hashPlainFile(repo, path) !== oid) continue
    if (isBrief) kept = keep(repo, path)
    else unlinkSync(join(repo.root, path))
  }
  return kept
}

function keep(repo: Repo, path: string): string | null {
  const folder = join(repo.commonDir, 'handoff', 'drafts')
  const target = join(folder, basename(path))
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  try {
    renameSync(join(repo.root, path), target)
    return target
  } catch (error) {
    // On another file system it stays where it is, whole.
    if ((error as NodeJS.ErrnoException).code === 'EXDEV') return null
    throw error
  }
}
