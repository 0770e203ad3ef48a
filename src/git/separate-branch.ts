import type { SimpleGit } from 'simple-git'
import { FIXED_CONFIG, gitEnvironment } from './environment.ts'
import type { BriefBlob } from './files.ts'
import type { Repo } from './open-repo.ts'
import { readBriefTrees } from './read-briefs.ts'
import { branchName, type Ref, readHead, readRefs } from './refs.ts'

/** Full name of the branch on which the briefs of a branch stand when they are kept beside the work. */
export const separateRef = (branch: string): string => `refs/heads/handoff/${branch}`

/** The branch of work to whose briefs a ref belongs, a local or a fetched one; null for every other ref. */
export const workBranch = (ref: string): string | null =>
  /^refs\/(?:heads|remotes\/[^/]+)\/handoff\/(.+)$/s.exec(ref)?.[1] ?? null

const BRANCHES = ['refs/heads', 'refs/remotes']

/** Full names of the branches that hold briefs beside the work, local and fetched ones. Throws `gitFailed`. */
export const listSeparateRefs = async (repo: Repo): Promise<string[]> =>
  separateAmong(await readRefs(repo, BRANCHES))

/** The same among refs that are known already. */
const separateAmong = (refs: readonly Ref[]): string[] =>
  refs.map(({ name }) => name).filter((name) => workBranch(name) !== null)

/** Branches of briefs that may concern this checkout. */
export interface SeparateHere {
  refs: string[]
  /**
   * `own`: of the branch that is checked out. `head`: of branches that point at HEAD, as a new branch does at the one that
   * it was made from. `left`: of branches that are gone, renamed or merged; whether their work is in HEAD is not asked.
   */
  by: 'own' | 'head' | 'left'
}

/** The nearest of them that there are. `known`: every branch, local and fetched, when they have been read. Throws `gitFailed`. */
export async function separateRefsHere(
  repo: Repo,
  known: readonly Ref[] | null = null,
): Promise<SeparateHere> {
  const all = known ?? (await readRefs(repo, BRANCHES))
  const separate = await withoutForks(repo, separateAmong(all))
  if (separate.length === 0) return { refs: [], by: 'own' }
  const { ref, text } = await readHead(repo)
  const branch = branchName(ref)
  const head = branch === null ? text.trim() : all.find(({ name }) => name === ref)?.oid
  const short = ({ name }: Ref): string => name.replace(/^refs\/(heads|remotes\/[^/]+)\//, '')
  const there = new Set(all.map(short))
  const atHead = new Set(all.filter(({ oid }) => oid === head).map(short))
  const those = (fits: (work: string) => boolean): string[] =>
    separate.filter((name) => fits(workBranch(name) ?? ''))
  const [own, beside] = [those((work) => work === branch), those((work) => atHead.has(work))]
  if (own.length > 0) return { refs: own, by: 'own' }
  if (beside.length > 0) return { refs: beside, by: 'head' }
  return { refs: those((work) => !there.has(work)), by: 'left' }
}

/** A fork may name a branch so: its briefs are not current here, nor joined with ours. Origin counts, or the only remote. */
async function withoutForks(repo: Repo, refs: readonly string[]): Promise<string[]> {
  const remoteOf = (ref: string): string | undefined => /^refs\/remotes\/([^/]+)\//.exec(ref)?.[1]
  const isOther = (ref: string): boolean => !['origin', undefined].includes(remoteOf(ref))
  if (!refs.some(isOther)) return [...refs]
  const remotes = await (await openSimpleGit(repo)).getRemotes()
  const only = remotes.length === 1 ? remotes[0]?.name : undefined
  return refs.filter((ref) => !isOther(ref) || remoteOf(ref) === only)
}

/** The plain briefs in the trees of these refs, newest id first, each with its ref. */
export async function readSeparateBriefs(
  repo: Repo,
  refs: readonly string[],
): Promise<(BriefBlob & { apart: string })[]> {
  const trees = await readBriefTrees(repo, refs)
  const briefs = refs.flatMap((apart, at) => (trees[at] ?? []).map((brief) => ({ ...brief, apart })))
  return briefs.filter(({ mode }) => mode === '100644').sort((a, b) => (a.path < b.path ? 1 : -1))
}

/** The same of the branches that concern this checkout. Throws `gitFailed`. */
export async function readSeparateHere(repo: Repo): Promise<(BriefBlob & { apart: string })[]> {
  const { refs } = await separateRefsHere(repo)
  return readSeparateBriefs(repo, refs)
}

/** What a commit on a branch of briefs is built on. */
export interface Base {
  /** The tree of the first one is gone on with; none makes a branch of its own. */
  parents: string[]
  /** Briefs that only the others have. */
  files: { path: string; oid: string }[]
}

/** Joins the branch of briefs at `tip` with the fetched ones of the same branch; a new branch goes on where its parent briefs are. */
export async function baseOfSeparate(
  repo: Repo,
  { refs, by }: SeparateHere,
  tip: string | null,
  parentIds: readonly string[],
): Promise<Base> {
  const found = await readSeparateBriefs(repo, refs)
  const wanted =
    by === 'own'
      ? refs
      : refs.filter((ref) => found.some((one) => one.apart === ref && parentIds.includes(one.id)))
  const commits = await repo.objects.read(wanted.map((ref) => `${ref}^{commit}`))
  const oids = commits.flatMap((commit) => commit?.oid ?? [])
  const tips = [...new Set([...(tip === null ? [] : [tip]), ...oids])]
  if (tips.length < 2) return { parents: tips, files: [] }
  const listing = await repo.git(['merge-base', '--independent', ...tips])
  const heads = new Set(listing.split('\n').filter((line) => line !== ''))
  const parents = tips.filter((oid) => heads.has(oid))
  const [first = '', ...others] = parents
  const held = new Set((await readSeparateBriefs(repo, [first])).map(({ path }) => path))
  const rest = (await readSeparateBriefs(repo, others)).filter(({ path }) => !held.has(path))
  return { parents, files: rest.map(({ path, oid }) => ({ path, oid })) }
}

/** Programs that git would start for a person at a terminal; a read needs none, and simple-git refuses to pass them on. */
const PROGRAMS = /^(?:SSH_ASKPASS|GIT_(?:ASKPASS|SSH|SSH_COMMAND|PROXY_COMMAND|TEMPLATE_DIR|EXEC_PATH))$/i

/** simple-git for reads whose answers it parses, with our environment and configuration. It is loaded at the first call. */
export async function openSimpleGit({ root, env, signal }: Repo): Promise<SimpleGit> {
  const { simpleGit } = await import('simple-git')
  const passed = Object.fromEntries(
    Object.entries(gitEnvironment(env)).filter(([name]) => !PROGRAMS.test(name)),
  )
  return simpleGit({
    baseDir: root,
    config: FIXED_CONFIG,
    // Everything passed was chosen above; without this list some would be dropped silently.
    allowEnvironment: Object.keys(passed),
    unsafe: { allowUnsafeFsMonitor: true, allowUnsafeConfigPaths: true },
    ...(signal === undefined ? {} : { abort: signal }),
  }).env(passed)
}
