import { createHash } from 'node:crypto'
import { closeSync, fsyncSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { unsafeFolder } from '../errors/briefs.ts'
import { gitFailed } from '../errors/git.ts'
import { orNull } from '../errors/handoff-error.ts'
import type { GitObject } from './objects.ts'
import type { Repo } from './open-repo.ts'
import { Busy } from './retry.ts'

/** One line of a tree. Names are kept as latin1, one character per byte, because git does not promise UTF-8. */
interface TreeEntry {
  mode: string
  oid: string
  name: string
}

/** A commit and the folders on the way to our paths, as they stood at one moment. */
export interface TreeView {
  /** Null when the revision does not exist yet. */
  commit: string | null
  /** The commit object as git stores it; empty when there is none. */
  text: string
  /** Folder (`''` is the root) → its entries; absent folders are not listed. */
  folders: Map<string, TreeEntry[]>
}

const TREE = '40000'
const bytes = (text: string) => Buffer.from(text, 'utf8').toString('latin1')

/**
 * Reads the commit a revision names and the folders of `paths` in it, in one go. Throws `Busy` when the revision
 * moved in between, `unsafeFolder` when something other than a folder stands in the way, `gitFailed` when one that must be there cannot
 * be read: what is written anew without it would be gone.
 */
export async function readTreeView(repo: Repo, rev: string, paths: readonly string[]): Promise<TreeView> {
  const folders = [...new Set(paths.flatMap(foldersOf))].sort()
  const asked = [`${rev}^{commit}`, ...folders.map((folder) => `${rev}^{commit}:${folder}`)]
  const [commit, ...found] = await repo.objects.read(asked)
  const view: TreeView = {
    commit: commit?.oid ?? null,
    text: commit?.content.toString('utf8') ?? '',
    folders: new Map(),
  }
  for (const [at, folder] of folders.entries()) {
    const named = folder === '' ? rootOf(view) : lookUp(view, folder)
    const object = found[at] ?? (named?.mode === TREE ? await treeOf(repo, named.oid, rev, view) : null)
    if (!object) continue
    if (object.type !== 'tree') throw unsafeFolder(folder, `a ${object.type} in the last commit`)
    // Every folder must be the one its parent names, or the revision moved while we read.
    if (named?.oid !== object.oid) throw new Busy(`${rev} moved while it was read, cannot lock it`)
    view.folders.set(folder, parseTree(object))
  }
  return view
}

/** A folder that its parent names and that the question for its path did not find. */
async function treeOf(repo: Repo, oid: string, rev: string, { commit }: TreeView): Promise<GitObject> {
  const [tree, now] = await repo.objects.read([oid, `${rev}^{commit}`])
  if (tree) return tree
  if (now?.oid !== commit) throw new Busy(`${rev} moved while it was read, cannot lock it`)
  throw gitFailed(['cat-file'], `the tree ${oid} cannot be read`)
}

/** The root as an entry; null when there is no commit. */
function rootOf({ text }: TreeView): { mode: string; oid: string } | null {
  const oid = /^tree ([0-9a-f]+)\n/.exec(text)?.[1]
  return oid === undefined ? null : { mode: TREE, oid }
}

/** What stands at a path in the view, or null. */
export function lookUp(view: TreeView, path: string): { mode: string; oid: string } | null {
  const [folder, name] = split(path)
  const entry = view.folders.get(folder)?.find((line) => line.name === name)
  return entry ? { mode: entry.mode, oid: entry.oid } : null
}

/**
 * Writes the trees of the view with these blobs put in (`oid` null takes a path out), in one process, and gives the ids of the root tree
 * and of all that were written. Untouched folders are named by id and never opened.
 */
export async function writeTrees(
  repo: Repo,
  view: TreeView,
  blobs: readonly { path: string; oid: string | null }[],
): Promise<{ tree: string; made: string[] }> {
  const folders = new Map(view.folders)
  const put = (path: string, entry: Omit<TreeEntry, 'name'> | null): void => {
    const [folder, name] = split(path)
    const others = (folders.get(folder) ?? []).filter((line) => line.name !== name)
    folders.set(folder, entry ? [...others, { ...entry, name }] : others)
  }
  for (const { path, oid } of blobs) put(path, oid ? { mode: '100644', oid } : null)
  // Deepest first: a parent names its children by their ids, which are known before git writes them.
  const order = [...new Set(blobs.flatMap(({ path }) => foldersOf(path)))].sort((a, b) => depth(b) - depth(a))
  const made: string[] = []
  let input = ''
  for (const folder of order) {
    const entries = (folders.get(folder) ?? []).toSorted(byTreeOrder)
    if (entries.length === 0 && folder !== '') {
      put(folder, null)
      continue
    }
    const oid = treeId(entries, repo.objectFormat)
    made.push(oid)
    for (const { mode, oid, name } of entries)
      input += `${mode.padStart(6, '0')} ${typeOf(mode)} ${oid}\t${name}\0`
    input += '\0'
    if (folder !== '') put(folder, { mode: TREE, oid })
  }
  const out = await repo.git(['mktree', '-z', '--missing', '--batch'], {
    input: Buffer.from(input, 'latin1'),
  })
  const written = out.split('\n').filter(Boolean)
  if (written.join() !== made.join())
    throw gitFailed(['mktree'], `wrote ${written.join(' ')} for ${made.join(' ')}`)
  // mktree reads no `core.fsync` (git 2.39): a power cut would leave a commit of empty trees.
  for (const oid of new Set(made)) syncLoose(repo, oid)
  return { tree: made.at(-1) ?? '', made }
}

/** A tree that git had already may stand in a pack, which is synced. */
function syncLoose({ commonDir }: Repo, oid: string): void {
  const file = orNull(() => openSync(join(commonDir, 'objects', oid.slice(0, 2), oid.slice(2)), 'r'))
  if (file === null) return
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function foldersOf(path: string): string[] {
  const parts = path.split('/')
  return parts.map((_, at) => parts.slice(0, at).join('/'))
}

const depth = (folder: string) => (folder === '' ? 0 : folder.split('/').length)

/** The folder of a path and its name in it, as bytes. */
function split(path: string): [folder: string, name: string] {
  const cut = path.lastIndexOf('/')
  return [cut === -1 ? '' : path.slice(0, cut), bytes(path.slice(cut + 1))]
}

/** Entries of a tree object. */
export function parseTree({ oid, content }: GitObject): TreeEntry[] {
  const width = oid.length / 2
  const entries: TreeEntry[] = []
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(0x20, at)
    const end = content.indexOf(0, space)
    entries.push({
      mode: content.toString('latin1', at, space),
      name: content.toString('latin1', space + 1, end),
      oid: content.toString('hex', end + 1, end + 1 + width),
    })
    at = end + 1 + width
  }
  return entries
}

const typeOf = (mode: string) => (mode === TREE ? 'tree' : mode === '160000' ? 'commit' : 'blob')

/** Git sorts folders as if their names ended in a slash. */
function byTreeOrder(a: TreeEntry, b: TreeEntry): number {
  const left = a.mode === TREE ? `${a.name}/` : a.name
  const right = b.mode === TREE ? `${b.name}/` : b.name
  return left < right ? -1 : left > right ? 1 : 0
}

function treeId(entries: readonly TreeEntry[], format: Repo['objectFormat']): string {
  const content = Buffer.concat(
    entries.flatMap(({ mode, name, oid }) => [
      Buffer.from(`${mode} ${name}\0`, 'latin1'),
      Buffer.from(oid, 'hex'),
    ]),
  )
  return createHash(format).update(`tree ${content.length}\0`).update(content).digest('hex')
}
