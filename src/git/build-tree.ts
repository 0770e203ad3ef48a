import { unsafeFolder } from '../errors/briefs.ts'
import { gitFailed } from '../errors/git.ts'
import { objectId } from './files.ts'
import type { GitObject, NewObject } from './objects.ts'
import type { Repo } from './open-repo.ts'
import { readCommit } from './refs.ts'

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
 * Reads the commit a revision names and the folders of `paths` in it. Throws `unsafeFolder`, and `gitFailed` for a tree that cannot be
 * read.
 */
export async function readTreeView(repo: Repo, rev: string, paths: readonly string[]): Promise<TreeView> {
  const folders = [...new Set(paths.flatMap(foldersOf))].sort()
  const commit = await readCommit(repo, rev)
  const view: TreeView = {
    commit: commit?.oid ?? null,
    text: commit?.content.toString('utf8') ?? '',
    folders: new Map(),
  }
  if (!commit) return view
  const found = await repo.objects.read(folders.map((folder) => `${commit.oid}:${folder}`))
  for (const [at, folder] of folders.entries()) {
    const object = found[at]
    if (!object && (folder === '' || lookUp(view, folder)?.mode === TREE))
      throw gitFailed(['cat-file'], `the tree of ${folder || 'the last commit'} cannot be read`)
    if (!object) continue
    if (object.type !== 'tree') throw unsafeFolder(folder, `a ${object.type} in the last commit`)
    view.folders.set(folder, parseTree(object))
  }
  return view
}

/** What stands at a path in the view, or null. */
export function lookUp(view: TreeView, path: string): { mode: string; oid: string } | null {
  const [folder, name] = split(path)
  return view.folders.get(folder)?.find((line) => line.name === name) ?? null
}

/**
 * The trees of the view with these blobs put in (`oid` null: taken out), and the id of the root. A temporary index of 100,000 files takes a
 * second for that.
 */
export function treesWith(
  repo: Pick<Repo, 'objectFormat'>,
  view: TreeView,
  blobs: readonly { path: string; oid: string | null }[],
): { root: string; trees: NewObject[] } {
  const folders = new Map(view.folders)
  const put = (path: string, entry: Omit<TreeEntry, 'name'> | null): void => {
    const [folder, name] = split(path)
    const others = (folders.get(folder) ?? []).filter((line) => line.name !== name)
    folders.set(folder, entry ? [...others, { ...entry, name }] : others)
  }
  for (const { path, oid } of blobs) put(path, oid ? { mode: '100644', oid } : null)
  const order = [...new Set(blobs.flatMap(({ path }) => foldersOf(path)))].sort((a, b) => depth(b) - depth(a))
  const trees: NewObject[] = []
  let root = ''
  for (const folder of order) {
    const entries = folders.get(folder) ?? []
    if (entries.length === 0 && folder !== '') {
      put(folder, null)
      continue
    }
    const tree = treeOf(entries)
    const oid = objectId(repo, tree)
    trees.push(tree)
    if (folder === '') root = oid
    else put(folder, { mode: TREE, oid })
  }
  return { root, trees }
}

function treeOf(entries: readonly TreeEntry[]): NewObject {
  const inOrder = ({ mode, name }: TreeEntry): string => (mode === TREE ? `${name}/` : name)
  const lines = [...entries]
    .sort((a, b) => (inOrder(a) < inOrder(b) ? -1 : 1))
    .flatMap(({ mode, name, oid }) => [Buffer.from(`${mode} ${name}\0`, 'latin1'), Buffer.from(oid, 'hex')])
  return { type: 'tree', content: Buffer.concat(lines) }
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
