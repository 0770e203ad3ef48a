import type { Invocation } from '../command.ts'
import type { Repo } from '../git/open-repo.ts'
import { writeJournal } from '../store/journal.ts'

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Keeps what went wrong in a hook in the private journal: what a hook prints may reach a model or stop a prompt. */
export async function noteFailure(
  { place }: Invocation,
  { commonDir }: Repo,
  [agent, event]: readonly [agent: string, event: string],
  error: unknown,
): Promise<null> {
  const at = place.now().toISOString()
  // A disk that takes no journal has said so to everybody else.
  await writeJournal(commonDir, { at, kind: 'hook', agent, event, failed: messageOf(error) }).catch(() => {})
  return null
}
