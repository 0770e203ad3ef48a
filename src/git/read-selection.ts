import { BRIEFS, type BriefBlob, briefsIn, ID, idOfPath, parseBriefTree } from './brief-path.ts'
import type { TreeView } from './build-tree.ts'
import { withObjects } from './objects.ts'
import type { Repo } from './open-repo.ts'
import { readRefs } from './read-refs.ts'
import { type Glance, type Reading, readHeadView } from './reading.ts'
import { resolveRevision } from './revision.ts'

/** What decides which brief is current (SPEC §4); the decision itself is made elsewhere, purely. */
export interface Selection {
  /** The newest `Handoff-Id` trailer of HEAD itself. */
  headId: string | null
  /** Briefs in the tree of HEAD, oldest id first. */
  briefs: BriefBlob[]
  /** Branches that point at HEAD: local ones and remote-tracking ones without their remote, sorted. */
  refsAtHead: string[]
  /**
   * Path of the brief added last on the first-parent line, or null. Walks history, seconds in a huge one: ask only when
   * no brief belongs to a branch at HEAD.
   */
  firstParentAdded(): Promise<string | null>
}

/**
 * Reads the facts at HEAD. Everything is empty before the first commit. `reading`: what has been asked already. Throws
 * `gitFailed`.
 */
export async function readSelection(repo: Repo, reading: Glance | null = null): Promise<Selection> {
  const [view, refs] = await Promise.all([
    reading === null ? withObjects(repo, null, readHeadView) : reading.head(),
    reading?.hasBranches === true ? reading.refs : readRefs(repo, ['refs/heads', 'refs/remotes']),
  ])
  if (view.commit === null)
    return { headId: null, briefs: [], refsAtHead: [], firstParentAdded: async () => null }
  const names = refs
    .filter(({ name, oid }) => oid === view.commit && /^refs\/(heads|remotes)\//.test(name))
    .map(({ name }) => name.replace(/^refs\/(heads|remotes\/[^/]+)\//, ''))
    .filter((name) => name !== '' && name !== 'HEAD')
  return {
    headId: await readHeadId(repo, view),
    briefs: briefsIn(view.folders.get(BRIEFS) ?? []),
    refsAtHead: [...new Set(names)].sort(),
    firstParentAdded: () => firstParentAdded(repo),
  }
}

/** The newest `Handoff-Id` trailer. What a trailer is git decides, but a message without that word has none. */
async function readHeadId(repo: Repo, { commit, text }: TreeView): Promise<string | null> {
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

async function firstParentAdded(repo: Repo): Promise<string | null> {
  const text = await repo.git([
    'log',
    '-1',
    '-z',
    '--first-parent',
    '--no-merges',
    '--diff-filter=A',
    '--no-renames',
    '--format=',
    '--name-only',
    'HEAD',
    '--',
    BRIEFS,
  ])
  const paths = text.split('\0').filter((path) => idOfPath(path) !== null)
  return paths.sort().at(-1) ?? null
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
