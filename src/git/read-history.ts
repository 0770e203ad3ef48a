import { BRIEFS, idOfPath } from './brief-path.ts'
import { failure } from './git.ts'
import { readBlobs } from './objects.ts'
import type { Repo } from './open-repo.ts'
import { hasCommits, rangeEnds } from './refs.ts'

/** A brief as a commit brought it; it may be gone from the tree since. */
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
  /** The path stood there before with another content. */
  edited?: true
}

/** Which history: everything, a range of commits, or the current branch and the full names in `also`. */
export interface HistoryOptions {
  all?: boolean
  /** `a..b` as `changedBlobs` takes it. */
  range?: string
  also?: readonly string[]
}

/** Every brief ever added, each path and content once: what `walkHistory` finds without what was edited. Throws `gitFailed`, `badRevision`. */
export async function readHistory(repo: Repo, options: HistoryOptions = {}): Promise<HistoryEntry[]> {
  const { entries, broken } = await walkHistory(repo, options)
  if (broken !== null) throw broken
  return entries.filter(({ edited }) => edited === undefined)
}

/**
 * Every brief ever added and what was put in its place later (`edited`), newest commit first, each path and content once, from one
 * process. `all`: every branch, remote-tracking branch, tag, parked brief and HEAD of a worktree. A shallow clone gives what it has.
 * `broken`: why git could not walk on; what came before is given. Contents: `readBlobs`. Throws `badRevision`.
 */
export async function walkHistory(
  repo: Repo,
  options: HistoryOptions,
): Promise<{ entries: HistoryEntry[]; broken: Error | null }> {
  const range = await rangeOf(repo, options)
  if (range === null) return { entries: [], broken: null }
  // --full-history: a side branch whose brief was removed before the merge would otherwise be left out; -c: briefs that
  // only a merge commit brought. With --sparse git compares each commit with its parent once, else twice, which in a
  // folder of thousands is all the time it takes; the filter keeps commits that brought nothing out of the answer.
  const args = [
    ...['log', '-z', '-c', '--raw', '--no-abbrev', '--no-renames', '--full-history', '--sparse', '--source'],
    ...['--diff-filter=d', '--format=%x01%H %at %S', ...range, '--', BRIEFS],
  ]
  const result = await repo.run(args)
  const seen = new Set<string>()
  const entries = rawRecords(result.stdout.toString('utf8')).flatMap(
    ({ head, raw, path }): HistoryEntry[] => {
      const { oid, mode, added } = raw
      const id = idOfPath(path)
      const key = `${path}\0${oid}\0${added}`
      if (id === null || seen.has(key)) return []
      seen.add(key)
      const [, commit = '', seconds = '', ref = ''] = /^(\S+) (\S*) (.*)$/s.exec(head) ?? []
      const entry = { id, path, oid, mode, commit, at: timeOf(seconds), ref: ref.trim() }
      return [added ? entry : { ...entry, edited: true }]
    },
  )
  return { entries, broken: result.code === 0 ? null : failure(args, result) }
}

/** What people's tools keep there is no line of work. */
const NOT_OURS = ['refs/stash', 'refs/notes/*', 'refs/replace/*', 'refs/bisect/*']

async function rangeOf(repo: Repo, { all, range, also = [] }: HistoryOptions): Promise<string[] | null> {
  if (range !== undefined) {
    const [from, to] = await rangeEnds(repo, range)
    return [`${from}..${to}`]
  }
  if (all) return [...NOT_OURS.map((refs) => `--exclude=${refs}`), '--all']
  const refs = [...((await hasCommits(repo)) ? ['HEAD'] : []), ...also]
  return refs.length === 0 ? null : refs
}

/** A commit may claim any time, or none. */
function timeOf(seconds: string): string {
  const time = new Date(Number(seconds) * 1000)
  return Number.isNaN(time.getTime()) ? new Date(0).toISOString() : time.toISOString()
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

/** Reads the output of `-z --raw --no-abbrev`. `head`: what the format tells of the commit behind its mark, \x01; empty without one. */
export function rawRecords(text: string): { head: string; raw: RawChange; path: string }[] {
  const found: ReturnType<typeof rawRecords> = []
  let head = ''
  let raw: RawChange | null = null
  for (const part of text.split('\0')) {
    const field = part.replace(/^\n+/, '')
    if (field.startsWith('\x01')) head = field.slice(1)
    else if (field.startsWith(':')) raw = parseRaw(field)
    else if (raw !== null && field !== '') {
      found.push({ head, raw, path: field })
      raw = null
    }
  }
  return found
}

/** The head of one `--raw --no-abbrev` record: `:modes… oids… status`, with one colon per parent. */
function parseRaw(field: string): RawChange | null {
  const colons = /^:+/.exec(field)?.[0].length ?? 0
  const parts = field.slice(colons).split(' ')
  const mode = parts[colons]
  const oid = parts[2 * colons + 1]
  const status = parts[2 * colons + 2]
  if (mode === undefined || oid === undefined || !status) return null
  return { mode, oid, status: status.at(-1) ?? status, added: /^A+$/.test(status) }
}

/** The commit that brought a file, and the bytes it brought. */
export interface FirstAdded {
  commit: string
  /** Empty where history begins there, or a shallow clone ends. */
  parents: string[]
  oid: string
}

/** The walk ends at the first commit that is older, and clocks of other machines are wrong: a week. */
const SLACK_MS = 7 * 86_400_000

/**
 * The commit of `tips` (full ids or refs, or `--all`) that added a file, or null. The walk ends at `after` when that is known,
 * else at commits well before `made` (ISO 8601), so that a long history is not read.
 */
export async function firstAdded(
  repo: Repo,
  path: string,
  { tips, after, made }: { tips: readonly string[]; after: string | null; made: string },
): Promise<FirstAdded | null> {
  const start = Date.parse(made)
  const args = [
    ...['log', '-1', '-z', '--diff-filter=A', '--raw', '--no-abbrev', '--no-renames', '--format=%H %P'],
    ...(Number.isNaN(start) ? [] : [`--since=${new Date(start - SLACK_MS).toISOString()}`]),
    ...tips,
    ...(after === null ? [] : [`^${after}`]),
  ]
  const { code, stdout } = await repo.run([...args, '--', path])
  if (code !== 0) return null
  const [told = '', raw = ''] = stdout.toString('utf8').split('\0')
  const [commit, ...parents] = told.trim().split(' ')
  const added = parseRaw(raw.trimStart())
  return commit === undefined || commit === '' || added === null ? null : { commit, parents, oid: added.oid }
}

/** A file as the commit had it that brought it last; null for one that no commit brought. Throws `gitFailed`. */
export async function firstVersion(repo: Repo, path: string): Promise<Buffer | null> {
  const log = ['log', '-1', '--diff-filter=A', '--no-renames', '--raw', '--no-abbrev', '--format=']
  // Without a commit there is no log.
  const told = await repo.git([...log, 'HEAD', '--', path]).catch(() => '')
  const [, oid = ''] = /^:\d+ \d+ [0-9a-f]+ ([0-9a-f]+) A\t/.exec(told) ?? []
  return (await readBlobs(repo, [oid])).get(oid) ?? null
}
