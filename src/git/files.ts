import { createHash, randomBytes } from 'node:crypto'
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
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

/**
 * Removes a file unless it is gone already. What the disk refuses once it may allow the next time, and a lock that stays is worse than a
 * second try. `rmSync` would load a module of Node that removes folders.
 */
export function removeFile(path: string, tries = 2): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    if (tries === 1) throw error
    removeFile(path, tries - 1)
  }
}

/** The same for a private file of ours at the end of what it was for: a failure changes nothing of that, and `heal` sweeps it. */
export function forgetFile(path: string): void {
  // The next heal tries again.
  orNull(() => removeFile(path))
}

/** Writes a file that must not exist yet; when that fails half-way (disk full), nothing of it stays. Throws the error. */
export function writeNew(path: string, content: string | Buffer): void {
  const file = openSync(path, 'wx')
  try {
    writeFileSync(file, content)
  } catch (error) {
    removeFile(path)
    throw error
  } finally {
    closeSync(file)
  }
}

/** A record that `writeNew` wrote as JSON; null when it was cut off: then nothing of what it announces had begun. */
export const readRecord = <T>(path: string): T | null => {
  const text = readFileSync(path, 'utf8')
  return orNull(() => JSON.parse(text) as T)
}

/** What our files under `<git-dir>/handoff/` are for; the name tells who wrote it: `<kind>.<pid>.<host>.<random>`. */
export type PrivateKind = 'index' | 'ref' | 'queue' | 'config' | 'drop' | 'made' | 'run'

export interface Owner {
  kind: PrivateKind
  pid: number
  host: string
}

/** A writer on another machine or in another container is taken for dead after this many ms. */
const FOREIGN_AGE = 10 * 60_000

/** Absolute path of the private folder of this worktree, for nobody else to read; made when absent. */
export function privateFolder(repo: { gitDir: string }): string {
  const folder = join(repo.gitDir, 'handoff')
  try {
    // Not `recursive`, which calls a read-only disk a missing folder.
    mkdirSync(folder, 0o700)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return folder
}

/** A fresh file name that tells its owner. */
export const ownName = (kind: PrivateKind): string =>
  `${kind}.${process.pid}.${hostTag()}.${randomBytes(4).toString('hex')}`

/** Who wrote the file of this name, or null when it is not one of ours. */
export function parseOwner(name: string): Owner | null {
  const [, kind, pid, host] =
    /^(index|ref|queue|config|drop|made|run)\.(\d+)\.([0-9a-f]{8})\.[0-9a-f]{8}(\.lock)?$/.exec(name) ?? []
  if (kind === undefined || pid === undefined || host === undefined) return null
  return { kind: kind as PrivateKind, pid: Number(pid), host }
}

/** True when the writer cannot be working any more. `age` of its file in ms. */
export function isGone(owner: Owner, age: number): boolean {
  if (owner.host !== hostTag()) return age > FOREIGN_AGE
  try {
    process.kill(owner.pid, 0)
    return false
  } catch (error) {
    // EPERM: it lives and belongs to somebody else.
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

/** Ms after which a file that somebody wrote aside is left over: it has its real name within some ms. */
const ASIDE_TIME = 2000

/**
 * True for a file that the store wrote aside (`aside.<pid>.<number>`) and never gave its name. `age` in ms; null: whatever its age and
 * writer.
 */
export function isLeftAside(name: string, age: number | null): boolean {
  const [, pid] = /^aside\.(\d+)\.p?\d+$/.exec(name) ?? []
  if (pid === undefined) return false
  return (
    age === null || (age > ASIDE_TIME && isGone({ kind: 'queue', pid: Number(pid), host: hostTag() }, age))
  )
}

/** Process ids mean something only on one machine and inside one container. */
function hostTag(): string {
  // No such link outside Linux: the host name alone must do.
  const space = orNull(() => readlinkSync('/proc/self/ns/pid')) ?? ''
  return createHash('sha256').update(`${hostname()}\0${space}`).digest('hex').slice(0, 8)
}
