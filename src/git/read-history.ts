import { BRIEFS, idOfPath } from './brief-path.ts'
import type { Repo } from './open-repo.ts'
import { hasCommits } from './read-head.ts'
import { rangeEnds } from './revision.ts'
import { streamGit } from './spawn.ts'

/** A brief as it was added by a commit; it may be gone from the tree since. */
export interface HistoryEntry {
  id: string
  path: string
  oid: string
  mode: string
  commit: string
  /** Author's time, ISO 8601 UTC. */
  at: string
  /** A full ref from which the commit was reached; `HEAD` for the current branch. */
  ref: string
}

/**
 * Every brief ever added, newest commit first, each path and content once, from one streaming process. `all`: every
 * branch, remote-tracking branch, tag, parked brief and HEAD of a worktree; `range`: `a..b` as `changedBlobs` takes it;
 * else the current branch. A shallow clone gives what it has. Contents: `readBlobs`. Throws `gitFailed`, `badRevision`.
 */
export async function readHistory(
  repo: Repo,
  options: { all?: boolean; range?: string } = {},
): Promise<HistoryEntry[]> {
  const range = await rangeOf(repo, options)
  if (range === null) return []
  // --full-history: a side branch whose brief was removed before the merge would otherwise be left out; -c: briefs
  // that only a merge commit brought.
  const args = [
    ...['log', '-z', '-c', '--raw', '--no-abbrev', '--no-renames', '--full-history', '--source'],
    ...['--format=%x01%H %aI %S', ...range, '--', BRIEFS],
  ]
  const entries = new Map<string, HistoryEntry>()
  const take = historyReader(entries)
  let rest = ''
  const decoder = new TextDecoder()
  for await (const block of streamGit(args, repo.child())) {
    const fields = (rest + decoder.decode(block, { stream: true })).split('\0')
    rest = fields.pop() ?? ''
    for (const field of fields) take(field)
  }
  take(rest)
  return [...entries.values()]
}

async function rangeOf(
  repo: Repo,
  { all, range }: { all?: boolean; range?: string },
): Promise<string[] | null> {
  if (range !== undefined) {
    const [from, to] = await rangeEnds(repo, range)
    return [`${from}..${to}`]
  }
  if (all) return ['--exclude=refs/stash', '--exclude=refs/notes/*', '--all']
  return (await hasCommits(repo)) ? ['HEAD'] : null
}

function historyReader(entries: Map<string, HistoryEntry>): (field: string) => void {
  let commit: Pick<HistoryEntry, 'commit' | 'at' | 'ref'> | undefined
  let raw: RawChange | null = null
  return (part) => {
    const field = part.replace(/^\n+/, '')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the marker of the format above
    const [, sha, at, ref] = /^\x01([0-9a-f]+) (\S+) (.*)$/s.exec(field) ?? []
    if (sha && at && ref !== undefined) {
      commit = { commit: sha, at: new Date(at).toISOString(), ref: ref.trim() }
      raw = null
    } else if (field.startsWith(':')) raw = parseRaw(field)
    else if (raw && commit) {
      const id = idOfPath(field)
      if (id && raw.added && !entries.has(`${field}\0${raw.oid}`))
        entries.set(`${field}\0${raw.oid}`, { id, path: field, oid: raw.oid, mode: raw.mode, ...commit })
      raw = null
    }
  }
}

export interface RawChange {
  mode: string
  /** All zeros when deleted. */
  oid: string
  /** First letter of the status against the last parent. */
  status: string
  /** Added against every parent. */
  added: boolean
}

/** The head of one `--raw --no-abbrev` record: `:modes… oids… status`, with one colon per parent. */
export function parseRaw(field: string): RawChange | null {
  const colons = /^:+/.exec(field)?.[0].length ?? 0
  const parts = field.slice(colons).split(' ')
  const mode = parts[colons]
  const oid = parts[2 * colons + 1]
  const status = parts[2 * colons + 2]
  if (mode === undefined || oid === undefined || !status) return null
  return { mode, oid, status: status.at(-1) ?? status, added: /^A+$/.test(status) }
}
