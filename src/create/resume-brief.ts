import { sameInput } from '../brief/measure.ts'
import { type CurrentBrief, configOnward, readCurrent } from '../briefs/current.ts'
import { findBrief } from '../briefs/find-brief.ts'
import { verdictOnWords } from '../briefs/verdict.ts'
import type { Invocation } from '../command.ts'
import { isHandoffError } from '../errors/handoff-error.ts'
import { announceRunning } from '../git/running.ts'
import { takeSnapshot } from '../git/snapshot.ts'
import { PHASES } from '../output/progress.ts'
import { findSessionBehind } from '../session/session-behind.ts'
import { age, size } from '../session/session-list.ts'
import { recordCreated } from '../store/ledger.ts'
import { truthOf } from '../verify/read-truth.ts'
import { hasCommitted } from '../verify/truth.ts'
import { watchProgress } from '../workspace/at-terminal.ts'
import { openScanner } from '../workspace/input-secrets.ts'
import type { RepoWorkspace } from '../workspace/workspace.ts'
import { type Built, buildBrief } from './build-brief.ts'
import { configFor } from './create-brief.ts'
import { type CreateRequest, isWriting } from './create-request.ts'
import { ageSeconds, type Gathered } from './gather.ts'
import { gatherResumed, type Resumption } from './gather-resumed.ts'
import { refuseWrong } from './judge.ts'
import { findSaved } from './repeat.ts'
import { type CreateOutcome, dryOutcome, repeatOutcome, write } from './write-brief.ts'

/**
 * Rebuilds a brief: the git half as it is now, the other half from the session behind it or carried item by item, goal,
 * focus, mission and notes as they were. The old file is never touched. When the current brief is already what would come
 * out, it is the answer. Throws what `create` throws.
 */
export async function resumeBrief(
  invocation: Invocation,
  request: CreateRequest,
  workspace: RepoWorkspace,
  target: CurrentBrief,
): Promise<CreateOutcome> {
  const { place, out } = invocation
  const { repo } = workspace
  const progress = watchProgress(invocation, workspace.loaded.config)
  const finished = isWriting(request) ? announceRunning(repo, place.now()) : null
  const reading = takeSnapshot(repo)
  progress.phase(PHASES.extract)
  try {
    const current = await readCurrent(repo)
    const about = { request, workspace, reading }
    const origin = current === null ? null : await originOf(invocation, workspace, current, target)
    if (current !== null && origin !== null) {
      const { gathered, built } = await prepare(invocation, about, origin, current)
      if (await isAsThen(repo, { gathered, built }, current)) {
        progress.done()
        // Its words may have been trusted since it was made.
        if (gathered.isOwn && isWriting(request))
          await recordCreated(repo.commonDir, current.path, current.oid)
        return await repeatOutcome(invocation, gathered, { brief: current, built, isSame: true })
      }
    }
    const { gathered, built } = await prepare(invocation, about, target, current)
    progress.done()
    tellSource(invocation, gathered, target)
    if (!gathered.isOwn)
      out.warn(
        `${target.id} is not trusted, so neither is what takes over its words; read it, then: \`npx git-handoff trust ${built.brief.meta.id}\``,
      )
    await refuseWrong(invocation, gathered, built)
    place.signal?.throwIfAborted()
    if (!isWriting(request)) return await dryOutcome(invocation, gathered, built)
    const saved = await findSaved(repo, built.text, reading)
    const same = saved === null ? built : { ...built, text: saved.text, brief: saved.parsed.brief }
    return await write(invocation, gathered, same, saved?.path ?? null)
  } finally {
    progress.stop()
    finished?.()
  }
}

/** The current brief is what would come out again, and nothing was committed since. */
async function isAsThen(
  repo: RepoWorkspace['repo'],
  { gathered, built }: Prepared,
  current: CurrentBrief,
): Promise<boolean> {
  const { git } = gathered
  if (git === null || !sameInput(built.text, current.text)) return false
  // Commits that were pulled are in no list of the brief; the files are others all the same.
  return !hasCommitted(git, await truthOf(repo, current.parsed, current))
}

/** What the current brief was resumed from, when that is what is asked for again; null when it is not, or is not here. */
async function originOf(
  { place }: Invocation,
  { repo }: RepoWorkspace,
  current: CurrentBrief,
  target: CurrentBrief,
): Promise<CurrentBrief | null> {
  const from = current.parsed.meta.resumedFrom?.id
  if (from === undefined || (target.id !== current.id && target.id !== from)) return null
  return target.id === from ? target : findBrief(repo, from, place.root).catch(() => null)
}

interface Prepared {
  gathered: Gathered
  built: Built
}

type About = Pick<Parameters<typeof gatherResumed>[1], 'request' | 'workspace' | 'reading'>

/** Errors of a session that is here and of no use. */
const USELESS = new Set(['E_SESSION_UNREADABLE', 'E_SESSION_FORMAT', 'E_OPENCODE', 'E_TOO_SHORT'])

/** The brief that would be made of `brief` now; a session that cannot be used is said, and counts as one that is not here. */
async function prepare(
  invocation: Invocation,
  about: About,
  brief: CurrentBrief,
  current: CurrentBrief | null,
): Promise<Prepared> {
  const { repo, roots } = about.workspace
  const { trusted } = await verdictOnWords(repo, brief)
  try {
    const picked = await findSessionBehind(invocation, repo, roots, brief, trusted)
    return await prepareFrom(invocation, about, { brief, trusted, picked }, current)
  } catch (error) {
    if (!isHandoffError(error) || !USELESS.has(error.code)) throw error
    const why = `the session behind ${brief.id} cannot be used: ${error.message}`
    if (!invocation.out.warnings.includes(why)) invocation.out.warn(why)
    return prepareFrom(invocation, about, { brief, trusted, picked: null }, current)
  }
}

/** Its id comes after every one it follows. */
async function prepareFrom(
  invocation: Invocation,
  about: About,
  resumption: Resumption,
  current: CurrentBrief | null,
): Promise<Prepared> {
  const { place } = invocation
  const { request, workspace } = about
  const { brief, picked } = resumption
  const own = await configFor(invocation, request, workspace, picked?.ref.agent === 'pi')
  const config = configOnward(own, brief)
  const scanner = await openScanner(place, workspace.root, config)
  const gathered = await gatherResumed(invocation, { ...about, scanner, config }, resumption)
  const after = current !== null && current.id > brief.id ? current.id : brief.id
  return { gathered, built: await buildBrief(invocation, gathered, brief, place.newId(after)) }
}

/** Where the second half comes from, and what changed since. */
function tellSource(invocation: Invocation, gathered: Gathered, { id, parsed }: CurrentBrief): void {
  const { out } = invocation
  const { picked, resumed } = gathered
  if (picked !== null)
    out.say(
      `Session: ${picked.adapter.label} ${picked.ref.id}, last event ${age(ageSeconds(invocation, picked))} ago, ${size(picked.ref.bytes)}`,
    )
  else
    out.say(
      parsed.meta.agent.session === undefined
        ? `${id} has no session. Its items were copied and checked again.`
        : `The session behind ${id} is not on this machine: what the brief says was carried over and looked up again.`,
    )
  if (gathered.notes.notes !== null) out.say(`Notes: recorded ${gathered.notes.age ?? 'some time'} ago`)
  if (resumed?.drift) out.say(resumed.drift)
  if (resumed?.left) out.warn(resumed.left)
  if (resumed?.truth.edited === 'since-commit') out.warn(`${id} was edited after it was first committed`)
}
