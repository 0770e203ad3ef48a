import type { GitChange } from '../types/git.ts'

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
