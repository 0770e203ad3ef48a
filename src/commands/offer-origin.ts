import { heedless, type Repo } from '../git/open-repo.ts'
import { originUrl } from '../git/origin-url.ts'
import { recordOffered, recordOrigin } from '../store/ledger.ts'
import { plural } from '../text/count.ts'
import { ask, mayAsk } from './at-terminal.ts'
import type { CurrentBrief } from './current.ts'
import type { Invocation } from './table.ts'
import { verdictOnWords, wasOffered } from './verdict.ts'

/**
 * Asks a person at a terminal, once in a clone, whether to trust what origin carries, when a handoff would leave out `count`
 * items of a brief for want of that trust. True when they do. Throws `cancelled`, `writeFailed`.
 */
export async function offerOrigin(
  invocation: Invocation,
  repo: Repo,
  current: CurrentBrief,
  count: number,
): Promise<boolean> {
  if (count === 0 || !mayAsk(invocation) || (await wasOffered(repo))) return false
  const url = await originUrl(repo)
  if (url === null || !(await verdictOnWords(repo, current, true)).trusted) return false
  const items = plural(count, 'constraint or question', 'constraints and questions')
  const answer = await ask(invocation, (questions) =>
    questions.one({
      message: `Trust briefs on branches of origin (${url})?`,
      choices: [
        {
          value: 'yes',
          label: 'Yes',
          hint: `take over ${items} of ${current.id}; agents are shown such briefs`,
        },
        { value: 'no', label: 'No', hint: 'leave them out' },
      ],
      initial: 'no',
    }),
  )
  const { commonDir } = heedless(repo)
  await (answer === 'yes' ? recordOrigin(commonDir, url) : recordOffered(commonDir))
  return answer === 'yes'
}
