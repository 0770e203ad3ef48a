import type { GitChange } from '../types/git.ts'
import type { Repo } from './open-repo.ts'

/**
 * The status with every untracked file, or of these paths alone, byte for byte. Where a filter's program is missing, the files are compared
 * as they are. Throws `gitFailed`.
 */
export function readStatus(repo: Repo, paths: readonly string[] = []): Promise<Status> {
  const args = ['status', '--porcelain=v2', '-z', '--branch', '--untracked-files=all', '--find-renames']
  if (paths.length > 0) args.push('--', ...paths)
  return withoutBrokenFilters(async (config) => parseStatus(await repo.git([...config, ...args])))
}

/** Runs git, and again without each filter whose program is missing (LFS not installed): git itself gives up then. */
export async function withoutBrokenFilters<T>(
  run: (config: readonly string[]) => Promise<T>,
  broken: readonly string[] = [],
): Promise<T> {
  const config = broken
    .flatMap((name) => [`${name}.clean=`, `${name}.process=`, `${name}.required=false`])
    .flatMap((entry) => ['-c', `filter.${entry}`])
  try {
    return await run(config)
  } catch (error) {
    const name =
      error instanceof Error ? /clean filter '([^'=\n]+)' failed/.exec(error.message)?.[1] : undefined
    if (name === undefined || broken.includes(name)) throw error
    return withoutBrokenFilters(run, [...broken, name])
  }
}

/** What `git status --porcelain=v2 -z --branch` says. */
export interface Status {
  /** Full commit id; null when unborn. */
  head: string | null
  /** Short name; null when detached. */
  branch: string | null
  upstream: string | null
  ahead: number | null
  behind: number | null
  changes: GitChange[]
}

/** Reads the output of `git status --porcelain=v2 -z --branch` (git-status manual, "Porcelain Format Version 2"). */
function parseStatus(text: string): Status {
  const status: Status = {
    head: null,
    branch: null,
    upstream: null,
    ahead: null,
    behind: null,
    changes: [],
  }
  const records = text.split('\0')
  for (let at = 0; at < records.length; at++) {
    const record = records[at] ?? ''
    switch (record[0]) {
      case '#':
        readHeader(status, record)
        break
      case '1':
        status.changes.push(ordinary(record, fieldsAfter(record, 8)))
        break
      case '2': {
        const from = records[++at] ?? ''
        const copied = fieldsAfter(record, 8).startsWith('C')
        const state = copied ? 'added' : 'renamed'
        status.changes.push({ ...ordinary(record, fieldsAfter(record, 9)), from, state })
        break
      }
      case 'u':
        status.changes.push({
          path: fieldsAfter(record, 10),
          staged: false,
          unstaged: true,
          state: 'conflicted',
        })
        break
      case '?':
        status.changes.push({
          // A repository inside this one is listed as a folder.
          path: record.slice(2).replace(/\/$/, ''),
          staged: false,
          unstaged: true,
          state: 'untracked',
        })
    }
  }
  return status
}

function readHeader(status: Status, record: string): void {
  const [, key, ...rest] = record.split(' ')
  const value = rest.join(' ')
  if (key === 'branch.oid') status.head = value === '(initial)' ? null : value
  else if (key === 'branch.head') status.branch = value === '(detached)' ? null : value
  else if (key === 'branch.upstream') status.upstream = value
  else if (key === 'branch.ab') {
    const counts = /^\+(\d+) -(\d+)$/.exec(value)
    status.ahead = Number(counts?.[1] ?? 0)
    status.behind = Number(counts?.[2] ?? 0)
  }
}

/** The rest of a record after its first `count` fields; paths may hold spaces. */
function fieldsAfter(record: string, count: number): string {
  let at = 0
  for (let field = 0; field < count; field++) at = record.indexOf(' ', at) + 1
  return record.slice(at)
}

function ordinary(record: string, path: string): GitChange {
  const index = record[2] ?? '.'
  const tree = record[3] ?? '.'
  const has = (letter: string) => index === letter || tree === letter
  const state = has('D') ? 'deleted' : has('A') ? 'added' : has('T') ? 'type-changed' : 'modified'
  return { path, staged: index !== '.', unstaged: tree !== '.', state }
}
