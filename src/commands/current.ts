import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { currentBrief } from '../brief/chain.ts'
import { readFrontMatter } from '../brief/front-matter.ts'
import { type ParsedBrief, parseBrief } from '../brief/parse.ts'
import { isHandoffError } from '../errors.ts'
import { listApartRefs } from '../git/apart-refs.ts'
import type { BriefBlob } from '../git/brief-path.ts'
import { readBlobs } from '../git/objects.ts'
import type { Repo } from '../git/open-repo.ts'
import { listBriefBlobs, listBriefsAtHead, readSelection, type Selection } from '../git/read-selection.ts'

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

/** Briefs looked at in one go while searching for one of this branch, newest first. */
const BATCH = 64

/**
 * The current brief of this checkout by the rule of SPEC §4, or null; where briefs are kept on a branch of their own,
 * the newer of the two. A brief that cannot be read is passed over.
 */
export async function readCurrent(repo: Repo): Promise<CurrentBrief | null> {
  const [here, apart] = await Promise.all([readHere(repo), readApart(repo)])
  return apart !== null && (here === null || apart.id > here.id) ? apart : here
}

async function readHere(repo: Repo): Promise<CurrentBrief | null> {
  // Where no brief was ever made, the listing alone answers; elsewhere all is asked at once.
  const isUsed = existsSync(join(repo.root, '.handoff')) || (await listBriefsAtHead(repo)).length > 0
  if (!isUsed) return null
  const selection = await readSelection(repo)
  const plain = selection.briefs.filter((brief) => brief.mode === '100644')
  if (plain.length === 0) return null
  // One that cannot be read must not hide those that can; `check` is where it is told.
  for (let left = plain; left.length > 0; ) {
    const id = await currentId(repo, selection, left)
    const blob = left.find((brief) => brief.id === id)
    if (blob === undefined) return null
    const brief = await readBlobBrief(repo, blob, true)
    if (brief !== null) return brief
    left = left.filter((other) => other !== blob)
  }
  return null
}

/** The newest brief about the current branch on a branch of briefs, a local or a fetched one. */
async function readApart(repo: Repo): Promise<CurrentBrief | null> {
  const refs = await listApartRefs(repo)
  if (refs.length === 0) return null
  const branch = (await repo.git(['symbolic-ref', '-q', '--short', 'HEAD'], { answers: [1] })).trim()
  let newest: CurrentBrief | null = null
  for (const apart of refs.filter((ref) => branch !== '' && ref.endsWith(`/handoff/${branch}`))) {
    const blobs = (await listBriefBlobs(repo, apart)).filter(({ mode }) => mode === '100644')
    const blob = blobs.at(-1)
    if (blob === undefined || (newest !== null && newest.id >= blob.id)) continue
    const brief = await readBlobBrief(repo, blob, false)
    if (brief !== null && brief.parsed.meta.branch === branch) newest = { ...brief, apart }
  }
  return newest
}

/** One brief of git, parsed; null when it is gone, too large or no brief. */
export async function readBlobBrief(
  repo: Repo,
  blob: Pick<BriefBlob, 'id' | 'path' | 'oid'>,
  committed: boolean,
): Promise<CurrentBrief | null> {
  const content = (await readBlobs(repo, [blob.oid])).get(blob.oid)
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

async function currentId(repo: Repo, selection: Selection, plain: BriefBlob[]): Promise<string | null> {
  const branch = (await repo.git(['symbolic-ref', '-q', '--short', 'HEAD'], { answers: [1] })).trim()
  const branches = [...(branch === '' ? [] : [branch]), ...selection.refsAtHead]
  const facts = { headId: selection.headId, branches, briefs: plain.map(({ id }) => ({ id, branch: null })) }
  const byHead = currentBrief(facts)
  if (byHead.by === 'head') return byHead.id
  for (let end = plain.length; end > 0; end -= BATCH) {
    const batch = plain.slice(Math.max(0, end - BATCH), end)
    const contents = await readBlobs(
      repo,
      batch.map(({ oid }) => oid),
    )
    const briefs = batch.map(({ id, oid, path }) => ({ id, branch: branchOf(contents.get(oid), path) }))
    const found = currentBrief({ ...facts, briefs })
    if (found.by === 'branch') return found.id
  }
  const addedLast = await selection.firstParentAdded()
  return currentBrief({ ...facts, addedLast: plain.find(({ path }) => path === addedLast)?.id ?? null }).id
}

function branchOf(content: Buffer | undefined, path: string): string | null {
  if (content === undefined) return null
  try {
    return readFrontMatter(content.toString('utf8'), path).meta.branch
  } catch (error) {
    // A stranger's broken file belongs to no branch; `check` is where it is told.
    if (isHandoffError(error)) return null
    throw error
  }
}
