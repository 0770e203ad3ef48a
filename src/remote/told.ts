import { untrustedLine } from '../brief/prompt.ts'
import { readCheckout } from '../briefs/current.ts'
import type { Invocation } from '../command.ts'
import type { Repo } from '../git/open-repo.ts'
import { readOpenBrief } from '../status/read-status.ts'
import { briefLines } from '../status/status-lines.ts'
import { isAgent } from '../workspace/at-terminal.ts'

/** The open brief of a checkout, for the object of `--json` and in lines. An agent hears of one that is not trusted, and no word of it. */
export async function tellOpen(
  { place }: Invocation,
  repo: Repo,
): Promise<{ brief: { id: string; trusted: boolean; because: string } | null; lines: string[] }> {
  const brief = await readOpenBrief(repo, await readCheckout(repo), place.now())
  if (brief === null) return { brief, lines: ['No brief is open on this branch.'] }
  const { id, path, open, trusted, because } = brief
  if (!trusted && isAgent(place.env))
    return {
      brief: { id, ...{ path, open, trusted, because } },
      lines: [untrustedLine(id, because).trimEnd()],
    }
  const [first = '', by = '', ...rest] = briefLines(brief)
  return { brief, lines: [first, trusted ? `${by}; trusted, since ${because}` : by, ...rest] }
}
