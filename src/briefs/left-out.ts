import type { Invocation } from '../command.ts'
import type { Repo } from '../git/open-repo.ts'
import { originUrl } from '../git/settings.ts'
import { readLedger, recordOffered, recordOrigin } from '../store/ledger.ts'
import { plural } from '../text/count.ts'
import { ask, mayAsk } from '../workspace/at-terminal.ts'
import type { CurrentBrief } from './current.ts'
import { isOnOrigin } from './verdict.ts'

/** Says what the new brief did not take over from its parent, and how it may. */
export function tellLeftOut(
  { out }: Invocation,
  { current, leftOut }: { current: CurrentBrief | null; leftOut: number },
): void {
  if (current === null || leftOut === 0) return
  out.warn(
    `${itemsOf(current, leftOut)} left out, as it is not trusted; read it, then: \`git handoff trust ${current.id}\``,
  )
}

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
  const { commonDir } = repo
  if (count === 0 || !mayAsk(invocation) || (await readLedger(commonDir)).isOffered) return false
  const url = await originUrl(repo)
  if (url === null || !(await isOnOrigin(repo, current))) return false
  const hint = `take over ${itemsOf(current, count)}; agents are shown such briefs`
  const answer = await ask(invocation, (questions) =>
    questions.one({
      message: `Trust briefs on branches of origin (${url})?`,
      choices: [
        { value: 'yes', label: 'Yes', hint },
        { value: 'no', label: 'No', hint: 'leave them out' },
      ],
      initial: 'no',
    }),
  )
  await (answer === 'yes' ? recordOrigin(commonDir, url) : recordOffered(commonDir))
  return answer === 'yes'
}

const itemsOf = ({ id }: CurrentBrief, count: number): string =>
  `${plural(count, 'rule or open item', 'rules and open items')} of ${id}`
