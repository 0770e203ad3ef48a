import { clearUp } from '../briefs/clear-up.ts'
import { type CurrentBrief, readBlobBrief, readCurrent } from '../briefs/current.ts'
import { findBrief } from '../briefs/find-brief.ts'
import { refreshLatest } from '../briefs/latest-file.ts'
import { adoptWaiting, checkPlace } from '../briefs/save-brief.ts'
import { verdictOn } from '../briefs/verdict.ts'
import type { Invocation } from '../command.ts'
import { type CreateRequest, isWriting } from '../create/create-request.ts'
import { resumeBrief } from '../create/resume-brief.ts'
import { chainClosed } from '../errors/briefs.ts'
import { type HandoffError, isHandoffError } from '../errors/handoff-error.ts'
import { untrustedBrief } from '../errors/start.ts'
import { type Repo, withoutAbort } from '../git/open-repo.ts'
import { readOperation } from '../git/operation.ts'
import { listBriefsAtHead } from '../git/read-briefs.ts'
import { readState } from '../git/read-state.ts'
import { findDestination } from '../start/destination.ts'
import { endOf, manualCommand, notStarted, promptFor, startSuccessor } from '../start/start-successor.ts'
import { isEditedHere, truthOf } from '../verify/read-truth.ts'
import { hasMoved } from '../verify/truth.ts'
import { openWorkspace, type Workspace } from '../workspace/workspace.ts'

/** Who goes on, and how. */
export interface ResumeStart {
  to: string
  headless: boolean
  /** The prompt and the command by hand; nothing is written or started. */
  print: boolean
  /** Milliseconds for a headless turn. */
  timeout: number | undefined
}

export interface ResumeOutcome {
  /** The object of `--json`. */
  result: object
  /** For standard output; null where a person sat before the successor. */
  text: string | null
  /** What happened, for the person, once that stands. */
  said: string[]
  /** Why nobody goes on with a brief that was made all the same. */
  failure: HandoffError | null
}

type Here = Workspace & { repo: Repo }

/**
 * Makes a brief anew at HEAD, or starts an agent on it; made anew is then only what moved. Throws what `create` throws, `chainClosed`,
 * `noDestination`, `untrustedBrief`, `agentNotStarted`.
 */
export async function resume(
  invocation: Invocation,
  id: string | undefined,
  request: CreateRequest,
  start: ResumeStart | null,
): Promise<ResumeOutcome> {
  const { out } = invocation
  const workspace = await openWorkspace(invocation, { flags: request.flags })
  const { repo } = workspace
  if (isWriting(request)) {
    const commits = workspace.loaded.config.commit.enabled
    await checkPlace(repo, commits)
    await clearUp(invocation, repo)
    if (commits) await adoptWaiting(invocation, repo)
  }
  const brief = await findOpen(invocation, repo, id)
  const { goal, focus } = brief.parsed.meta
  const resumed: CreateRequest = { ...request, goal, focus: focus ?? null }
  const make = () => resumeBrief(invocation, resumed, workspace, brief)
  if (start === null) return { ...(await make()), failure: null }
  await refreshLatest(invocation, repo)
  // Who goes on is settled first, so that a mistyped name costs nothing.
  await findDestination(invocation, workspace, brief.parsed.meta, start.to)
  const verdict = await verdictOn(repo, brief)
  if (!verdict.trusted) throw untrustedBrief(brief.id, verdict.because)
  if (request.dryRun && !start.print) return { ...(await make()), failure: null }
  if (start.print || (await isTrueStill(workspace, brief)))
    return startOn(invocation, workspace, brief, start, {})
  const made = await make()
  for (const line of made.said) out.say(line)
  // It stands now, and whoever cancels is told so.
  const after = { ...workspace, repo: withoutAbort(repo) }
  const now = await readCurrent(after.repo)
  if (now !== null && now.id === made.result.id && !now.parked) {
    try {
      return await startOn(invocation, after, now, start, made.result)
    } catch (error) {
      if (!isHandoffError(error)) throw error
      const result = notStarted({ ...made.result, started: false }, error)
      return { result, text: null, said: [], failure: error }
    }
  }
  out.warn('the brief waits for its branch, so nobody was started on it')
  return {
    result: { ...made.result, started: false, warnings: out.warnings },
    text: `${made.result.id}\n`,
    said: [],
    failure: null,
  }
}

/**
 * The brief that is meant, as HEAD has it: what was done to its file since is said and left alone. Throws
 * `chainClosed` and what finding one throws.
 */
async function findOpen(
  { place, out }: Invocation,
  repo: Repo,
  id: string | undefined,
): Promise<CurrentBrief> {
  const found = await findBrief(repo, id ?? 'latest', place.root)
  const blob = found.committed ? null : (await listBriefsAtHead(repo)).find((one) => one.id === found.id)
  const inHead = blob?.mode === '100644' ? await readBlobBrief(repo, blob, true) : null
  const brief = inHead ?? found
  if (brief.committed && (await isEditedHere(repo, brief.path, brief.text)))
    out.warn(`${brief.path} was edited since it was committed; what is committed counts`)
  const { kind, parent } = brief.parsed.meta
  if (kind === 'done') throw chainClosed(brief.id, parent)
  return brief
}

/**
 * Git tells nothing else than the brief does. Its commit cannot be replaced while an operation is in progress: then it is
 * used as it is, too.
 */
async function isTrueStill({ repo, roots }: Here, brief: CurrentBrief): Promise<boolean> {
  if (readOperation(repo.gitDir) !== null) return true
  const [git, truth] = await Promise.all([
    readState(repo, { worktrees: roots }),
    truthOf(repo, brief.parsed, brief),
  ])
  return !hasMoved(brief.parsed, git, truth)
}

/** Starts the successor on a brief. `made`: what is told of it, when this very run made it. */
async function startOn(
  invocation: Invocation,
  workspace: Here,
  brief: CurrentBrief,
  { to, headless, print, timeout }: ResumeStart,
  made: object,
): Promise<ResumeOutcome> {
  const { warnings } = invocation.out
  const { repo } = workspace
  const destination = await findDestination(invocation, workspace, brief.parsed.meta, to)
  const told = { ok: true, ...made, id: brief.id, agent: destination.adapter.id, cwd: destination.cwd }
  if (print) {
    const prompt = await promptFor(repo, brief, destination)
    const manual = manualCommand(repo, brief, destination)
    const result = { ...told, started: false, prompt, manual, warnings }
    return { result, text: prompt, said: [], failure: null }
  }
  const successor = await startSuccessor(invocation, workspace, brief, destination, { headless, timeout })
  const failure = endOf(destination, successor, headless)
  if (failure !== null) throw failure
  const { exit, output } = successor
  return {
    result: { ...told, started: true, headless, exit, output, warnings },
    text: headless ? output : null,
    said: [],
    failure: null,
  }
}
