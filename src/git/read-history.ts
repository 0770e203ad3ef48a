import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { orNull } from '../errors/handoff-error.ts'
import { BRIEFS, type BriefBlob, idOfPath } from './files.ts'
import { failure } from './git.ts'
import { readBlobs } from './objects.ts'
import type { Repo } from './open-repo.ts'
import { askAbout, hasCommits, type RangeEnds, rangeEnds, WORK } from './refs.ts'

/** A brief as a commit brought it; it may be gone from the tree since. */
export interface HistoryEntry extends BriefBlob {
  commit: string
  /** Author's time, ISO 8601 UTC. */
  at: string
  /** Who that is, by the mailmap; empty: nobody says. */
  author: string
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
 * Every brief added or `edited`, newest commit first, each path and content once. `broken`: why git walked no further. Throws
 * `badRevision`.
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
    ...['--diff-filter=d', '--format=%x01%H %at %S%x00%aN', ...range, '--', BRIEFS],
  ]
  const result = await repo.run(args)
  const seen = new Set<string>()
  const entries = logRecords(result.stdout.toString('utf8'), 2).flatMap(({ head, changes }) =>
    changes.flatMap(({ oid, mode, added, path }): HistoryEntry[] => {
      const id = idOfPath(path)
      const key = `${path}\0${oid}\0${added}`
      if (id === null || seen.has(key)) return []
      seen.add(key)
      const [, commit = '', seconds = '', ref = ''] = /^(\S+) (\S*) (.*)$/s.exec(head[0] ?? '') ?? []
      const author = head[1]?.trim() ?? ''
      const entry = { id, path, oid, mode, commit, at: timeOf(seconds), author, ref: ref.trim() }
      return [added ? entry : { ...entry, edited: true }]
    }),
  )
  return { entries, broken: result.code === 0 ? null : failure(args, result) }
}

/** What people's tools keep there is no line of work. */
const NOT_OURS = ['refs/stash', `${WORK}*`, 'refs/notes/*', 'refs/replace/*', 'refs/bisect/*']

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
  path: string
  /** Of a rename or copy. */
  from?: string
  mode: string
  /** All zeros when deleted. */
  oid: string
  /** What the first parent had; all zeros when added. */
  before: string
  /** First letter of the status against the last parent. */
  status: string
  /** Added against every parent. */
  added: boolean
}

/**
 * Reads `git log -z --raw --no-abbrev` with a format of \x01 and `count` fields, each but the last ended by NUL; without a format all
 * changes are in one record.
 */
export function logRecords(text: string, count = 1): { head: string[]; changes: RawChange[] }[] {
  const found: ReturnType<typeof logRecords> = []
  const parts = text.split('\0')
  for (let at = 0; at < parts.length; at++) {
    const part = (parts[at] ?? '').replace(/^\n+/, '')
    if (part.startsWith('\x01')) {
      found.push({ head: [part.slice(1), ...parts.slice(at + 1, at + count)], changes: [] })
      at += count - 1
    } else if (part.startsWith(':')) {
      const raw = parseRaw(part)
      const from = /^[RC]$/.test(raw.status) ? { from: parts[++at] ?? '' } : {}
      if (found.length === 0) found.push({ head: [], changes: [] })
      found.at(-1)?.changes.push({ ...raw, ...from, path: parts[++at] ?? '' })
    }
  }
  return found
}

