import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Repo } from './open-repo.ts'

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
export function privateFolder(repo: Pick<Repo, 'gitDir'>): string {
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
  let space = ''
  try {
    space = readlinkSync('/proc/self/ns/pid')
  } catch {
    // No such link outside Linux: the host name alone must do.
  }
  return createHash('sha256').update(`${hostname()}\0${space}`).digest('hex').slice(0, 8)
}
