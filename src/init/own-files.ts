import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { orNull } from '../errors/handoff-error.ts'
import type { Repo } from '../git/open-repo.ts'
import { digestOf, parseRecord, SETUP_RECORD } from '../hooks/record.ts'
import { readPrivate } from '../store/private.ts'

/** Which files say nothing of the work, since `init` wrote them and nobody went on with them. */
export interface OwnFiles {
  /** Those that stand as the record of `init` left them, from the top of the worktree. */
  recorded: ReadonlySet<string>
  /** The same of a file that git tells of; `isChanged`: somebody changed it since HEAD. */
  has(path: string, isChanged: boolean): boolean
}

/** By the digests in the record of this clone; in the clone of a colleague, which has none, by what `init --remove` would leave of a file: nothing. */
export async function readOwnFiles(repo: Repo, roots: readonly string[]): Promise<OwnFiles> {
  const { commonDir, root } = repo
  const record = parseRecord(await readPrivate(commonDir, SETUP_RECORD))
  const recorded = new Map<string, boolean>()
  for (const [absolute, { after }] of Object.entries(record?.files ?? {}))
    for (const top of roots) {
      const path = relative(top, absolute)
      const content = path.startsWith('..') ? null : orNull(() => readFileSync(join(root, path)))
      if (content !== null) recorded.set(path, digestOf(content) === after || recorded.get(path) === true)
    }
  const brought = recorded.size > 0 ? null : await broughtFiles(repo)
  return {
    recorded: new Set([...recorded].flatMap(([path, isLeft]) => (isLeft ? [path] : []))),
    has: (path, isChanged) => recorded.get(path) ?? (!isChanged && brought?.has(join(root, path)) === true),
  }
}

/** Files that another clone set up and that hold nothing else; the block that every `init` writes tells whether there are any. */
async function broughtFiles(repo: Repo): Promise<ReadonlySet<string> | null> {
  const agents = join(repo.root, 'AGENTS.md')
  if (!existsSync(agents) || !readFileSync(agents, 'utf8').includes('>>> handoff')) return null
  const { filesOfOurs } = await import('./init-plan.ts')
  return filesOfOurs(repo)
}
