import { gitFailed } from '../errors/git.ts'
import { isHandoffError } from '../errors/handoff-error.ts'
import { parseTree, type TreeView } from './build-tree.ts'
import { BRIEFS, type BriefBlob, briefsIn } from './files.ts'
import { checkObjects } from './objects.ts'
import { type Repo, remember } from './open-repo.ts'
import { isPartial, readRefs } from './refs.ts'
import { type RepoSnapshot, readHeadView, readView } from './snapshot.ts'

/** Briefs in the tree of HEAD, oldest id first; none before the first commit. Throws `gitFailed`. */
export async function listBriefsAtHead(repo: Repo, reading: RepoSnapshot | null = null) {
  return briefsOf(repo, await (reading?.head() ?? readHeadView(repo)))
}

/** The briefs in a view of a commit. */
export function briefsOf(repo: Repo, { commit, folders }: TreeView): Promise<BriefBlob[]> {
  return treeOf(repo, commit ?? '', async () => briefsIn(folders.get(BRIEFS) ?? []))
}

/**
 * Briefs in the trees of these revisions, oldest id first; none where there is no such folder or revision. Throws `gitFailed` for a folder
 * that is there and cannot be read.
 */
export const readBriefTrees = (repo: Repo, revs: readonly string[]): Promise<BriefBlob[][]> =>
  Promise.all(revs.map((rev) => treeOf(repo, rev, () => readFolder(repo, rev))))

/** The same without what cannot be read, for any line of work that there is. */
export const readTipTrees = (repo: Repo, revs: readonly string[]): Promise<BriefBlob[][]> =>
  Promise.all(revs.map((rev) => readBriefTrees(repo, [rev]).then(([briefs = []]) => briefs, noneIfFailed)))

function noneIfFailed(error: unknown): BriefBlob[] {
  if (isHandoffError(error) && error.code === 'E_GIT') return []
  throw error
}

async function readFolder(repo: Repo, rev: string): Promise<BriefBlob[]> {
  const [tree] = await repo.objects.read([`${rev}:${BRIEFS}`])
  if (tree) return tree.type === 'tree' ? briefsIn(parseTree(tree)) : []
  // HEAD and refs are looked at from their commit on.
  if (/^(?:HEAD$|refs\/)/.test(rev)) return briefsOf(repo, await readView(repo, rev))
  // Git calls missing what it cannot read, too (git 2.39); the nearest folder above tells. A partial clone may lack any.
  const [root, folder] = await repo.objects.read([`${rev}:`, `${rev}:.handoff`])
  const [above, below] = folder ? [folder, 'briefs'] : [root, '.handoff']
  const has = ({ name, mode }: { name: string; mode: string }): boolean => name === below && mode === '40000'
  const isLost = above ? above.type === 'tree' && parseTree(above).some(has) : isCommitId(rev)
  if (isLost && !isPartial(repo)) throw gitFailed(['cat-file'], `the briefs of ${rev} cannot be read`)
  return []
}

const isCommitId = (rev: string): boolean => /^[0-9a-f]{40,64}$/.test(rev)

/** A commit never changes. */
const treeOf = (repo: Repo, rev: string, read: () => Promise<BriefBlob[]>): Promise<BriefBlob[]> =>
  isCommitId(rev) ? remember(repo, rev, read) : read()

/** A brief in the tree of HEAD or of a ref. */
export interface TipBrief extends BriefBlob {
  commit: string
  /** Full name of the ref, or `HEAD`. */
  ref: string
}

/** Refs of lines of work; those of tools (notes, stash, replacements) are none. */
const LINES = ['refs/heads', 'refs/remotes', 'refs/tags', 'refs/handoff']

/** The briefs in the trees at the ends of all lines of work, each path and content once, those of HEAD first. Walks no history. */
export async function listTipBriefs(repo: Repo): Promise<TipBrief[]> {
  const refs = await readRefs(repo, LINES)
  const names = ['HEAD', ...refs.map(({ name }) => name)]
  const revs = ['HEAD', ...refs.map(({ oid }) => oid)]
  const commits = await repo.objects.read(revs.map((rev) => `${rev}^{commit}`))
  const trees = await readTipTrees(
    repo,
    commits.map((commit, at) => commit?.oid ?? `${revs[at]}^{commit}`),
  )
  const briefs = new Map<string, TipBrief>()
  for (const [at, name] of names.entries())
    for (const brief of trees[at] ?? []) {
      const key = `${brief.path}\0${brief.oid}`
      if (!briefs.has(key)) briefs.set(key, { ...brief, commit: commits[at]?.oid ?? '', ref: name })
    }
  return [...briefs.values()]
}

/** Those of the paths that HEAD lacks and a branch has: as untracked files they would keep git from checking that branch out. */
export async function heldByBranches(repo: Repo, paths: readonly string[]): Promise<string[]> {
  if (paths.length === 0) return []
  const refs = await readRefs(repo, ['refs/heads', 'refs/remotes'])
  const tips = [...new Set(refs.map(({ oid }) => oid))]
  const found = await checkObjects(
    repo,
    paths.flatMap((path) => ['HEAD', ...tips].map((rev) => `${rev}:${path}`)),
  )
  return paths.filter((_, at) => {
    const [head, ...others] = found.slice(at * (tips.length + 1), (at + 1) * (tips.length + 1))
    return head === null && others.some((one) => one !== null)
  })
}
