import { constants } from 'node:fs'
import { access, lstat, readFile, realpath, stat } from 'node:fs/promises'
import { dirname, extname, isAbsolute, join, relative, sep } from 'node:path'
import { nullIfMissing } from '../errors/handoff-error.ts'

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
  const closed = (reason: string): Target => ({ state: 'closed', reason })
  // What is there already: the file, else the folder that it would be made below.
  const missing: string[] = []
  let there = path
  while ((await lstat(there).catch(nullIfMissing)) === null) {
    if (there !== path) missing.unshift(there)
    there = dirname(there)
  }
  const isNew = there !== path
  const base = await realpath(there).catch(nullIfMissing)
  if (base === null) return closed(`${isNew ? there : 'it'} is a symbolic link to nothing`)
  const real = join(base, relative(there, path))
  const refused = await refusal(path, real, bounds)
  if (refused !== null) return closed(refused)
  const found = await stat(base)
  if (isNew && !found.isDirectory()) return closed(`${there} is not a folder`)
  if (!isNew && !found.isFile()) return closed('it is not a plain file')
  if (!isNew && found.size > MAX_BYTES) return closed(`it is larger than ${MAX_BYTES / 1024 / 1024} MB`)
  // It is exchanged by a rename, which the folder must allow.
  const folder = isNew ? there : dirname(path)
  const readOnly =
    !isNew && !(await isWritable(base))
      ? path
      : (await isWritable(isNew ? base : dirname(real)))
        ? null
        : folder
  return {
    state: 'open',
    path: real,
    bytes: isNew ? null : await readFile(real),
    mode: isNew ? null : found.mode & 0o7777,
    folders: missing.map((one) => join(base, relative(there, one))),
    readOnly,
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

async function isWritable(path: string): Promise<boolean> {
  // The bits as well: the administrator may write everything, and somebody took the right away on purpose.
  if (((await stat(path)).mode & 0o222) === 0) return false
  return access(path, constants.W_OK).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (['EACCES', 'EPERM', 'EROFS'].includes(error.code ?? '')) return false
      throw error
    },
  )
}

/** The folder itself, or something below it. Both absolute. */
export function isWithin(folder: string, path: string): boolean {
  const rest = relative(folder, path)
  return rest === '' || (rest !== '..' && !rest.startsWith(`..${sep}`) && !isAbsolute(rest))
}