/** `:modes… oids… status`, with one colon per parent. */
function parseRaw(field: string): Omit<RawChange, 'path'> {
  const colons = /^:+/.exec(field)?.[0].length ?? 0
  const parts = field.slice(colons).split(' ')
  const [mode = '', before = '', oid = '', all = ''] = [0, 1, colons + 1, colons + 2].map(
    (at) => parts[colons + at] ?? '',
  )
  return { mode, before, oid, status: all.replace(/\d+$/, '').at(-1) ?? '', added: /^A+$/.test(all) }
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

/** The commit of `tips` that added a file, or null. The walk ends at `after`, or at commits well before `made` (ISO 8601). Throws `gitFailed`. */
export async function firstAdded(
  repo: Repo,
  path: string,
  { tips, after, made }: { tips: readonly string[]; after: string | null; made: string },
): Promise<FirstAdded | null> {
  const start = Date.parse(made)
  const args = [
    ...['log', '-1', '-z', '--diff-filter=A', '--raw', '--no-abbrev', '--no-renames', '--format=%x01%H %P'],
    ...(Number.isNaN(start) ? [] : [`--since=${new Date(start - SLACK_MS).toISOString()}`]),
    ...tips,
    ...(after === null ? [] : [`^${after}`]),
  ]
  const commits = after === null ? tips : [...tips, after]
  const ended = await askAbout(repo, commits, [...args, '--', path])
  const [record] = logRecords(ended?.stdout.toString('utf8') ?? '')
  const [commit = '', ...parents] = record?.head[0]?.trim().split(' ') ?? []
  const oid = record?.changes[0]?.oid
  return commit === '' || oid === undefined ? null : { commit, parents, oid }
}

/** A file as the commit had it that brought it last; null for one that no commit brought. Throws `gitFailed`. */
export async function firstVersion(repo: Repo, path: string): Promise<Buffer | null> {
  const oid = (await firstAdded(repo, path, { tips: ['HEAD'], after: null, made: '' }))?.oid ?? ''
  return (await readBlobs(repo, [oid])).get(oid) ?? null
}

/** A file that is staged or was changed. */
export interface ChangedBlob {
  path: string
  /** Null when the path was deleted. */
  oid: string | null
  mode: string
  state: 'added' | 'modified' | 'deleted' | 'type-changed'
}

/** A blob that some commit of a range brought. */
export interface RangeBlob extends ChangedBlob {
  /** The commit that brought it. */
  commit: string
  /** It stands like this at the end of the range; what does not is still in the history that a push would publish. */
  final: boolean
}

/**
 * What the next commit changes under `prefix`; in a hook by the index that git commits from. What a merge brings as it is does not count.
 */
export async function stagedBlobs(repo: Repo, prefix: string): Promise<ChangedBlob[]> {
  const env = { GIT_INDEX_FILE: hookIndex(repo) }
  const others = ['MERGE_HEAD', 'CHERRY_PICK_HEAD'].flatMap((name) => commitsIn(join(repo.gitDir, name)))
  const [text, ...trees] = await Promise.all([
    repo.git([...DIFF, '--cached', '--', prefix], { env }),
    ...others.map((oid) => repo.git(['ls-tree', '-r', '-z', oid, '--', prefix])),
  ])
  const theirs = new Set(trees.flatMap((tree) => tree.split('\0')))
  return logRecords(text)
    .flatMap(({ changes }) => changes.map(toBlob))
    .filter(({ mode, oid, path }) => !theirs.has(`${mode} blob ${oid}\t${path}`))
}

/** Commit ids that git keeps in a file, one a line, while an operation is unfinished. */
function commitsIn(file: string): string[] {
  const text = orNull(() => readFileSync(file, 'utf8'))
  return text?.match(/^[0-9a-f]{40,64}$/gm) ?? []
}

/**
 * Every blob under `prefix` that a commit of the range brought, also one that is gone at its end, and deleted paths. Throws `badRevision`.
 */
export async function changedBlobs(
  repo: Repo,
  range: string | RangeEnds,
  prefix: string,
): Promise<RangeBlob[]> {
  const [from, to, without] = typeof range === 'string' ? await rangeEnds(repo, range) : range
  // --full-history: a side branch that took its brief back before it was merged would be left out.
  const log = ['log', '-z', '-c', '--raw', '--no-abbrev', '--no-renames', '--full-history', '--format=%x01%H']
  const treeOf = (commit: string) => repo.git(['ls-tree', '-r', '-z', commit, '--', prefix])
  const [history, diff, tree, other] = await Promise.all([
    repo.git([...log, to, `^${from}`, `^${without}`, '--', prefix]),
    repo.git([...DIFF, from, to, '--', prefix]),
    treeOf(to),
    without === from ? '' : treeOf(without),
  ])
  const linesOf = (listing: string) =>
    new Set(listing.split('\0').map((record) => record.replace(/^\d+ \w+ /, '')))
  const [final, theirs] = [linesOf(tree), linesOf(other)]
  const found = new Map<string, RangeBlob>()
  const add = (blob: ChangedBlob, commit: string) => {
    const line = `${blob.oid ?? ''}\t${blob.path}`
    if (!found.has(line)) found.set(line, { ...blob, commit, final: blob.oid === null || final.has(line) })
  }
  for (const { head, changes } of logRecords(history))
    for (const one of changes) if (one.status !== 'D') add(toBlob(one), head[0] ?? '')
  // What only the ends tell: deletions, and changes that a merge took from nowhere.
  // After several merges to and fro more than one commit is where they parted, and this is measured from one of them.
  for (const blob of logRecords(diff).flatMap(({ changes }) => changes.map(toBlob)))
    if (blob.oid === null || !theirs.has(`${blob.oid}\t${blob.path}`)) add(blob, to)
  return [...found.values()].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
}

const DIFF = 'diff --raw -z --no-abbrev --no-renames --no-ext-diff --ignore-submodules=none'.split(' ')

const STATES = { A: 'added', M: 'modified', D: 'deleted', T: 'type-changed' } as const

function toBlob({ status, oid, mode, path }: RawChange): ChangedBlob {
  const state = STATES[status as keyof typeof STATES] ?? 'modified'
  return { path, oid: state === 'deleted' ? null : oid, mode, state }
}

/** The index a hook of this repository was given. One that lies beside another repository's HEAD is not meant for us. */
function hookIndex(repo: Repo): string | undefined {
  const path = resolve(repo.root, repo.env.GIT_INDEX_FILE || repo.indexPath)
  const isOurs = !relative(repo.gitDir, path).startsWith('..') || !existsSync(join(dirname(path), 'HEAD'))
  return isOurs && existsSync(path) ? path : undefined
}
