import type { Invocation } from '../command.ts'
import { heal } from '../git/heal.ts'
import type { Repo } from '../git/open-repo.ts'

/** Clears up after handoffs that were killed, and says what a person should know of it. */
export async function clearUp({ out }: Invocation, repo: Repo): Promise<void> {
  const { kept, left } = await heal(repo)
  for (const path of kept)
    out.say(`A handoff was killed before it had committed its brief, which is kept in ${path}.`)
  for (const lock of left)
    out.warn(
      `${lock} is in the way, and it is not known whose it is; when no git is running: \`rm '${lock}'\``,
    )
}
