import { join } from 'node:path'
import { gitFailed } from '../errors/git.ts'
import { forgetFile, ownName, privateFolder, writeNew } from './files.ts'
import { freeRefs, freeUnremoved, newHealed, type RefMove, type RefRecord } from './locks.ts'
import type { Repo } from './open-repo.ts'
import { type GitResult, spawnGit } from './spawn.ts'

/**
 * Moves refs in one transaction, each only if it still is where it was (compare and swap), with `message` in the
 * reflog. Takes no abort signal: once begun it is finished. Throws `gitFailed` with git's words; nothing moved then.
 */
export const moveRefs = (repo: Repo, moves: readonly RefMove[], message: string): Promise<void> =>
  openMover(repo, message).move(moves)

/** A git that has started and waits to be told what to move; it holds no lock and, told nothing, does nothing. */
export interface RefMover {
  /** Once only; see `moveRefs`. */
  move(moves: readonly RefMove[]): Promise<void>
  /** Ends a git that was told nothing; to be called in any case. */
  discard(): void
}

/** Starts git before the moves are known. */
export function openMover(repo: Repo, message: string): RefMover {
  const args = ['update-ref', '-m', message, '--stdin']
  let [tell, discard] = [(_: string) => {}, () => {}]
  const input = new Promise<string>((resolve, reject) => {
    tell = resolve
    discard = () => reject(new Error('nothing to move'))
  })
  const result = spawnGit(args, repo.child({ input, signal: undefined }))
  // Awaited when there is something to move.
  result.catch(() => undefined)
  const run = (lines: string): Promise<GitResult> => {
    tell(lines)
    return result
  }
  return { move: (moves) => moveBy(repo, moves, args, run), discard }
}

async function moveBy(
  repo: Repo,
  moves: readonly RefMove[],
  args: readonly string[],
  run: (lines: string) => Promise<GitResult>,
): Promise<void> {
  const record = join(privateFolder(repo), ownName('ref'))
  const content: RefRecord = { moves: [...moves], time: Date.now() }
  writeNew(record, JSON.stringify(content))
  let isFree = true
  try {
    const zero = '0'.repeat(repo.objectFormat === 'sha256' ? 64 : 40)
    const lines = moves.map(({ ref, to, from }) => {
      const old = from === undefined ? '' : ` ${from ?? zero}`
      return `option no-deref\n${to === null ? `delete ${ref}` : `update ${ref} ${to}`}${old}\n`
    })
    const result = await run(lines.join(''))
    isFree = freeUnremoved(repo, result.stderr)
    const isMoved = result.code === 0 || (await landed(repo, moves, result))
    // Who was killed has left its locks; nobody else would know whose they are once our record is gone.
    if (result.code === null) await freeRefs(repo, record, newHealed())
    if (!isMoved) throw gitFailed(args, result.stderr || 'git was ended by a signal')
  } finally {
    if (isFree) forgetFile(record)
  }
}

/**
 * A child that was killed may have finished its work, and one that could not write the reflog of HEAD has moved the branch before
 * it says so (git 2.39): the ref tells.
 */
async function landed(repo: Repo, moves: readonly RefMove[], result: GitResult): Promise<boolean> {
  const first = moves[0]
  if (!first?.to) return false
  const child = repo.child({ signal: undefined })
  const now = await spawnGit(['rev-parse', '-q', '--verify', first.ref], child)
  if (now.stdout.toString('utf8').trim() === first.to) return true
  if (result.code !== null) return false
  return (await spawnGit(['merge-base', '--is-ancestor', first.to, first.ref], child)).code === 0
}
