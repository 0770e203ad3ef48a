import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { orNull } from '../errors/handoff-error.ts'
import { readRecord, removeFile } from './files.ts'
import type { Repo } from './open-repo.ts'
import { readHead } from './refs.ts'

/** A git child may outlive its parent by some ms; a lock younger than this (ms) is left to it. */
const CHILD_TIME = 2000
/** An empty ref lock made within this many ms of our record is ours. */
const WINDOW = 10_000

export interface Healed {
  /** Absolute paths of locks that a killed handoff had left and that were removed. */
  removed: string[]
  /** Absolute paths of locks nobody can be proved to have left; a person must decide. */
  left: string[]
  /** Where briefs are kept that a killed handoff had not committed. */
  kept: string[]
}

/** Nothing found yet. */
export const newHealed = (): Healed => ({ removed: [], left: [], kept: [] })

/** A lock that is the same file as our private copy was linked by us, and the one who would rename it is dead. */
export function freeIndex(lock: string, ino: number, healed: Healed): void {
  if (orNull(() => statSync(lock))?.ino === ino) remove(lock, healed)
}

/** One step of a transaction. `from` null: the ref must not exist; undefined: whatever it is; `to` null deletes it. */
export interface RefMove {
  /** Full name, or `HEAD` for a detached HEAD. */
  ref: string
  to: string | null
  from?: string | null
}

/** What `heal` needs to recognise a lock left by a killed git. */
export interface RefRecord {
  moves: RefMove[]
  /** ms since 1970. */
  time: number
}

/** Locks of refs that a killed git held for us: with our commit in them, or empty and made with our record. */
export async function freeRefs(
  repo: Pick<Repo, 'gitDir' | 'commonDir'>,
  record: string,
  healed: Healed,
): Promise<void> {
  const found = readRecord<RefRecord>(record)
  if (found === null) return
  const { moves, time } = found
  // Git locks HEAD too when the branch it names is moved.
  const locks = [
    join(repo.gitDir, 'HEAD.lock'),
    ...moves.map(({ ref }) => join(ref === 'HEAD' ? repo.gitDir : repo.commonDir, `${ref}.lock`)),
  ]
  const ids = moves.map((move) => move.to)
  for (const lock of new Set(locks)) {
    const made = await settled(lock)
    const held = orNull(() => readFileSync(lock, 'utf8'))
    if (made === null || held === null) continue
    if (ids.includes(held.trim()) || (isTorn(held, ids) && isWithin(made, time))) remove(lock, healed)
    else healed.left.push(lock)
  }
}

/** What git says of a file that it could not remove in the end, before it ends as if it had (2.39). */
const UNREMOVED = /^warning: unable to unlink '(.*)': /gm

/** Removes locks of refs that a git of ours could not remove, by its own words: nobody else would. False when one stays. */
export function freeUnremoved(repo: Pick<Repo, 'root' | 'gitDir' | 'commonDir'>, stderr: string): boolean {
  const paths = [...stderr.matchAll(UNREMOVED)].map(([, path = '']) => resolve(repo.root, path))
  const isOurs = (path: string) =>
    path.endsWith('.lock') && [repo.gitDir, repo.commonDir].some((dir) => path.startsWith(join(dir, '/')))
  return paths.filter(isOurs).every((path) => {
    try {
      removeFile(path)
      return true
    } catch {
      return false // The next heal knows it by the record.
    }
  })
}

/** The lock of the configuration that a killed git held for us: made with our record. */
export async function freeConfig(
  repo: Pick<Repo, 'commonDir'>,
  record: string,
  healed: Healed,
): Promise<void> {
  const lock = join(repo.commonDir, 'config.lock')
  const made = await settled(lock)
  if (made === null) return
  if (isWithin(made, statSync(record).mtimeMs)) remove(lock, healed)
  else healed.left.push(lock)
}

/** When a lock was last written, once whoever may still hold it has had its time; null when there is none. */
async function settled(lock: string): Promise<number | null> {
  const found = orNull(() => statSync(lock))
  if (!found) return null
  // The clock may have been set back since.
  await sleep(Math.min(CHILD_TIME, Math.max(0, found.mtimeMs + CHILD_TIME - Date.now())))
  return orNull(() => statSync(lock))?.mtimeMs ?? null
}

const isWithin = (made: number, time: number) => made >= time - 1000 && made <= time + WINDOW

/** Empty, or cut off within one of our ids. */
const isTorn = (held: string, ids: readonly (string | null)[]) =>
  held === '' || ids.some((id) => id?.startsWith(held.trim()) === true)

function remove(lock: string, healed: Healed): void {
  removeFile(lock)
  healed.removed.push(lock)
}

export interface LeftoverLock {
  /** Absolute. */
  path: string
  /** Ms since it was last written to. */
  age: number
}

/** Ms that a writer may take; what is younger is in use. The longest of ours that holds one takes a fraction of it. */
const WORK = 10_000

/** Locks of git, in this worktree or shared by all, that nobody has touched for a while: whoever took them was killed, or hangs. */
export async function leftoverLocks(repo: Repo): Promise<LeftoverLock[]> {
  const { gitDir, commonDir, indexPath } = repo
  const { ref } = await readHead(repo)
  const parked = join(commonDir, 'refs', 'handoff')
  const names = (orNull(() => readdirSync(parked)) ?? []).filter((name) => name.endsWith('.lock'))
  const paths = [
    `${indexPath}.lock`,
    join(gitDir, 'HEAD.lock'),
    join(commonDir, 'config.lock'),
    join(commonDir, 'packed-refs.lock'),
    ...(ref === 'HEAD' ? [] : [join(commonDir, `${ref}.lock`)]),
    ...names.sort().map((name) => join(parked, name)),
  ]
  return paths.flatMap((path) => {
    const found = orNull(() => statSync(path))
    const age = found === null ? 0 : Date.now() - found.mtimeMs
    return age > WORK ? [{ path, age }] : []
  })
}
