import { lstatSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { orNull } from '../errors/handoff-error.ts'
import type { GitChange, GitCommit } from '../types/git.ts'
import type { Repo } from './open-repo.ts'
import { logRecords } from './read-history.ts'
import { askAbout, isPartial } from './refs.ts'
import { readStatus } from './status.ts'

/** Commits of both sides that are looked at; counting further would tell nothing more. */
export const MOST_COMMITS = 1000
/** Paths are patterns of ours here, so that handoff's own folder can be left out. */
const AS_PATTERNS = { env: { GIT_LITERAL_PATHSPECS: '0' } }
const OTHERS = ['--', '.', ':(exclude).handoff']

/** Its files are those it changed, without those in `.handoff/`. */
export type SinceCommit = Pick<GitCommit, 'sha' | 'subject' | 'files'>

/** How HEAD's line of work stands to the commit a brief was made at; at most `MOST_COMMITS` in all, without merges. */
export interface Since {
  /** What HEAD has more, newest first, without commits of handoff's own folder alone and without rewritten ones that it had before. */
  ahead: SinceCommit[]
  /** What HEAD lacks. `isRewritten`: it has a commit of the same author, author date and subject, which a rebase keeps. */
  lacking: (SinceCommit & { isRewritten: boolean })[]
  /** Commits that HEAD has more and that touch only handoff's own folder. */
  own: number
}

const LOG = [
  ...['log', '-z', `--max-count=${MOST_COMMITS}`, '--no-renames', '--no-ext-diff', '--raw', '--no-abbrev'],
  ...['--no-merges', '--left-right', '--format=%x01%m%H%x00%s%x00%ae %at%x00', '--end-of-options'],
]

/** Null when one of the two commits is not in this clone. Throws `gitFailed`. */
export async function readSince(repo: Repo, head: string, now: string): Promise<Since | null> {
  const ended = await askAbout(repo, [head, now], [...LOG, `${head}...${now}`, '--'])
  if (ended === null) return null
  const all = logRecords(ended.stdout.toString('utf8'), 3)
    .filter(({ changes }) => changes.length > 0)
    .map(({ head: [id = '', subject = '', authored = ''], changes }) => ({
      isAhead: id.startsWith('>'),
      identity: `${authored} ${subject}`,
      commit: {
        sha: id.slice(1),
        subject,
        files: changes.map(({ path }) => path).filter((path) => !path.startsWith('.handoff/')),
      },
    }))
  const others = all.filter(({ commit }) => commit.files.length > 0)
  const ahead = others.filter(({ isAhead }) => isAhead)
  const here = new Set(ahead.map(({ identity }) => identity))
  const before = new Set(others.flatMap(({ isAhead, identity }) => (isAhead ? [] : [identity])))
  return {
    ahead: ahead.flatMap(({ identity, commit }) => (before.has(identity) ? [] : [commit])),
    lacking: others.flatMap(({ isAhead, identity, commit }) =>
      isAhead ? [] : [{ ...commit, isRewritten: here.has(identity) }],
    ),
    own: all.filter(({ isAhead, commit }) => isAhead && commit.files.length === 0).length,
  }
}

/** The local branch of that name that still has the commit, or a remote's, as it is called; null when none has. */
export async function refWith(repo: Repo, commit: string, branch: string | null): Promise<string | null> {
  const patterns = [`refs/heads/${branch}`, `refs/remotes/*/${branch}`]
  const args = ['for-each-ref', '--format=%(refname:short)', `--contains=${commit}`, ...patterns]
  const found = branch === null ? null : await askAbout(repo, [commit], args)
  return found?.stdout.toString('utf8').split('\n')[0] || null
}

/** What became of paths between a commit and HEAD. */
export interface Changed {
  /** Old path → new path. */
  renamed: Map<string, string>
  /** In code-unit order. */
  changed: string[]
  added: string[]
  gone: string[]
  /** Where they were asked for: lines added and deleted, by the new path; nothing for what is not text. */
  lines: Lines
}

type Lines = Map<string, { added: number; deleted: number }>

/**
 * What differs between two commits outside `.handoff/`; null when one is not here. In a partial clone contents are not compared to find
 * renames.
 */
export async function readChanged(
  repo: Repo,
  from: string,
  to: string,
  { isCounted = false } = {},
): Promise<Changed | null> {
  const find = isPartial(repo) ? ['-M100%'] : ['-M', ...(isCounted ? ['--numstat'] : [])]
  const args = ['diff', '--raw', '-z', '--no-ext-diff', ...find, '--end-of-options', from, to]
  const ended = await askAbout(repo, [from, to], [...args, ...OTHERS], AS_PATTERNS)
  if (ended === null) return null
  const text = ended.stdout.toString('utf8')
  const found: Changed = { renamed: new Map(), changed: [], added: [], gone: [], lines: linesIn(text) }
  const [record] = logRecords(text)
  for (const { status, path, from } of record?.changes ?? []) {
    if (from !== undefined) found.renamed.set(from, path)
    else (status === 'A' ? found.added : status === 'D' ? found.gone : found.changed).push(path)
  }
  return found
}

/** Lines added and deleted in each of these files; nothing for what is not text. A rename needs both of its paths. */
async function readLines(repo: Repo, from: string, to: string, paths: readonly string[]): Promise<Lines> {
  if (paths.length === 0) return new Map()
  const args = ['diff', '--numstat', '-z', '-M', '--no-ext-diff', '--no-textconv', '--end-of-options']
  return linesIn(await repo.git([...args, from, to, '--', ...paths]))
}

/** What `--numstat` says: the path stands in the field, and of a rename both stand behind it. */
function linesIn(text: string): Lines {
  const fields = text.matchAll(/(?<=^|\0)(\d+)\t(\d+)\t(?:\0[^\0]+\0)?([^\0]+)\0/g)
  return new Map(
    [...fields].map(([, added, deleted, path = '']) => [
      path,
      { added: Number(added), deleted: Number(deleted) },
    ]),
  )
}

/** Those of the paths that a commit holds, as a file, a link or a submodule. Throws `gitFailed`. */
async function pathsAt(repo: Repo, commit: string, paths: readonly string[]): Promise<Set<string>> {
  if (paths.length === 0) return new Set()
  const args = ['ls-tree', '-z', '--full-tree', '--name-only', commit, '--', ...paths]
  const text = await repo.git(args)
  return new Set(text.split('\0').filter((path) => path !== ''))
}

/** How paths stood in one commit, stand in another and in the work tree. */
export interface Named {
  /** In the older commit; empty when that is not known. */
  then: ReadonlySet<string>
  now: ReadonlySet<string>
  /** What differs between the two; null when that is not known. */
  changed: Changed | null
  lines: Lines
  /** How they stand in the index and the work tree, where that is not as in HEAD. */
  work: ReadonlyMap<string, GitChange>
  onDisk: ReadonlySet<string>
  /** Old path → new path: renamed and committed, or only staged. */
  renamed: ReadonlyMap<string, string>
}

/**
 * What became of these paths, byte for byte, between a commit (null: not known) and HEAD (null: none yet) and in the work
 * tree: four processes side by side, then at most two. `isBare`: `now` is not what is checked out, so the work tree says
 * nothing. Throws `gitFailed`.
 */
export async function readNamed(
  repo: Repo,
  from: string | null,
  now: string | null,
  paths: readonly string[],
  { isBare = false } = {},
): Promise<Named> {
  const [then, here, changed, status] = await Promise.all([
    from === null ? new Set<string>() : pathsAt(repo, from, paths),
    now === null ? new Set<string>() : pathsAt(repo, now, paths),
    from === null || now === null ? null : readChanged(repo, from, now),
    isBare || paths.length === 0 ? [] : readStatus(repo, paths).then(({ changes }) => changes),
  ])
  const own = new Set(paths)
  const moved = [...(changed?.renamed ?? [])].filter(([path]) => own.has(path))
  const touched = [...(changed?.changed ?? []), ...(changed?.added ?? [])].filter((path) => own.has(path))
  const isMoving = now !== null && status.some(({ state, staged }) => state === 'deleted' && staged)
  const [lines, staged] = await Promise.all([
    from === null || now === null || isPartial(repo)
      ? new Map<string, never>()
      : readLines(repo, from, now, [...touched, ...moved.flat()]),
    // Where to, the status of the old paths alone does not say.
    isMoving ? readStatus(repo).then(({ changes }) => changes) : [],
  ])
  return {
    then,
    now: here,
    changed,
    lines,
    work: new Map(status.map((change) => [change.path, change])),
    onDisk: new Set(
      isBare ? [] : paths.filter((path) => orNull(() => lstatSync(join(repo.root, path))) !== null),
    ),
    renamed: new Map([...moved, ...staged.flatMap(renameOf).filter(([path]) => own.has(path))]),
  }
}

const renameOf = ({ state, from, path }: GitChange): [string, string][] =>
  state === 'renamed' && from !== undefined ? [[from, path]] : []

/**
 * What merging two commits would give, by `git merge-tree` (git 2.38): the paths that conflict, or `why` that could not be tried. Its objects
 * go to a folder of their own, which is removed.
 */
export async function tryMerge(repo: Repo, ours: string, theirs: string) {
  const because = (why: string) => ({ conflicts: [], why })
  if (isPartial(repo)) return because('this clone is partial, and files would have to be fetched')
  const folder = mkdtempSync(join(tmpdir(), 'handoff-merge-'))
  try {
    const args = ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', ours, theirs]
    const objects = join(repo.commonDir, 'objects')
    // In quotation marks a path may hold the mark between paths.
    const env = { GIT_OBJECT_DIRECTORY: folder, GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(objects) }
    const { code, stdout } = await repo.run(args, { env })
    const paths = stdout.toString('utf8').split('\0').slice(1)
    if (code === 0 || code === 1) return { conflicts: [...new Set(paths)].filter(Boolean), why: null }
    if (code === 129) return because('git before 2.38 cannot')
    const isCut = 'this clone is shallow, and what both grew from may not be in it'
    return because(repo.shallow ? isCut : 'git finds no commit that the two have in common')
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}
