import { mayHoldItems, readDecisionRecord, readPlanFile } from '../brief/records.ts'
import { readGoal } from '../facts/words.ts'
import { changedPaths, matters, namesGoal } from '../facts/work-items.ts'
import type { Scanner } from '../secrets/scanner.ts'
import { createReader } from '../store/plain-file.ts'
import type { Config } from '../types/config.ts'
import type { SourceRecord } from '../types/evidence.ts'
import type { GitState } from '../types/git.ts'

/** Records read at most: 40 of 5 KB, two of them about the goal, take 11 ms of processor time (measured on a busy machine). */
const MAX_READ = 40
const TEXT = /\.(?:md|markdown|mdx|txt)$/i

export interface Sources {
  records: SourceRecord[]
  /** Files that fit but were not read: a link, over 256 KB, or one too many. */
  unread: number
}

/**
 * The decision and plan files that the configuration names, read and parsed, as far as the work changed them or they name
 * a word of the goal; changed files are looked at first, then the newest names. Only files that git lists (tracked, or new
 * and not ignored) and that are plain files. The secrets of what is kept are remembered by the scanner.
 */
export async function readSources(
  git: GitState | null,
  config: Pick<Config, 'sources'>,
  request: { goal: string; focus: string | null },
  scanner: Pick<Scanner, 'collect'>,
): Promise<Sources> {
  const paths = git === null ? [] : await matching(git, config.sources)
  if (git === null || paths.length === 0) return { records: [], unread: 0 }
  const changed = changedPaths(git)
  const goal = readGoal(request.goal, request.focus).words
  // Records are numbered or dated, so the last name is the newest.
  paths.sort((a, b) => Number(changed.has(b)) - Number(changed.has(a)) || (a < b ? 1 : -1))
  const read = createReader(git.root)
  const records: SourceRecord[] = []
  let unread = Math.max(0, paths.length - MAX_READ)
  for (const path of paths.slice(0, MAX_READ)) {
    const file = read(path)
    if (file === 'refused') unread += 1
    if (file === null || file === 'refused') continue
    const { text } = file
    const record: SourceRecord = {
      path,
      decision: changed.has(path) || namesGoal(headOf(path, text), goal) ? readDecisionRecord(text) : null,
      items: mayHoldItems(path, text) ? readPlanFile(path, text) : [],
    }
    if (!matters(record, changed, goal)) continue
    scanner.collect(text)
    records.push(record)
  }
  records.sort((a, b) => (a.path < b.path ? -1 : 1))
  return { records, unread }
}

/** What of a record is compared with the goal: one look instead of a pass, for most records are about other things. */
const headOf = (path: string, text: string): string =>
  [path, ...(text.match(/^# .*$|\bchosen option.*$/gim) ?? [])].join(' ')

/** Paths of text files that a glob fits. The library is loaded where there is a glob. */
async function matching({ files }: GitState, globs: readonly string[]): Promise<string[]> {
  if (globs.length === 0) return []
  const { default: picomatch } = await import('picomatch')
  const fits = picomatch([...globs], { dot: true })
  return [...files].filter((path) => TEXT.test(path) && fits(path))
}
