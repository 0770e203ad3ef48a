import { type Current, currentBrief } from '../brief/chain.ts'
import { type ParsedBrief, parseBrief } from '../brief/parse.ts'
import { isHandoffError } from '../errors.ts'
import { apartRefsHere, readApartBriefs, workBranch } from '../git/apart-refs.ts'
import type { BriefBlob } from '../git/brief-path.ts'
import type { ObjectReader } from '../git/object-reader.ts'
import { readBlobs, withObjects } from '../git/objects.ts'
import type { Repo } from '../git/open-repo.ts'
import { branchName, readHead } from '../git/read-head.ts'
import { readSelection, type Selection } from '../git/read-selection.ts'
import type { Glance } from '../git/reading.ts'
import { spawnGit } from '../git/spawn.ts'
import type { Config } from '../types.ts'
import { metaOf } from './read-metas.ts'

/** A brief with its text, wherever it was found. */
export interface CurrentBrief {
  id: string
  path: string
  /** Blob id. */
  oid: string
  text: string
  parsed: ParsedBrief
  /** It stands in the tree of HEAD. */
  committed: boolean
  /** Full name of the branch of briefs that holds it instead (`--branch separate`). */
  apart?: string
}

/** What HEAD has at its path, as the look that found the brief has seen it; null when nothing. */
export const inHeadOf = ({ committed, oid }: CurrentBrief): { mode: string; oid: string } | null =>
  committed ? { mode: '100644', oid } : null

/** A chain on a branch of briefs goes on there. */
export const configOnward = (config: Config, { apart }: CurrentBrief): Config =>
  apart === undefined ? config : { ...config, commit: { ...config.commit, branch: 'separate' } }

/** Briefs looked at in one go while searching for one of this branch, newest first. */
const BATCH = 64

/** How a brief was found: by HEAD's own commit, by its branch, or for want of a better one. */
type Found = { brief: CurrentBrief; by: 'head' | 'branch' | 'rest' }

/**
 * The current brief of this checkout by the rule of SPEC §4, or null. Briefs on a branch of their own count like those in
 * the tree of HEAD: of two that are found in the same way it is the newer one. A brief that cannot be read is passed over.
 * `reading`: what has been asked of git already.
 */
export async function readCurrent(repo: Repo, reading: Glance | null = null): Promise<CurrentBrief | null> {
  const [here, apart] = await withObjects(repo, reading?.objects ?? null, (objects) =>
    Promise.all([readHere(repo, reading, objects), readApart(repo, reading, objects)]),
  )
  if (here === null || apart === null) return (here ?? apart)?.brief ?? null
  const isWorse = (here.by === 'rest') !== (apart.by === 'rest')
  if (isWorse) return (here.by === 'rest' ? apart : here).brief
  return (apart.brief.id > here.brief.id ? apart : here).brief
}

async function readHere(repo: Repo, reading: Glance | null, objects: ObjectReader): Promise<Found | null> {
  // Where no brief was ever made, what is asked anyway answers this too.
  if (reading !== null && (await reading.isUnused())) return null
  const selection = await readSelection(repo, reading)
  const plain = selection.briefs.filter((brief) => brief.mode === '100644')
  if (plain.length === 0) return null
  // One that cannot be read must not hide those that can; `check` is where it is told.
  for (let left = plain; left.length > 0; ) {
    const { id, by } = await choose(repo, selection, left, objects)
    const blob = left.find((brief) => brief.id === id)
    if (blob === undefined) return null
    const brief = await readBlobBrief(repo, blob, true, objects)
    if (brief !== null) return { brief, by: by === 'head' || by === 'branch' ? by : 'rest' }
    left = left.filter((other) => other !== blob)
  }
  return null
}

/** The newest brief about this line of work on a branch of briefs, a local or a fetched one. */
async function readApart(repo: Repo, reading: Glance | null, objects: ObjectReader): Promise<Found | null> {
  const { refs, by } = await apartRefsHere(repo, reading?.hasBranches === true ? await reading.refs : null)
  if (refs.length === 0) return null
  for (const { apart, ...blob } of (await readApartBriefs(objects, refs)).slice(0, BATCH)) {
    const brief = await readBlobBrief(repo, blob, false, objects)
    const isOf = brief !== null && brief.parsed.meta.branch === workBranch(apart)
    if (!isOf || (by === 'left' && !(await isBehind(repo, brief)))) continue
    return { brief: { ...brief, apart }, by: by === 'left' ? 'rest' : 'branch' }
  }
  return null
}

/** The work that a brief was written about is in the history of HEAD. */
async function isBehind(repo: Repo, { parsed }: CurrentBrief): Promise<boolean> {
  const { head } = parsed.meta
  if (head === null || !/^[0-9a-f]{40,64}$/.test(head)) return false
  return (await spawnGit(['merge-base', '--is-ancestor', head, 'HEAD'], repo.child())).code === 0
}

/** One brief of git, parsed; null when it is gone, too large or no brief. */
export async function readBlobBrief(
  repo: Repo,
  blob: Pick<BriefBlob, 'id' | 'path' | 'oid'>,
  committed: boolean,
  objects: ObjectReader | null = null,
): Promise<CurrentBrief | null> {
  const content = (await readBlobs(repo, [blob.oid], objects)).get(blob.oid)
  if (content === undefined) return null
  const text = content.toString('utf8')
  try {
    return {
      id: blob.id,
      path: blob.path,
      oid: blob.oid,
      text,
      parsed: parseBrief(text, blob.path),
      committed,
    }
  } catch (error) {
    if (isHandoffError(error) && error.code === 'E_BRIEF_UNREADABLE') return null
    throw error
  }
}

async function choose(
  repo: Repo,
  selection: Selection,
  plain: BriefBlob[],
  objects: ObjectReader,
): Promise<Current> {
  const branch = branchName((await readHead(repo)).ref)
  const branches = [...(branch === null ? [] : [branch]), ...selection.refsAtHead]
  const facts = { headId: selection.headId, branches, briefs: plain.map(({ id }) => ({ id, branch: null })) }
  const byHead = currentBrief(facts)
  if (byHead.by === 'head') return byHead
  for (let end = plain.length; end > 0; end -= BATCH) {
    const batch = plain.slice(Math.max(0, end - BATCH), end)
    const contents = await readBlobs(
      repo,
      batch.map(({ oid }) => oid),
      objects,
    )
    // A stranger's broken file belongs to no branch; `check` is where it is told.
    const briefs = batch.map(({ id, oid, path }) => ({
      id,
      branch: metaOf(contents.get(oid), path)?.branch ?? null,
    }))
    const found = currentBrief({ ...facts, briefs })
    if (found.by === 'branch') return found
  }
  const addedLast = await selection.firstParentAdded()
  return currentBrief({ ...facts, addedLast: plain.find(({ path }) => path === addedLast)?.id ?? null })
}
