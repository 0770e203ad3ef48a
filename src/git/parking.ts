import { moveRefs } from './move-ref.ts'
import type { Repo } from './open-repo.ts'
import { writeCommit } from './write-commit.ts'

/** Trailer of a parked commit: the branch that shall adopt it, or `HEAD`. */
const PARKED_ON = 'Handoff-Parked-On'

/** The message of a commit that waits for a branch (its full name, or `HEAD`). */
export function parkedMessage(message: string, branch: string): string {
  const text = message.replace(/\n+$/, '')
  const last = text.slice(text.lastIndexOf('\n') + 1)
  return `${text}${/^[A-Za-z-]+: /.test(last) && text.includes('\n') ? '\n' : '\n\n'}${PARKED_ON}: ${branch}\n`
}

/** The branch that a commit waits for, by its text; null when it waits for none. */
export const parkedOn = (commit: string): string | null =>
  new RegExp(`^${PARKED_ON}: (HEAD|refs/heads/\\S+)$`, 'm').exec(commit)?.[1] ?? null

/** The message without the trailer, for the commit that adopts it. */
export const adoptedMessage = (message: string): string =>
  `${message.replace(new RegExp(`^${PARKED_ON}: .*\n?`, 'm'), '').trimEnd()}\n`

/** Parks what a commit of ours holds, for a branch that is about to lose it or has lost it. `why`: for the reflog. Throws `gitFailed`. */
export async function parkCopy(
  repo: Repo,
  { id, commit, message, branch, why }: Record<'id' | 'commit' | 'message' | 'branch' | 'why', string>,
): Promise<void> {
  const parents = (await repo.git(['rev-list', '-1', '--parents', commit])).trim().split(' ').slice(1)
  const { oid } = await writeCommit(repo, {
    tree: `${commit}^{tree}`,
    parents,
    message: parkedMessage(message, branch),
    sign: false,
    stored: Promise.resolve(),
  })
  await moveRefs(repo, [{ ref: `refs/handoff/${id}`, to: oid }], `handoff: ${id} ${why}`)
}
