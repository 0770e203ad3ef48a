import { readdirSync, readFileSync, statSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RefRecord } from './move-ref.ts'
import type { Repo } from './open-repo.ts'
import { orNull } from './or-null.ts'
import { isGone, parseOwner } from './private-folder.ts'
import { removeFile } from './remove-file.ts'

/** A git child may outlive its parent by some ms; a lock younger than this (ms) is left to it. */
const CHILD_TIME = 2000
/** An empty ref lock made within this many ms of our record is ours. */
const WINDOW = 10_000

export interface Healed {
  /** Absolute paths of locks that a killed handoff had left and that were removed. */
  removed: string[]
  /** Absolute paths of locks nobody can be proved to have left; a person must decide. */
  left: string[]
}

/**
 * Clears up after handoffs that were killed: their private files, and the locks that provably are theirs. Costs one
 * directory listing when there is nothing to do. Called at the start of every write.
 */
export async function heal(repo: Pick<Repo, 'gitDir' | 'commonDir' | 'indexPath'>): Promise<Healed> {
  const folder = join(repo.gitDir, 'handoff')
  const healed: Healed = { removed: [], left: [] }
  for (const name of namesIn(folder)) {
    const owner = parseOwner(name)
    if (!owner) continue
    const path = join(folder, name)
    const found = orNull(() => statSync(path))
    if (!found || !isGone(owner, Date.now() - found.mtimeMs)) continue
    if (owner.kind === 'index') freeIndex(`${repo.indexPath}.lock`, found.ino, healed)
    if (owner.kind === 'ref') await freeRefs(repo, path, healed)
    removeFile(path)
  }
  return healed
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** A lock that is the same file as our private copy was linked by us, and the one who would rename it is dead. */
function freeIndex(lock: string, ino: number, healed: Healed): void {
  if (orNull(() => statSync(lock))?.ino === ino) remove(lock, healed)
}

async function freeRefs(
  repo: Pick<Repo, 'gitDir' | 'commonDir'>,
  record: string,
  healed: Healed,
): Promise<void> {
  const text = readFileSync(record, 'utf8')
  // Cut off while it was written: git had not been started then.
  if (!text.endsWith('}')) return
  const { moves, time } = JSON.parse(text) as RefRecord
  // Git locks HEAD too when the branch it names is moved.
  const locks = [
    join(repo.gitDir, 'HEAD.lock'),
    ...moves.map(({ ref }) => join(ref === 'HEAD' ? repo.gitDir : repo.commonDir, `${ref}.lock`)),
  ]
  const ids = moves.map((move) => move.to)
  for (const lock of new Set(locks)) {
    const found = orNull(() => statSync(lock))
    if (!found) continue
    await sleep(Math.max(0, found.mtimeMs + CHILD_TIME - Date.now()))
    const held = orNull(() => readFileSync(lock, 'utf8'))
    if (held === null) continue
    const recent = found.mtimeMs >= time - 1000 && found.mtimeMs <= time + WINDOW
    if (ids.includes(held.trim()) || (held === '' && recent)) remove(lock, healed)
    else healed.left.push(lock)
  }
}

function remove(lock: string, healed: Healed): void {
  unlinkSync(lock)
  healed.removed.push(lock)
}
