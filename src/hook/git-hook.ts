import { inHeadOf, readCurrent } from '../briefs/current.ts'
import { refreshInHook } from '../briefs/latest-file.ts'
import { verdictOn } from '../briefs/verdict.ts'
import type { ExitCode, Invocation } from '../command.ts'
import { loadConfig } from '../config/load.ts'
import { reasonOf } from '../errors/handoff-error.ts'
import { forOneAnswer, openRepo, type Repo } from '../git/open-repo.ts'
import type { GitEventName } from '../hooks/runner.ts'
import { noteFailure } from '../store/journal.ts'
import { clipLine } from '../text/safe-text.ts'
import { checkPush, checkStaged } from './git-hook-check.ts'
import { offerTrailer } from './git-hook-trailer.ts'

/** Characters of the goal that a line in a terminal has room for. */
const GOAL = 100

type Answer = (invocation: Invocation, repo: Repo, args: readonly string[]) => Promise<ExitCode>

const ANSWERS: Record<GitEventName, Answer> = {
  'pre-commit': checkStaged,
  'prepare-commit-msg': offerTrailer,
  'post-checkout': (invocation, repo, [from, to]) => tellBrief(invocation, repo, from !== to),
  'post-merge': (invocation, repo) => tellBrief(invocation, repo, true),
  'post-rewrite': (invocation, repo, args) => tellBrief(invocation, repo, args.at(-1) !== NO_NEWS),
  'pre-push': checkPush,
}

/** What the runner puts behind the arguments of a rewrite that left every brief as it was. */
const NO_NEWS = 'no'

/**
 * One hook of git. It fails what the person does only for errors in briefs, where a check was asked for; whatever else goes wrong is
 * said in one line where a check is missing now, and else goes into the private journal. Never creates or stages anything.
 */
export async function runGitHook(
  invocation: Invocation,
  event: GitEventName,
  args: readonly string[],
): Promise<ExitCode> {
  const { place, out } = invocation
  if (place.env.HANDOFF === '0') return 0
  let repo: Repo | null = null
  try {
    repo = forOneAnswer(await openRepo(place.root, { env: place.env, signal: place.signal }))
    return await ANSWERS[event](invocation, repo, args)
  } catch (error) {
    if (event === 'pre-commit' || event === 'pre-push')
      out.say(
        `handoff: the briefs of this ${event.slice(4)} were not checked: ${clipLine(reasonOf(error), 300)}`,
      )
    else if (repo !== null) await noteFailure(invocation, repo, ['git', event], error)
    return 0
  }
}

/** Brings the copy in `latest.md` up to date and says in one line which brief is open here; `isNews` false: only what somebody must know. */
async function tellBrief(invocation: Invocation, repo: Repo, isNews: boolean): Promise<ExitCode> {
  // A configuration that cannot be read is told by every command.
  const loaded = await loadConfig(invocation.place, { root: repo.root, flags: {} }).catch(() => null)
  repo.trunks = loaded?.config.trunk ?? []
  const brief = await readCurrent(repo)
  const told = await refreshInHook(invocation, repo, brief)
  const parts: string[] = []
  if (isNews && brief !== null) {
    const { trusted } = await verdictOn(repo, brief, inHeadOf(brief))
    parts.push(
      trusted
        ? `brief ${brief.id} is open here: ${clipLine(brief.parsed.meta.goal, GOAL)}`
        : `brief ${brief.id} is here and not trusted; after reading it, run \`git handoff trust ${brief.id}\``,
    )
  }
  if (told.length > 0 || parts.length > 0) invocation.out.say(`handoff: ${[...parts, ...told].join('; ')}`)
  return 0
}
