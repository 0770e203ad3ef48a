import { BRIEFS, type BriefBlob, ID, idOfPath, parseBriefTree } from './brief-path.ts'
import type { Repo } from './open-repo.ts'
import { hasCommits } from './read-head.ts'
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

/** Reads the facts at HEAD, three processes side by side. Everything is empty before the first commit. Throws `gitFailed`. */
export async function readSelection(repo: Repo): Promise<Selection> {
  try {
    return await readAtHead(repo)
  } catch (error) {
    if (await hasCommits(repo)) throw error
    return { headId: null, briefs: [], refsAtHead: [], firstParentAdded: async () => null }
  }
}

async function readAtHead(repo: Repo): Promise<Selection> {
  const [trailer, tree, refs] = await Promise.all([
    repo.git(['log', '-1', '--format=%(trailers:key=Handoff-Id,valueonly)', 'HEAD', '--']),
    repo.git(['ls-tree', '-z', 'HEAD', `${BRIEFS}/`]),
    repo.git(['for-each-ref', '--points-at=HEAD', '--format=%(refname)', 'refs/heads', 'refs/remotes']),
  ])
  const ids = trailer.split('\n').filter((line) => ID.test(line))
  const names = refs
    .split('\n')
    .map((ref) => ref.replace(/^refs\/(heads|remotes\/[^/]+)\//, ''))
    .filter((name) => name !== '' && name !== 'HEAD')
  return {
    headId: ids.at(-1) ?? null,
    briefs: parseBriefTree(tree),
    refsAtHead: [...new Set(names)].sort(),
    firstParentAdded: () => firstParentAdded(repo),
  }
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

/** Briefs in the tree of HEAD, oldest id first, in one process; none before the first commit. Throws `gitFailed`. */
export async function listBriefsAtHead(repo: Repo): Promise<BriefBlob[]> {
  try {
    return parseBriefTree(await repo.git(['ls-tree', '-z', 'HEAD', `${BRIEFS}/`]))
  } catch (error) {
    if (await hasCommits(repo)) throw error
    return []
  }
}

/** Briefs in the tree of a revision, oldest id first. Throws `badRevision`. */
export async function listBriefBlobs(repo: Repo, rev: string): Promise<BriefBlob[]> {
  const commit = await resolveRevision(repo, rev)
  return parseBriefTree(await repo.git(['ls-tree', '-z', commit, `${BRIEFS}/`]))
}
