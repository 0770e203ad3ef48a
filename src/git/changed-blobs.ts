import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { orNull } from '../errors/handoff-error.ts'
import type { Repo } from './open-repo.ts'
import { rawRecords } from './read-history.ts'
import { type RangeEnds, rangeEnds } from './refs.ts'

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
 * What the next commit would change under `prefix` (a folder or file, relative to the root). Inside a hook of git that
 * is the index git is committing from, `GIT_INDEX_FILE`: with `commit -a` or `commit <paths>` another one than the
 * user's. In a merge or pick what comes from the other side as it is there counts for nothing new. Throws `gitFailed`.
 */
export async function stagedBlobs(repo: Repo, prefix: string): Promise<ChangedBlob[]> {
  const env = { GIT_INDEX_FILE: hookIndex(repo) }
  const others = ['MERGE_HEAD', 'CHERRY_PICK_HEAD'].flatMap((name) => commitsIn(join(repo.gitDir, name)))
  const [text, ...trees] = await Promise.all([
    repo.git([...DIFF, '--cached', '--', prefix], { env }),
    ...others.map((oid) => repo.git(['ls-tree', '-r', '-z', oid, '--', prefix])),
  ])
  const theirs = new Set(trees.flatMap((tree) => tree.split('\0')))
  return rawRecords(text)
    .map(({ raw, path }) => toBlob(raw, path))
    .filter(({ mode, oid, path }) => !theirs.has(`${mode} blob ${oid}\t${path}`))
}

/** Commit ids that git keeps in a file, one a line, while an operation is unfinished. */
function commitsIn(file: string): string[] {
  const text = orNull(() => readFileSync(file, 'utf8'))
  return text?.match(/^[0-9a-f]{40,64}$/gm) ?? []
}

/**
 * Every blob under `prefix` that a commit of the range `a..b` (or `a...b`, or `a` for `a..HEAD`) brought, each path and
 * content once, including those gone again before `b`, and paths deleted between the ends. Throws `badRevision`, also
 * when a shallow clone does not hold `a`.
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
  for (const { head, raw, path } of rawRecords(history)) if (raw.status !== 'D') add(toBlob(raw, path), head)
  // What only the ends tell: deletions, and changes that a merge took from nowhere.
  for (const { raw, path } of rawRecords(diff)) {
    const blob = toBlob(raw, path)
    // After several merges to and fro more than one commit is where they parted, and this is measured from one of them.
    if (blob.oid === null || !theirs.has(`${blob.oid}\t${path}`)) add(blob, to)
  }
  return [...found.values()].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
}

const DIFF = 'diff --raw -z --no-abbrev --no-renames --no-ext-diff --ignore-submodules=none'.split(' ')

const STATES = { A: 'added', M: 'modified', D: 'deleted', T: 'type-changed' } as const

function toBlob(raw: { status: string; oid: string; mode: string }, path: string): ChangedBlob {
  const state = STATES[raw.status as keyof typeof STATES] ?? 'modified'
  return { path, oid: state === 'deleted' ? null : raw.oid, mode: raw.mode, state }
}

/** The index a hook of this repository was given. One that lies beside another repository's HEAD is not meant for us. */
function hookIndex(repo: Repo): string | undefined {
  const given = repo.env.GIT_INDEX_FILE
  if (given === undefined || given === '') return undefined
  const path = resolve(repo.root, given)
  if (!existsSync(path)) return undefined
  const inside = !relative(repo.gitDir, path).startsWith('..')
  return inside || !existsSync(join(dirname(path), 'HEAD')) ? path : undefined
}
