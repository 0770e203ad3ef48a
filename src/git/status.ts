import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gitFailed } from '../errors/git.ts'
import type { GitChange } from '../types/git.ts'
import type { Repo } from './open-repo.ts'
import { hasCommits, readHead } from './refs.ts'
import { holdsBlob } from './work-file.ts'

/**
 * The status with every untracked file, or of these paths alone, byte for byte. Where a filter's program is missing (LFS not
 * installed), git itself gives up; then the files are compared as they are. Git takes a file for changed when it could not read it, and says no
 * word of it (2.39): where one is as in the index, git is asked again, and one that nobody can read is noted in `repo.missed`. Throws `gitFailed`, also for a HEAD that cannot be read.
 */
export async function readStatus(repo: Repo, paths: readonly string[] = []): Promise<Status> {
  const status = await statusOf(repo, paths)
  if (await isBlind(repo, status)) throw gitFailed(['status'], 'HEAD cannot be read')
  const isDoubtful = status.compared.slice(0, MOST).filter((one) => isAsInIndex(repo, one)).length > 0
  return isDoubtful ? statusOf(repo, paths) : status
}

/** Files that are looked at: beyond that somebody changed what all of them are. */
const MOST = 500

function isAsInIndex(repo: Repo, { path, oid }: Status['compared'][number]): boolean {
  try {
    // Line ends are a change where they were committed as they are and shall not be.
    return holdsBlob(repo, path, oid) && !readFileSync(join(repo.root, path)).includes('\r\n')
  } catch {
    repo.missed.add(path)
    return false
  }
}

/** Of a HEAD that cannot be read git says that it is unknown, or that nothing was committed yet, and ends with 0. */
async function isBlind(repo: Repo, { head, branch }: Status): Promise<boolean> {
  if (branch === '(unknown)') return (await readHead(repo)).ref !== 'refs/heads/(unknown)'
  return head === null && (await hasCommits(repo))
}

function statusOf(repo: Repo, paths: readonly string[]): Promise<Status> {
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
  /** Files of those that differ from the index by their bytes alone, as far as git could read them, and what the index has of them. */
  compared: { path: string; oid: string }[]
}

/** Reads the output of `git status --porcelain=v2 -z --branch` (git-status manual, "Porcelain Format Version 2"). */
export function parseStatus(text: string): Status {
  const status: Status = {
    head: null,
    branch: null,
    upstream: null,
    ahead: null,
    behind: null,
    changes: [],
    compared: [],
  }
  const records = text.split('\0')
  for (let at = 0; at < records.length; at++) {
    const record = records[at] ?? ''
    switch (record[0]) {
      case '#':
        readHeader(status, record)
        break
      case '1':
        addOrdinary(status, record, fieldsAfter(record, 8))
        break
      case '2': {
        const from = records[++at] ?? ''
        const copied = fieldsAfter(record, 8).startsWith('C')
        addOrdinary(status, record, fieldsAfter(record, 9), { from, state: copied ? 'added' : 'renamed' })
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

function addOrdinary(
  { changes, compared }: Status,
  record: string,
  path: string,
  moved: Partial<GitChange> = {},
): void {
  changes.push({ ...ordinary(record, path), ...moved })
  const [, , , , inIndex = '', inTree, , oid = ''] = record.split(' ', 8)
  if (record[3] === 'M' && inIndex === inTree && inIndex.startsWith('100')) compared.push({ path, oid })
}

function ordinary(record: string, path: string): GitChange {
  const index = record[2] ?? '.'
  const tree = record[3] ?? '.'
  const has = (letter: string) => index === letter || tree === letter
  const state = has('D') ? 'deleted' : has('A') ? 'added' : has('T') ? 'type-changed' : 'modified'
  return { path, staged: index !== '.', unstaged: tree !== '.', state }
}
