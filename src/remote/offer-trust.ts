import { findBrief } from '../briefs/find-brief.ts'
import { isOnOrigin } from '../briefs/verdict.ts'
import type { Invocation } from '../command.ts'
import type { Repo } from '../git/open-repo.ts'
import { ensureFilter, originUrl } from '../git/settings.ts'
import { readLedger, recordOffered, recordOrigin, recordTrusted } from '../store/ledger.ts'
import { ask, mayAsk } from '../workspace/at-terminal.ts'

/**
 * Shows an untrusted brief to a person at a terminal, and asks whether agents may read it, or all that origin carries; `isNeeded`: else a
 * clone asks once. True when they may. Throws `cancelled`, `unknownId`, `writeFailed`.
 */
export async function offerTrust(
  invocation: Invocation,
  repo: Repo,
  id: string,
  isNeeded: boolean,
): Promise<boolean> {
  if (!mayAsk(invocation) || (!isNeeded && (await readLedger(repo.commonDir)).isOffered)) return false
  const brief = await findBrief(repo, id, repo.root)
  // That of a fork stands on no branch of origin.
  const url = (await isOnOrigin(repo, brief)) ? await originUrl(repo) : null
  invocation.out.quote(brief.text)
  const answer = await ask(invocation, (questions) =>
    questions.one({
      message: 'You see the whole brief above. May agents read it?',
      choices: [
        { value: 'no', label: 'No' },
        { value: 'brief', label: 'Yes, this brief' },
        ...(url === null
          ? []
          : [{ value: 'origin', label: `Yes, every brief on branches of origin (${url})` }]),
      ],
      initial: 'no',
    }),
  )
  if (answer !== 'origin') await recordOffered(repo.commonDir)
  if (answer === 'no') return false
  await (answer === 'origin' && url !== null
    ? recordOrigin(repo.commonDir, url)
    : recordTrusted(repo.commonDir, brief.oid))
  await ensureFilter(repo)
  return true
}
