import { isHandoffError } from '../errors/handoff-error.ts'
import { parseTree, readTreeView, type TreeView } from './build-tree.ts'
import { BRIEFS } from './files.ts'
import { once, type Repo } from './open-repo.ts'
import { type Ref, readRefs } from './refs.ts'
import { readConfig } from './settings.ts'
import { isIgnored, readStatus, SOME_BRIEF, type Status } from './status.ts'

/** What several steps of one command want to know of git, asked once. Whatever is written is compared anew with what is there then. */
export interface RepoSnapshot {
  status: Promise<Status>
  /** Every branch, and the refs under `refs/handoff/`. */
  refs: Promise<Ref[]>
  /** Paths in the index. */
  tracked: Promise<ReadonlySet<string>>
  /** HEAD and the folder of briefs in it. */
  head: () => Promise<TreeView>
  /** The rule that would make git ignore a brief, or null; see `isIgnored`. */
  ignored: Promise<string | null>
}

/** HEAD is the one commit after `head` and changes `.handoff/` alone, as mostly when a brief is picked up: two processes are spared. */
export async function isRightUpon(repo: Repo, head: string): Promise<boolean> {
  const { text } = await readHeadView(repo)
  const [only, ...others] = text.slice(0, text.indexOf('\n\n')).match(/^parent .*$/gm) ?? []
  return only === `parent ${head}` && others.length === 0 && isSameWork(repo, 'HEAD', head)
}

/** Two commits differ in `.handoff/` at most. */
export async function isSameWork(repo: Repo, a: string, b: string): Promise<boolean> {
  const trees = await repo.objects.read([`${a}^{tree}`, `${b}^{tree}`])
  const [now, then] = trees.map(
    (tree) => tree && JSON.stringify(parseTree(tree).filter(({ name }) => name !== '.handoff')),
  )
  return now != null && now === then
}

/** Asks git; whether briefs are ignored only when one is to be written. */
export function takeSnapshot(repo: Repo, options: { writes?: boolean } = {}): RepoSnapshot {
  const refs = readRefs(repo, ['refs/heads', 'refs/remotes', 'refs/handoff'])
  const view = readHeadView(repo)
  const ignored = options.writes === true ? isIgnored(repo, SOME_BRIEF) : Promise.resolve(null)
  const [status, tracked] = [readStatus(repo), listTracked(repo)]
  // One that fails and is never awaited fails nothing. Settings are remembered.
  for (const one of [readConfig(repo), refs, view, status, ignored, tracked]) one.catch(() => undefined)
  return { status, refs, tracked, head: () => view, ignored }
}

/** HEAD and its folder of briefs, or those of other paths. What is no folder holds none of them. */
export const readHeadView = (repo: Repo, paths?: string[]): Promise<TreeView> =>
  paths === undefined ? once(repo, 'HEAD', () => readView(repo, 'HEAD')) : readView(repo, 'HEAD', paths)

/** The same of another revision. Throws `gitFailed`. */
export async function readView(repo: Repo, rev: string, paths = [`${BRIEFS}/`]): Promise<TreeView> {
  try {
    return await readTreeView(repo, rev, paths)
  } catch (error) {
    if (isHandoffError(error) && error.code === 'E_UNSAFE_PATH') return readTreeView(repo, rev, [])
    throw error
  }
}

/** One in conflict may be listed more than once. */
const listTracked = async (repo: Repo): Promise<ReadonlySet<string>> =>
  new Set((await repo.git(['ls-files', '-z'])).split('\0').slice(0, -1))
