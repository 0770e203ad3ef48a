import { readCheckout } from '../briefs/current.ts'
import { refreshLatest } from '../briefs/latest-file.ts'
import type { Invocation, Outcome } from '../command.ts'
import { noBranchHere, noRemote, notThere } from '../errors/remote.ts'
import { forOneAnswer, withoutAbort } from '../git/open-repo.ts'
import { branchName, readHead } from '../git/refs.ts'
import { readRemotes } from '../git/remotes.ts'
import { plural } from '../text/count.ts'
import { typedWord } from '../text/safe-text.ts'
import { sentTo, tellPickedUp, waitingIn } from '../work/send-work.ts'
import { mayAsk } from '../workspace/at-terminal.ts'
import { openWorkspace } from '../workspace/workspace.ts'
import { fetchSource, findSource } from './branch-source.ts'
import { goOn } from './go-on.ts'
import { pullPlace, trunkName } from './place.ts'
import { tellOpen } from './told.ts'

/**
 * Fetches the current branch and that of its briefs, fast-forwards, and tells the brief that came. Throws `noBranchHere`, `noRemote`,
 * `notThere` and what `findSource`, `fetchSource` and `goOn` throw.
 */
export async function pull(invocation: Invocation): Promise<Outcome> {
  const { out } = invocation
  const { repo } = await openWorkspace(invocation)
  await refreshLatest(invocation, repo)
  const branch = branchName((await readHead(repo)).ref)
  if (branch === null) throw noBranchHere(false)
  const [remotes, { current: before, landed }] = await Promise.all([readRemotes(repo), readCheckout(repo)])
  const isAttended = mayAsk(invocation)
  const place = await pullPlace(repo, remotes, branch)
  if (place === null) throw noRemote(branch, remotes.list)
  const { remote } = place
  const source = await findSource(repo, branch, place, isAttended)
  const { from, apart } = source
  const far = branchName(place.ref) ?? place.ref
  if (from === null && apart === null) {
    const over = landed.find((brief) => brief.branch === branch && before === null)
    const wasThere = remotes.upstreamOf(branch)?.ref === place.ref
    throw notThere(far, remote, { landed: over?.id ?? null, wasThere, trunk: await trunkName(repo) })
  }
  const hasBriefs = await fetchSource(repo, remotes, source, isAttended)
  const picked = await tellPickedUp(repo, { remote, isAttended }, source.works, invocation.place.now())
  const { ahead, behind } = await goOn(invocation, repo, source, true)
  const after = forOneAnswer(withoutAbort(repo))
  await refreshLatest(invocation, after)
  const { brief, lines } = await tellOpen(invocation, after)
  const isNew = brief !== null && brief.id !== before?.id
  const own = new Set((await sentTo(repo, remote)).map(({ id }) => id))
  const waits = waitingIn(source.works).filter(({ id }) => !own.has(id))
  const came = [
    ...(behind > 0 ? [`${plural(behind, 'new commit')} on ${branch}`] : []),
    ...(hasBriefs ? [`new briefs on handoff/${branch}`] : []),
  ]
  const text = [
    came.length === 0
      ? `Nothing new on ${far} of ${remote}.`
      : `${came.join(' and ')} from ${remote}.`.replace(/^n/, 'N'),
    ...(isNew || came.length === 0 ? [] : ['No new brief.']),
    ...(isNew || (came.length > 0 && brief !== null) ? lines : []),
  ]
  const told = { ok: true, remote, branch, commits: behind, ahead, news: came.length > 0 }
  return {
    result: { ...told, brief, isNew, warnings: out.warnings },
    text: text.join('\n'),
    said: [
      ...(ahead > 0 ? [`${plural(ahead, 'commit')} here that ${remote} lacks: \`git handoff push\``] : []),
      ...(came.length === 0 ? ['Another branch: `git handoff open <branch>`'] : []),
      ...picked,
      ...(brief !== null && waits.some(({ id }) => id === brief.id)
        ? [`Uncommitted work waits beside it: \`git handoff open ${typedWord(branch)}\``]
        : []),
    ],
  }
}
