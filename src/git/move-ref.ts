import { join } from 'node:path'
import type { Ended } from '../programs.ts'
import { forgetFile, ownName, privateFolder, writeNew } from './files.ts'
import { failure } from './git.ts'
import { freeRefs, freeUnremoved, newHealed, type RefMove, type RefRecord } from './locks.ts'
import type { Repo } from './open-repo.ts'

/**
 * Moves refs in one transaction, each only if it still is where it was (compare and swap), with `message` in the
 * reflog. Takes no abort signal: once begun it is finished. Throws `gitFailed` with git's words; nothing moved then.
 */
export async function moveRefs(repo: Repo, moves: readonly RefMove[], message: string): Promise<void> {
  const args = ['update-ref', '-m', message, '--stdin']
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
    const result = await repo.run(args, { input: lines.join(''), signal: undefined })
    isFree = freeUnremoved(repo, result.stderr)
    const isMoved = result.code === 0 || (await landed(repo, moves, result))
    // Who was killed has left its locks; nobody else would know whose they are once our record is gone.
    if (result.code === null) await freeRefs(repo, record, newHealed())
    if (!isMoved) throw failure(args, result)
  } finally {
    if (isFree) forgetFile(record)
  }
}

/**
 * A child that was killed may have finished its work, and one that could not write the reflog of HEAD has moved the branch before
 * it says so (git 2.39): the ref tells.
 */
async function landed(repo: Repo, moves: readonly RefMove[], result: Ended): Promise<boolean> {
  const first = moves[0]
  if (!first?.to) return false
  const now = await repo.run(['rev-parse', '-q', '--verify', first.ref], { signal: undefined })
  if (now.stdout.toString('utf8').trim() === first.to) return true
  if (result.code !== null) return false
  const args = ['merge-base', '--is-ancestor', first.to, first.ref]
  return (await repo.run(args, { signal: undefined })).code === 0
}
