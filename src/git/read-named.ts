import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { orNull } from '../errors/handoff-error.ts'
import type { GitChange } from '../types/git.ts'
import type { Repo } from './open-repo.ts'
import { readStatus } from './status.ts'

/** What became of paths between a commit and HEAD. */
export interface Changed {
  /** Old path → new path. */
  renamed: Map<string, string>
  /** In code-unit order. */
  changed: string[]
  added: string[]
  gone: string[]
}

/** Enough for a large move; more would take seconds. */
const RENAMES = 1000
const ENV = { env: { GIT_LITERAL_PATHSPECS: '0' } }
const NOT_OURS = ['--', '.', ':(exclude).handoff']

/**
 * What differs between two commits without handoff's own folder; null when one is not here. `renames`: above so many files on one
 * side no contents are compared to find renames; `exact`: none are read at all.
 */
export async function readChanged(
  repo: Repo,
  from: string,
  to: string,
  renames: number | 'exact' = RENAMES,
): Promise<Changed | null> {
  const find = renames === 'exact' ? ['-M100%'] : ['-M', `-l${renames}`]
  const args = ['diff', '--name-status', '-z', '--no-ext-diff', ...find, '--end-of-options', from, to]
  const { code, stdout } = await repo.run([...args, ...NOT_OURS], ENV)
  if (code !== 0) return null
  return parseChanged(stdout.toString('utf8'))
}

/** Reads `git diff --name-status -z`. */
function parseChanged(text: string): Changed {
  const fields = text.split('\0')
  const found: Changed = { renamed: new Map(), changed: [], added: [], gone: [] }
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [status = '', path = ''] = [fields[at], fields[at + 1]]
    if (status.startsWith('R')) found.renamed.set(path, fields[++at + 1] ?? '')
    else if (status === 'A') found.added.push(path)
    else if (status === 'D') found.gone.push(path)
    else found.changed.push(path)
  }
  return found
}

/** Lines added and deleted in each of these files; nothing for what is not text. A rename needs both of its paths. */
async function readLines(
  repo: Repo,
  from: string,
  to: string,
  paths: readonly string[],
): Promise<Map<string, { added: number; deleted: number }>> {
  const found = new Map<string, { added: number; deleted: number }>()
  if (paths.length === 0) return found
  const args = ['diff', '--numstat', '-z', '-M', '--no-ext-diff', '--no-textconv', '--end-of-options']
  const text = await repo.git([...args, from, to, '--', ...paths])
  const fields = text.split('\0')
  for (let at = 0; at < fields.length; at++) {
    const [, added = '', deleted = '', path = ''] = /^(\d+)\t(\d+)\t(.*)$/s.exec(fields[at] ?? '') ?? []
    if (added === '') {
      if (/^-\t-\t$/.test(fields[at] ?? '')) at += 2
      continue
    }
    const name = path === '' ? (fields[at + 2] ?? '') : path
    if (path === '') at += 2
    found.set(name, { added: Number(added), deleted: Number(deleted) })
  }
  return found
}

/** Those of the paths that a commit holds, as a file, a link or a submodule. Throws `gitFailed`. */
async function pathsAt(repo: Repo, commit: string, paths: readonly string[]): Promise<Set<string>> {
  if (paths.length === 0) return new Set()
  const args = ['ls-tree', '-z', '--full-tree', '--name-only', commit, '--', ...paths]
  const text = await repo.git(args)
  return new Set(text.split('\0').filter((path) => path !== ''))
}

/** What was renamed in the index and is in no commit yet: old path → new path. Throws `gitFailed`. */
async function stagedRenames(repo: Repo): Promise<ReadonlyMap<string, string>> {
  const args = ['diff', '--cached', '--name-status', '-z', '--no-ext-diff', '-M', `-l${RENAMES}`]
  return parseChanged(await repo.git([...args, 'HEAD', '--'])).renamed
}

/** How paths stood in one commit, stand in another and in the work tree. */
export interface Named {
  /** In the older commit; empty when that is not known. */
  then: ReadonlySet<string>
  now: ReadonlySet<string>
  /** What differs between the two; null when that is not known. */
  changed: Changed | null
  lines: ReadonlyMap<string, { added: number; deleted: number }>
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
  const lacks = isPartial(repo)
  const [then, here, changed, status] = await Promise.all([
    from === null ? new Set<string>() : pathsAt(repo, from, paths),
    now === null ? new Set<string>() : pathsAt(repo, now, paths),
    from === null || now === null ? null : readChanged(repo, from, now, lacks ? 'exact' : RENAMES),
    isBare || paths.length === 0 ? [] : readStatus(repo, paths).then(({ changes }) => changes),
  ])
  const own = new Set(paths)
  const moved = [...(changed?.renamed ?? [])].filter(([path]) => own.has(path))
  const touched = [...(changed?.changed ?? []), ...(changed?.added ?? [])].filter((path) => own.has(path))
  const isMoving = now !== null && status.some(({ state, staged }) => state === 'deleted' && staged)
  const [lines, staged] = await Promise.all([
    from === null || now === null || lacks
      ? new Map<string, never>()
      : readLines(repo, from, now, [...touched, ...moved.flat()]),
    isMoving ? stagedRenames(repo) : new Map<string, string>(),
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
    renamed: new Map([...moved, ...[...staged].filter(([path]) => own.has(path))]),
  }
}

/** Where contents of old commits may have to be fetched first, which a question must not do. */
export const isPartial = (repo: Repo): boolean =>
  orNull(() => readdirSync(join(repo.commonDir, 'objects', 'pack')))?.some((name) =>
    name.endsWith('.promisor'),
  ) === true
