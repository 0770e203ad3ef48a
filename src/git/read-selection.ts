import { BRIEFS, type BriefBlob, briefsIn, ID, parseBriefTree } from './brief-path.ts'
import type { TreeView } from './build-tree.ts'
import { withObjects } from './objects.ts'
import type { Repo } from './open-repo.ts'
import { type Reading, readHeadView } from './reading.ts'
import { resolveRevision } from './revision.ts'

/** The newest `Handoff-Id` trailer. What a trailer is git decides, but a message without that word has none. */
export async function readHeadId(repo: Repo, { commit, text }: TreeView): Promise<string | null> {
  if (commit === null || !/^handoff-id/im.test(text)) return null
  const args = [
    'log',
    '-1',
    '--format=%(trailers:key=Handoff-Id,valueonly)',
    '--end-of-options',
    commit,
    '--',
  ]
  const trailer = trailerIn(text) ?? (await repo.git(args))
  const ids = trailer.split('\n').filter((line) => ID.test(line))
  return ids.at(-1) ?? null
}

/** The values when the last paragraph is nothing but plain trailers, as in every message of handoff; else null. */
function trailerIn(text: string): string | null {
  const paragraphs = text
    .slice(text.indexOf('\n\n') + 2)
    .trimEnd()
    .split(/\n{2,}/)
  const lines = paragraphs.at(-1)?.split('\n') ?? []
  if (paragraphs.length < 2 || !lines.every((line) => /^[A-Za-z][A-Za-z-]*: \S/.test(line))) return null
  return lines.flatMap((line) => /^handoff-id: (.*)$/i.exec(line)?.[1] ?? []).join('\n')
}

/** Briefs in the tree of HEAD, oldest id first; none before the first commit. Throws `gitFailed`. */
export async function listBriefsAtHead(repo: Repo, reading: Reading | null = null): Promise<BriefBlob[]> {
  if (reading !== null && (await reading.isUnused())) return []
  const view = reading === null ? await withObjects(repo, null, readHeadView) : await reading.head()
  return briefsIn(view.folders.get(BRIEFS) ?? [])
}

/** Briefs in the tree of a revision, oldest id first. Throws `badRevision`. */
export async function listBriefBlobs(repo: Repo, rev: string): Promise<BriefBlob[]> {
  const commit = await resolveRevision(repo, rev)
  return parseBriefTree(await repo.git(['ls-tree', '-z', commit, `${BRIEFS}/`]))
}
