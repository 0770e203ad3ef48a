import { idOfPath } from '../brief/id.ts'
import type { ParsedBrief } from '../brief/parse.ts'
import { readChain } from '../briefs/read-chain.ts'
import { readParsed } from '../briefs/read-metas.ts'
import { trustedAmong } from '../briefs/trusted-among.ts'
import type { BriefBlob } from '../git/files.ts'
import type { Repo } from '../git/open-repo.ts'
import { changedBlobs } from '../git/read-history.ts'
import type { RangeEnds } from '../git/refs.ts'
import { listSeparateRefs, readSeparateBriefs, workBranch } from '../git/separate-branch.ts'
import type { ReviewedBrief } from '../report/review-work.ts'
import { BRIEFS } from '../store/folder.ts'

/** Briefs that are read; the comment has room for fewer. */
const MOST = 20

/**
 * The briefs that the commits of a range brought, each id once, and those that are kept beside `branch`. The newest are
 * read, whatever their number, and come oldest first; `isForAgent`: of those that are not trusted only the ids. Throws
 * `badRevision`, `gitFailed`.
 */
export async function readRangeBriefs(
  repo: Repo,
  range: RangeEnds,
  branch: string | null,
  isForAgent: boolean,
) {
  const [changed, apart] = await Promise.all([changedBlobs(repo, range, BRIEFS), readApart(repo, branch)])
  const found = new Map<string, Entry>()
  const unreadable = new Set<string>()
  const brought = new Set(changed.filter(({ oid, final }) => oid !== null && !final).map(({ path }) => path))
  for (const { path, oid, mode, state, commit, final } of changed) {
    if (oid === null) continue
    const id = idOfPath(path)
    if (id === null || mode !== '100644') {
      if (final) unreadable.add(path)
      continue
    }
    const before = found.get(id)
    // The oldest commit that brought it made it; the others edited it.
    if (before !== undefined) before.commit = commit
    if (before !== undefined && (before.state !== 'gone' || !final)) continue
    const isEdited = state === 'modified' || brought.has(path)
    found.set(id, { id, path, oid, commit, state: !final ? 'gone' : isEdited ? 'edited' : 'new' })
  }
  for (const entry of apart) if (!found.has(entry.id)) found.set(entry.id, entry)
  const last = [...found.values()].sort((a, b) => (a.id < b.id ? -1 : 1)).slice(-MOST)
  const newest = isForAgent ? [...(await trustedAmong(repo, last))] : last
  const parsed = await parseAll(repo, newest)
  for (const { id, path } of newest) if (!parsed.has(id)) unreadable.add(path)
  const parents = await readParents(repo, parsed, isForAgent)
  const removed = changed.filter(
    ({ oid, path }) => oid === null && idOfPath(path) !== null && !brought.has(path),
  ).length
  return {
    briefs: newest.flatMap(({ id, path, state, commit, apart: ref }): ReviewedBrief[] => {
      const one = parsed.get(id)
      if (one === undefined) return []
      const before = one.meta.parents.flatMap((id) => parsed.get(id) ?? parents.get(id) ?? [])
      const more = ref === undefined ? {} : { apart: ref }
      return [{ parsed: one, path, before, state, commit, ...more }]
    }),
    total: found.size - (last.length - newest.length) - newest.filter(({ id }) => !parsed.has(id)).length,
    removed,
    unreadable: [...unreadable].sort(),
    untrusted: last.filter((entry) => !newest.includes(entry)).map(({ id }) => id),
  }
}

interface Entry {
  id: string
  path: string
  oid: string
  state: ReviewedBrief['state']
  /** That brought it; empty for one on a branch of briefs. */
  commit: string
  apart?: string
}

async function readApart(repo: Repo, branch: string | null): Promise<Entry[]> {
  return (await apartOfBranch(repo, branch)).map(({ id, path, oid, apart }) => ({
    id,
    path,
    oid,
    state: 'new',
    commit: '',
    apart: apart.split('/').slice(2).join('/'),
  }))
}

/** By id; what is too large, gone or no brief is left out: `check` tells what is wrong with it. */
async function parseAll(
  repo: Repo,
  entries: readonly Pick<Entry, 'id' | 'path' | 'oid'>[],
): Promise<Map<string, ParsedBrief>> {
  const read = await readParsed(repo, entries)
  return new Map(
    [...read].flatMap(([id, one]) => (typeof one === 'string' || one.meta.id !== id ? [] : [[id, one]])),
  )
}

async function readParents(
  repo: Repo,
  parsed: ReadonlyMap<string, ParsedBrief>,
  isForAgent: boolean,
): Promise<Map<string, ParsedBrief>> {
  const parents = new Set([...parsed.values()].flatMap(({ meta }) => meta.parents))
  if ([...parents].every((id) => parsed.has(id))) return new Map()
  const chain = await readChain(repo, { all: true })
  const lacking = chain.filter(({ id }) => parents.has(id) && !parsed.has(id))
  return parseAll(repo, isForAgent ? [...(await trustedAmong(repo, lacking))] : lacking)
}

/**
 * The briefs that are kept beside a branch, here or on origin, each path once, newest id first. `apart`: the full name of
 * the ref. Throws `gitFailed`.
 */
export async function apartOfBranch(
  repo: Repo,
  branch: string | null,
): Promise<(BriefBlob & { apart: string })[]> {
  const refs = (await listSeparateRefs(repo)).filter(
    (ref) =>
      workBranch(ref) === branch && (ref.startsWith('refs/heads/') || ref.startsWith('refs/remotes/origin/')),
  )
  if (refs.length === 0) return []
  const found = await readSeparateBriefs(repo, refs.sort())
  const seen = new Set<string>()
  return found.filter(({ path }) => !seen.has(path) && seen.add(path))
}
