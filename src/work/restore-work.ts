import { rmSync } from 'node:fs'
import { orNull } from '../errors/handoff-error.ts'
import { filesInTheWay } from '../errors/remote.ts'
import { outsideSparse, workConflicts } from '../errors/work.ts'
import { writeCommit } from '../git/commit-files.ts'
import { NO_HOOKS, personEnvironment, withoutPathIn } from '../git/environment.ts'
import { failure } from '../git/git.ts'
import { keepTrying, underLock } from '../git/locks.ts'
import type { Repo } from '../git/open-repo.ts'
import { WORK } from '../git/refs.ts'
import { readConfig } from '../git/settings.ts'
import type { Scanner } from '../secrets/scanner.ts'
import { listWorkRecords } from '../store/works.ts'
import { type KeptWork, readKept } from './keep-work.ts'
import {
  type Change,
  type Difference,
  readChanges,
  readDiff,
  readWork,
  scratchIndex,
  setEntries,
  shown,
  type Work,
  withIndex,
} from './read-work.ts'

/** What of a work tree may be replaced by work that arrives. */
export interface Standing {
  /** Changes that nobody else has: nothing is restored over them. */
  own: string[]
  /** All changes, which are in work that was sent or arrives; null where there are none. */
  replaced: Work | null
  /** New files that stay. */
  extra: Change[]
  /** Staged files that stay: those that never travel. */
  staying: Change[]
}

/**
 * Compares what is uncommitted here with work that arrives and with what was sent from here: of those nothing is lost.
 * `isBroken`: a restore was killed here, which may have left files half written.
 */
export async function judgeStanding(
  repo: Repo,
  scanner: Scanner,
  arriving: KeptWork,
  isBroken: boolean,
): Promise<Standing> {
  const free = { own: [], replaced: null, extra: [], staying: [] }
  const changes = await readChanges(repo)
  if (changes.length === 0) return free
  const arrives = await differencesOf(repo, arriving)
  const known = new Set(arrives.map(keyOf))
  for (const { id, commit, state } of await listWorkRecords(repo.commonDir))
    if (['kept', 'sent', 'gone'].includes(state)) {
      const sent = await readKept(repo, id, commit)
      for (const one of sent === null ? [] : await differencesOf(repo, sent)) known.add(keyOf(one))
    }
  const comes = new Set(arrives.map(({ path }) => path))
  const knownPaths = new Set([...known].map((key) => key.slice(key.indexOf('\t') + 1)))
  const isMet = ({ xy, path }: Change) => xy !== '??' || knownPaths.has(path)
  if (!changes.some(isMet)) return free
  const work = await readWork(repo, scanner, changes)
  const found = await differencesOf(repo, work)
  const gone = new Set(found.map(({ path }) => path))
  const isNew = new Set(changes.flatMap(({ xy, path }) => (xy === '??' ? [path] : [])))
  const isKnown = (one: Difference) => known.has(keyOf(one))
  const isExtra = (one: Difference) =>
    isNew.has(one.path) && one.was.mode === '000000' && !comes.has(one.path) && !isKnown(one)
  const strange = found.filter((one) => !isKnown(one) && !isExtra(one))
  const own = new Set<string>()
  for (const one of strange) if (!(isBroken && (await isHalf(repo, one, arrives)))) own.add(one.path)
  // What never travels is no change to git by now; where the other side has changed that file, too, both are wanted.
  for (const { path } of changes) if (!gone.has(path) && comes.has(path)) own.add(path)
  return {
    own: [...own].map(shown),
    replaced: work,
    extra: changes.filter(
      ({ path, xy }) => xy === '??' && found.some((one) => one.path === path && isExtra(one)),
    ),
    staying: changes.filter(({ path, xy }) => !gone.has(path) && !/^[.?]/.test(xy)),
  }
}

const keyOf = ({ path, now }: Difference): string => `${now.mode} ${now.oid}\t${path}`

/** What differs from HEAD in the index or the work tree. */
async function differencesOf(
  repo: Repo,
  { head, index, tree }: Pick<Work, 'head' | 'index' | 'tree'>,
): Promise<Difference[]> {
  return (await Promise.all([readDiff(repo, head, index), readDiff(repo, head, tree)])).flat()
}

/** A file that git had begun to replace: taken away, or written in part. */
async function isHalf(
  repo: Repo,
  { path, now }: Difference,
  arrives: readonly Difference[],
): Promise<boolean> {
  const wanted = arrives.filter((one) => one.path === path)
  if (wanted.length === 0 || now.mode === '000000') return wanted.length > 0
  const [part, ...whole] = await repo.objects.read([now.oid, ...wanted.map((one) => one.now.oid)])
  return whole.some((one) => one != null && part != null && one.content.indexOf(part.content) === 0)
}

/** Takes changes back that are kept elsewhere: the work tree is as HEAD then. Throws `filesInTheWay`, `gitFailed`. */
export async function setAside(repo: Repo, { replaced, extra, staying }: Standing): Promise<void> {
  if (replaced === null) return
  const scratch = scratchIndex(repo)
  await withIndex(repo, scratch, ['read-tree', '-m', '-i', replaced.tree])
  const gone = extra.map(({ path }) => ({ path, before: { mode: '000000', oid: '' } }))
  if (gone.length > 0) await setEntries(repo, scratch, gone)
  const tree = (await withIndex(repo, scratch, ['write-tree'])).trim()
  await changeFiles(repo, scratch, tree, 'HEAD')
  await changeIndex(repo, 'HEAD', staying, [])
}

