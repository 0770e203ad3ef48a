import { constants, type Stats } from 'node:fs'
import { access, lstat, readFile, realpath, stat } from 'node:fs/promises'
import { dirname, extname, isAbsolute, join, relative, sep } from 'node:path'

/** Where an edit really lands. */
export type Target =
  | {
      state: 'open'
      /** Real path: what a link points to is changed, the link stays. */
      path: string
      /** Null when there is no file yet. */
      bytes: Buffer | null
      mode: number | null
      /** Folders to be made first, outermost first. */
      folders: string[]
      /** What must not be written, the file or its folder; null when it may be. */
      readOnly: string | null
    }
  /** `reason` continues "left alone: ". */
  | { state: 'closed'; reason: string }

/** Places that settings may lie in: the top of the worktree and the home directory. */
export interface Bounds {
  root: string
  home: string
}

/** Settings are read whole; larger files than this are none. */
const MAX_BYTES = 8 * 1024 * 1024

/**
 * Looks at a file before anything is written. Links are followed as long as they stay in the worktree or at home, outside
 * `.git`, and lead to a file of the same kind.
 */
export async function openTarget(path: string, bounds: Bounds): Promise<Target> {
  try {
    return await open(path, bounds)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'EACCES' && code !== 'EPERM' && code !== 'ELOOP') throw error
    return { state: 'closed', reason: `it cannot be read (${code})` }
  }
}

async function open(path: string, bounds: Bounds): Promise<Target> {
  const found = await lstat(path).catch(noneIfMissing)
  if (found === null) return openNew(path, bounds)
  const real = await realpath(path).catch(noneIfMissing)
  if (real === null) return { state: 'closed', reason: 'it is a symbolic link to nothing' }
  const refused = await refusal(path, real, bounds)
  if (refused !== null) return { state: 'closed', reason: refused }
  const { size, mode, isPlain } = facts(await stat(real))
  if (!isPlain) return { state: 'closed', reason: 'it is not a plain file' }
  if (size > MAX_BYTES) return { state: 'closed', reason: `it is larger than ${MAX_BYTES / 1024 / 1024} MB` }
  // It is exchanged by a rename, which the folder must allow.
  const folder = dirname(real)
  const mayWrite = await isWritable(real, mode)
  const readOnly = !mayWrite
    ? path
    : (await isWritable(folder, (await stat(folder)).mode))
      ? null
      : dirname(path)
  return {
    state: 'open',
    path: real,
    bytes: await readFile(real),
    mode: mode & 0o7777,
    folders: [],
    readOnly,
  }
}

async function openNew(path: string, bounds: Bounds): Promise<Target> {
  const folders: string[] = []
  let folder = dirname(path)
  let found = await lstat(folder).catch(noneIfMissing)
  while (found === null) {
    folders.unshift(folder)
    folder = dirname(folder)
    found = await lstat(folder).catch(noneIfMissing)
  }
  const real = await realpath(folder).catch(noneIfMissing)
  if (real === null) return { state: 'closed', reason: `${folder} is a symbolic link to nothing` }
  const target = join(real, relative(folder, path))
  const refused = await refusal(path, target, bounds)
  if (refused !== null) return { state: 'closed', reason: refused }
  const { mode, isFolder } = facts(await stat(real))
  if (!isFolder) return { state: 'closed', reason: `${folder} is not a folder` }
  return {
    state: 'open',
    path: target,
    bytes: null,
    mode: null,
    folders: folders.map((one) => join(real, relative(folder, one))),
    readOnly: (await isWritable(real, mode)) ? null : folder,
  }
}

/** Why a path must not be followed to where it leads, or null. */
async function refusal(path: string, real: string, { root, home }: Bounds): Promise<string | null> {
  const base = [root, home].find((one) => isWithin(one, path)) ?? dirname(path)
  const bases = await Promise.all([base, root, home].map((one) => realpath(one).catch(() => one)))
  const [first = base, ...rest] = bases
  if (real === join(first, relative(base, path))) return null
  if (!rest.some((one) => isWithin(one, real)))
    return `a symbolic link leads out of the repository and of the home directory, to ${real}`
  if (real.split(sep).includes('.git')) return `a symbolic link leads to ${real}`
  if (extname(real) !== extname(path)) return `a symbolic link leads to a file of another kind, ${real}`
  return null
}

async function isWritable(path: string, mode: number): Promise<boolean> {
  // The bits as well: the administrator may write everything, and somebody took the right away on purpose.
  return (mode & 0o222) !== 0 && (await access(path, constants.W_OK).then(() => true, isRefused))
}

const isRefused = (error: NodeJS.ErrnoException): false => {
  if (['EACCES', 'EPERM', 'EROFS'].includes(error.code ?? '')) return false
  throw error
}

const facts = (found: Stats) => ({
  size: found.size,
  mode: found.mode,
  isPlain: found.isFile(),
  isFolder: found.isDirectory(),
})

/** The folder itself, or something below it. Both absolute. */
export function isWithin(folder: string, path: string): boolean {
  const rest = relative(folder, path)
  return rest === '' || (rest !== '..' && !rest.startsWith(`..${sep}`) && !isAbsolute(rest))
}

const noneIfMissing = (error: NodeJS.ErrnoException): null => {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
  throw error
}
