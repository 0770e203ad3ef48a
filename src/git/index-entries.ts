import { NO_HOOKS } from './environment.ts'
import { keepTrying, underLock } from './locks.ts'
import type { Repo } from './open-repo.ts'
import { zeroId } from './refs.ts'
import { withoutBrokenFilters } from './status.ts'

/** An entry as the index shall have it; `oid` null takes the path out. */
export interface IndexEntry {
  path: string
  mode?: string
  oid: string | null
}

/** More paths than that may be too many for a command line. */
const MAX_ARGUMENTS = 1000

/** Stage-0 entries of these paths in the user's index; absent and conflicted paths are not listed. Throws `gitFailed`. */
export async function readEntries(
  repo: Repo,
  paths: readonly string[],
): Promise<Map<string, { mode: string; oid: string }>> {
  const wanted = new Set(paths)
  const entries = new Map<string, { mode: string; oid: string }>()
  if (wanted.size === 0) return entries
  const named = wanted.size > MAX_ARGUMENTS ? [] : ['--', ...wanted]
  const out = await repo.git(['ls-files', '-s', '-z', ...named])
  for (const record of out.split('\0')) {
    const [, mode, oid, stage, path] = /^(\d+) ([0-9a-f]+) (\d)\t(.*)$/s.exec(record) ?? []
    if (mode && oid && path && stage === '0' && wanted.has(path)) entries.set(path, { mode, oid })
  }
  return entries
}

/**
 * Sets these entries in the user's index, under git's own lock, and leaves all others. They get no size and no time, so that git reads the
 * files at the next status. Takes no abort signal. Throws `Busy`, `gitFailed`; nothing is changed then.
 */
export async function writeEntries(repo: Repo, entries: readonly IndexEntry[]): Promise<void> {
  if (entries.length === 0) return
  const lines = entries.map(({ path, mode = '100644', oid }) =>
    oid === null ? `0 ${zeroId(repo)}\t${path}\0` : `${mode} ${oid}\t${path}\0`,
  )
  const args = ['-c', NO_HOOKS, 'update-index', '-z', '--add', '--index-info']
  // Git reads files that changed in the second in which the index was written, through their filters.
  const write = (config: readonly string[]) =>
    repo.git([...config, ...args], { signal: undefined, input: lines.join('') })
  await underLock(`${repo.indexPath}.lock`, () => withoutBrokenFilters(write))
}

/**
 * Has git read a file anew at the next status: one whose size differs from that in the index it takes for changed, whatever a filter makes
 * of it. Call it when the file was written. Returns null, or why it could not be done, in one clause.
 */
export const forgetStat = (repo: Repo, entry: IndexEntry): Promise<string | null> =>
  keepTrying(() => writeEntries(repo, [entry]), 1000).then(
    () => null,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )
