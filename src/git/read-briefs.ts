import { BRIEFS, type BriefBlob, briefsIn } from './brief-path.ts'
import { parseTree, type TreeView } from './build-tree.ts'
import { checkObjects } from './objects.ts'
import type { Repo } from './open-repo.ts'
import { readRefs } from './refs.ts'
import { type RepoSnapshot, readHeadView, readView } from './snapshot.ts'

/** Briefs in the tree of HEAD, oldest id first; none before the first commit. Throws `gitFailed`. */
export async function listBriefsAtHead(repo: Repo, reading: RepoSnapshot | null = null) {
  return briefsOf(repo, await (reading?.head() ?? readHeadView(repo)))
}

/** The briefs in a view of a commit. */
export function briefsOf(repo: Repo, { commit, folders }: TreeView): Promise<BriefBlob[]> {
  return treeOf(repo, commit ?? '', async () => briefsIn(folders.get(BRIEFS) ?? []))
}

/** Briefs in the trees of these revisions, oldest id first; none where there is no such folder or revision. Throws `gitFailed`. */
export function readBriefTrees(repo: Repo, revs: readonly string[]): Promise<BriefBlob[][]> {
  const readTree = async (rev: string): Promise<BriefBlob[]> => {
    const [tree] = await repo.objects.read([`${rev}:${BRIEFS}`])
    // Git also calls missing what it could not read (git 2.39): HEAD and refs are looked at from their commit on.
    if (tree == null && /^(?:HEAD$|refs\/)/.test(rev)) return briefsOf(repo, await readView(repo, rev))
    return tree?.type === 'tree' ? briefsIn(parseTree(tree)) : []
  }
  return Promise.all(revs.map((rev) => treeOf(repo, rev, () => readTree(rev))))
}

/** The briefs of commits that a command has looked at: a commit never changes. */
const trees = new WeakMap<Repo, Map<string, Promise<BriefBlob[]>>>()

function treeOf(repo: Repo, rev: string, read: () => Promise<BriefBlob[]>): Promise<BriefBlob[]> {
  if (!/^[0-9a-f]{40,64}$/.test(rev)) return read()
  const known = trees.get(repo) ?? new Map<string, Promise<BriefBlob[]>>()
  trees.set(repo, known)
  const found = known.get(rev) ?? read()
  known.set(rev, found)
  found.catch(() => known.delete(rev))
  return found
}

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
  const trees = await readBriefTrees(
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
