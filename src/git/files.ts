import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs'
import { isAbsolute, join, relative, sep } from 'node:path'
import { orNull } from '../errors/handoff-error.ts'

/** The folder itself, or something below it; both absolute. */
export function isIn(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

/** A branch can change it: it lies in the work tree, and not in a git directory there. */
export const isInWorkTree = (
  { root, commonDir, gitDir }: Readonly<Record<'root' | 'commonDir' | 'gitDir', string>>,
  path: string,
): boolean => isIn(root, path) && !isIn(commonDir, path) && !isIn(gitDir, path)

/** Bytes of a file or blob that is read: no brief is that large, and a planted one must not fill the memory. */
export const MAX_BLOB = 256 * 1024

/** A work tree, and how git names what is in it. */
interface Place {
  root: string
  objectFormat: 'sha1' | 'sha256'
}

/** The id git gives these bytes as a blob. */
export const blobId = (place: Pick<Place, 'objectFormat'>, content: Buffer | string): string =>
  objectId(place, { type: 'blob', content: Buffer.from(content) })

/** The id git gives an object. */
export const objectId = (
  { objectFormat }: Pick<Place, 'objectFormat'>,
  { type, content }: { type: string; content: Buffer },
): string => createHash(objectFormat).update(`${type} ${content.length}\0`).update(content).digest('hex')

/** Blob id of a plain file's bytes; null for everything else, and for what cannot be read. */
export const hashPlainFile = (repo: Place, path: string): string | null => orNull(() => hashFile(repo, path))

/** True when this is a plain file that holds a blob. Throws what the file system says of one that cannot be read, since nobody knows then. */
export const holdsBlob = (repo: Place, path: string, oid: string): boolean =>
  orNull(() => lstatSync(join(repo.root, path)))?.isFile() === true && hashFile(repo, path) === oid

function hashFile(repo: Place, path: string): string | null {
  const file = openSync(
    join(repo.root, path),
    constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
  )
  try {
    const found = fstatSync(file)
    return found.isFile() && found.size <= MAX_BLOB ? blobId(repo, readFileSync(file)) : null
  } finally {
    closeSync(file)
  }
}

/** Folder of the briefs, relative to the root. */
export const BRIEFS = '.handoff/briefs'

/** The strict shape of an id and of the file that carries it. */
export const ID = /^\d{8}T\d{6}-[0-9a-f]{8}$/
const FILE = /^(\d{8}T\d{6}-[0-9a-f]{8})(?:-[a-z0-9-]+)?\.md$/

/** The id in the name of a brief file, or null when the path is none. */
export const idOfPath = (path: string): string | null =>
  path.startsWith(`${BRIEFS}/`) ? idOfName(path.slice(BRIEFS.length + 1)) : null

const idOfName = (name: string): string | null => FILE.exec(name)?.[1] ?? null

/** A brief as git holds it. */
export interface BriefBlob {
  path: string
  id: string
  oid: string
  /** Anything but `100644` must not be read. */
  mode: string
}

/** The briefs among the entries of the folder of briefs, as a tree view holds them (names in latin1), oldest id first. */
export function briefsIn(entries: readonly { mode: string; oid: string; name: string }[]): BriefBlob[] {
  const briefs = entries.flatMap(({ mode, oid, name }) => {
    const id = idOfName(name)
    // Folders and submodules are no blobs.
    return id === null || mode === '40000' || mode === '160000'
      ? []
      : [{ path: `${BRIEFS}/${name}`, id, oid, mode }]
  })
  return briefs.sort((a, b) => (a.path < b.path ? -1 : 1))
}
