import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Repo } from './open-repo.ts'
import { orNull } from './or-null.ts'
import { readHead } from './read-head.ts'

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
