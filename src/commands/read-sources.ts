import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readDecisionRecord } from '../brief/decision-record.ts'
import { readPlanFile } from '../brief/plan-file.ts'
import { isHandoffError } from '../errors.ts'
import type { Scanner } from '../secrets/scanner.ts'
import { readPlain } from '../store/plain-file.ts'
import type { GitState, SourceRecord } from '../types.ts'

/** Records read at most: 40 of 5 KB take 6 ms with everything said in them. */
const MAX_READ = 40
const TEXT = /\.(?:md|markdown|mdx|txt)$/i

export interface Sources {
  records: SourceRecord[]
  /** Files that fit but were not read: a link, over 256 KB, or one too many. */
  unread: number
}

/**
 * The decision and plan files that the configuration names, read and parsed; files changed since base first, then the
 * newest names. Only files that git lists (tracked, or new and not ignored) and that are plain files. Git is not asked
 * again, and without a candidate the glob library is not loaded. Their secrets are remembered by the scanner.
 */
export async function readSources(
  git: GitState | null,
  globs: readonly string[],
  scanner: Pick<Scanner, 'collect'>,
): Promise<Sources> {
  const paths = git === null ? [] : await matching(git, globs)
  if (git === null || paths.length === 0) return { records: [], unread: 0 }
  const changed = new Set([
    ...git.changes.map(({ path }) => path),
    ...git.commits.flatMap(({ files }) => files),
  ])
  // Records are numbered or dated, so the last name is the newest.
  paths.sort((a, b) => Number(changed.has(b)) - Number(changed.has(a)) || (a < b ? 1 : -1))
  const read = await Promise.all(paths.slice(0, MAX_READ).map((path) => readSource(git.root, path)))
  const records: SourceRecord[] = []
  for (const one of read) {
    if (typeof one !== 'object' || one === null) continue
    scanner.collect(one.text)
    records.push({
      path: one.path,
      decision: readDecisionRecord(one.text),
      items: readPlanFile(one.path, one.text),
    })
  }
  records.sort((a, b) => (a.path < b.path ? -1 : 1))
  return {
    records,
    unread: Math.max(0, paths.length - MAX_READ) + read.filter((one) => one === 'refused').length,
  }
}

async function readSource(
  root: string,
  path: string,
): Promise<{ path: string; text: string } | 'refused' | 'gone'> {
  try {
    const text = await readPlain(root, path)
    return text === null ? 'gone' : { path, text }
  } catch (error) {
    // A link out of the repository, a pipe, a file without end: left out, and said.
    if (isHandoffError(error)) return 'refused'
    throw error
  }
}

/** Paths of text files that a glob fits. What stands before the first special character costs no more than a look. */
async function matching({ root, files }: GitState, globs: readonly string[]): Promise<string[]> {
  const found = new Set<string>()
  const patterns: string[] = []
  for (const glob of globs) {
    const special = glob.search(/[*?[\](){}!+@\\]/)
    if (special === -1) {
      if (files.has(glob)) found.add(glob)
      continue
    }
    const folder = glob.slice(0, glob.lastIndexOf('/', special) + 1)
    if (folder.startsWith('/') || folder.split('/').includes('..')) continue
    if (folder === '' || existsSync(join(root, folder))) patterns.push(glob)
  }
  if (patterns.length > 0) {
    const { default: picomatch } = await import('picomatch')
    const fits = picomatch(patterns, { dot: true })
    for (const path of files) if (TEXT.test(path) && fits(path)) found.add(path)
  }
  return [...found].filter((path) => TEXT.test(path))
}
