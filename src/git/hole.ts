import { statSync } from 'node:fs'
import { join } from 'node:path'
import { orNull } from './or-null.ts'
import { isQuestion, passedOver } from './passed-over.ts'
import { backOff } from './retry.ts'

/** Words of git for what a ref names and what is not there (git 2.39, `LC_ALL=C`). */
const GONE = /^(?:fatal|error): (?:bad (?:tree )?object|missing object|unable to read tree) \(?([^\s)]+)/m
const ID = /^[0-9a-f]{40,64}$/
/**
 * Ms since HEAD was moved for which it may name what a collection has taken: the handoff that moved it sees that, and puts it back. What
 * is gone for longer is gone.
 */
export const LATELY = 20_000

/** Whether HEAD was moved a moment ago, by its reflog; false where there is none. */
export function isMovedLately(gitDir: string): boolean {
  const moved = orNull(() => statSync(join(gitDir, 'logs/HEAD')).mtimeMs)
  return moved !== null && Math.abs(Date.now() - moved) < LATELY
}

/**
 * Asks a question of git again as long as it fails for an object that may come back: one that git came upon by itself. What it was asked
 * for by its id somebody wrote down, and it may never have been in this clone.
 */
export async function pastHole<T extends { code: number | null; stderr: string }>(
  args: readonly string[],
  {
    isHole,
    signal,
    input,
  }: { isHole?: (() => boolean) | undefined; signal?: AbortSignal | undefined; input?: unknown },
  ask: () => Promise<T>,
): Promise<T> {
  for (let round = 0; ; round++) {
    const answer = await ask()
    const gone = answer.code && isQuestion(args) ? GONE.exec(answer.stderr)?.[1] : undefined
    if (gone === undefined || input !== undefined) return answer
    if (ID.test(gone) && args.some((arg) => arg.includes(gone))) return answer
    // What is there and cannot be read does not come back by waiting.
    if (passedOver(answer.stderr).length > 0 || isHole?.() !== true) return answer
    await backOff(round, signal)
  }
}