/** Work upon the commit that it is restored at. */
export interface Merged {
  tree: string
  index: string
  /** That is another commit than the one that it was made at. */
  isMoved: boolean
}

/** Throws `workConflicts`. */
export async function mergeWork(repo: Repo, head: string, work: KeptWork): Promise<Merged> {
  const { tree, index } = work
  if (head === work.head) return { tree, index, isMoved: false }
  const merged = {
    tree: await mergeInto(repo, head, work, tree),
    index: await mergeInto(repo, head, work, index),
  }
  return { ...merged, isMoved: true }
}

/** Restores work tree and index, in that order: until both are done the next run begins anew. Throws `outsideSparse`, `filesInTheWay`, `gitFailed`. */
export async function restoreWork(
  repo: Repo,
  { id, intent }: { id: string; intent: readonly string[] },
  { tree, index }: Merged,
  { staying }: Pick<Standing, 'staying'>,
): Promise<void> {
  if ((await readConfig(repo)).isOn('core.sparsecheckout')) await checkSparse(repo, tree, id)
  await changeFiles(repo, scratchIndex(repo), 'HEAD', tree)
  await changeIndex(repo, index, staying, intent)
}

/** Moves files from one tree to another as a checkout does. Git refuses what is changed, new in the way, or outside the work tree. */
async function changeFiles(repo: Repo, scratch: string, from: string, to: string): Promise<void> {
  try {
    const path = withoutPathIn({ PATH: repo.env.PATH }, [repo.root])
    const env = { ...personEnvironment(repo.env, false), ...path, HANDOFF: '0' }
    const args = ['read-tree', '-m', '-u', '--no-recurse-submodules', from, to]
    const move = () => withIndex(repo, scratch, args, { env, signal: undefined })
    await move().catch(async (error: unknown) => {
      if (!(error instanceof Error && error.message.includes('not uptodate'))) throw error
      // Times of files that somebody touched are looked up anew.
      await withIndex(repo, scratch, ['update-index', '-q', '--refresh']).catch(() => '')
      return move()
    })
  } catch (error) {
    const text = error instanceof Error ? error.message : ''
    const files = [...text.matchAll(/(?:file|Entry|Updating) '(.+?)' (?:would|not)/g)].map(
      ([, file = '']) => file,
    )
    throw files.length > 0 ? filesInTheWay(files) : error
  } finally {
    orNull(() => rmSync(scratch, { force: true }))
  }
}

/** Makes the index a tree; the work tree is left alone. */
async function changeIndex(
  repo: Repo,
  tree: string,
  staying: readonly Change[],
  intent: readonly string[],
): Promise<void> {
  const write = () =>
    underLock(`${repo.indexPath}.lock`, () =>
      repo.git(['-c', NO_HOOKS, 'read-tree', '-m', '-i', tree], { signal: undefined }),
    )
  await keepTrying(write, 5000)
  const entries = staying.map(({ path, staged }) => ({ path, before: staged }))
  if (entries.length > 0) await setEntries(repo, repo.indexPath, entries)
  if (intent.length === 0) return
  const input = Buffer.from(intent.map((path) => `${path}\0`).join(''), 'latin1')
  const args = ['add', '--intent-to-add', '--pathspec-from-file=-', '--pathspec-file-nul']
  const ended = await repo.run(['-c', NO_HOOKS, ...args], { input, signal: undefined })
  if (ended.code !== 0) throw failure(args, ended)
}

/** The tree of work upon a newer HEAD. Both become commits upon the one that it was made at, so that git finds that as the merge base. */
async function mergeInto(
  repo: Repo,
  head: string,
  { id, head: base }: KeptWork,
  tree: string,
): Promise<string> {
  const onBase = async (tree: string): Promise<string> =>
    (await writeCommit(repo, { tree, parents: [base], message: 'handoff\n', sign: false })).commit
  const sides = [await onBase(`${head}^{tree}`), await onBase(tree)]
  const args = ['merge-tree', '--write-tree', '--no-messages', '--name-only', '-z', ...sides]
  const { code, stdout } = await repo.run(args)
  const [merged = '', ...files] = stdout.toString('utf8').split('\0')
  if (code === 0) return merged
  throw workConflicts(id, `${WORK}${id}`, code === 1 ? [...new Set(files.filter(Boolean))] : null)
}

/** A sparse checkout would take the files of the work for files that are not wanted here. */
async function checkSparse(repo: Repo, tree: string, id: string): Promise<void> {
  const scratch = scratchIndex(repo)
  try {
    await withIndex(repo, scratch, ['read-tree', '-m', '-i', 'HEAD', tree])
    const skipped = new Set((await withIndex(repo, scratch, ['ls-files', '-t', '-z'])).split('\0'))
    const outside = (await readDiff(repo, 'HEAD', tree)).filter(({ path }) => skipped.has(`S ${path}`))
    if (outside.length > 0)
      throw outsideSparse(
        id,
        outside.map(({ path }) => shown(path)),
      )
  } finally {
    rmSync(scratch, { force: true })
  }
}
