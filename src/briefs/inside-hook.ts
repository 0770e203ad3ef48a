import { OURS } from '../git/environment.ts'
import { processChain } from '../process-chain.ts'

/** Hooks that run before the commit they belong to exists: a second commit made in them breaks it. */
const BEFORE = /(?:^|\/)(pre-commit|prepare-commit-msg|commit-msg|pre-merge-commit)$/
/** Hooks in the midst of something else: the first has read the branch, the others run at each write, also at ours. */
const AMID = /(?:^|\/)(pre-rebase|post-index-change|reference-transaction)$/

/**
 * The hook that this process runs in, where a commit would break what git does, or null. Only the parents' command lines tell which it is.
 */
export async function insideUnfinished(
  env: Readonly<Record<string, string | undefined>>,
  parent: number,
): Promise<string | null> {
  if (env[OURS] !== undefined) return 'reference-transaction'
  if (!env.GIT_INDEX_FILE && !env.GIT_EXEC_PATH) return null
  for await (const { words } of processChain(parent)) {
    for (const word of words) {
      const name = (env.GIT_INDEX_FILE ? BEFORE.exec(word) : null) ?? AMID.exec(word)
      if (name?.[1] !== undefined) return name[1]
    }
  }
  return null
}
