import { labelOf } from '../agents/table.ts'
import { takenWords } from '../brief/prompt.ts'
import { type CurrentBrief, readBlobBrief } from '../briefs/current.ts'
import { findBrief } from '../briefs/find-brief.ts'
import { refreshLatest } from '../briefs/latest-file.ts'
import { adoptWaiting, checkPlace } from '../briefs/save-brief.ts'
import { verdictOn } from '../briefs/verdict.ts'
import type { Invocation, Outcome } from '../command.ts'
import { createBrief } from '../create/create-brief.ts'
import { type CreateRequest, isWriting, openForCreate } from '../create/create-request.ts'
import { chainClosed } from '../errors/briefs.ts'
import { unshownBrief, untrustedBrief } from '../errors/cycle.ts'
import { notARepository } from '../errors/git.ts'
import { isHandoffError } from '../errors/handoff-error.ts'
import { usage } from '../errors/usage.ts'
import type { Repo } from '../git/open-repo.ts'
import { readOperation } from '../git/operation.ts'
import { listBriefsAtHead } from '../git/read-briefs.ts'
import { readOwnFiles } from '../init/own-files.ts'
import { readWork } from '../life/trunk.ts'
import { type Destination, findDestination } from '../start/destination.ts'
import {
  madeAndStarted,
  manualCommand,
  notStarted,
  promptFor,
  startOnMade,
  startSuccessor,
} from '../start/start-successor.ts'
import { readPickUp } from '../store/journal.ts'
import { isEditedInWorktree, truthOf } from '../verify/read-truth.ts'
import { hasMoved } from '../verify/truth.ts'
import { makeWorktree, planWorktree } from '../work/own-worktree.ts'
import { isAgent } from '../workspace/at-terminal.ts'
import { openWorkspace, type RepoWorkspace } from '../workspace/workspace.ts'

/** Who goes on, and how. */
export interface ResumeStart {
  to: string
  headless: boolean
  /** The prompt and the command by hand; nothing is written or started. */
  print: boolean
  /** Milliseconds for a headless turn. */
  timeout: number | undefined
}

/**
 * Rebuilds a brief at HEAD, or starts an agent on it; then it is rebuilt only where something moved. Throws what `create` throws, `chainClosed`,
 * `noDestination`, `untrustedBrief`, `unshownBrief`, `agentNotStarted`.
 */
export async function resume(
  invocation: Invocation,
  id: string | undefined,
  request: CreateRequest,
  start: ResumeStart | null,
): Promise<Outcome> {
  const { out } = invocation
  const workspace = await openWorkspace(invocation, { flags: request.flags })
  const { repo } = workspace
  if (isWriting(request)) {
    const commits = workspace.loaded.config.commit.enabled
    await checkPlace(repo, workspace.loaded.config.commit)
    if (commits) await adoptWaiting(invocation, repo)
  }
  const brief = await findOpen(invocation, repo, id)
  const make = () => createBrief(invocation, request, workspace, brief)
  if (start === null) {
    // What is made of it is shown to whoever asked.
    if (isAgent(invocation.place.env)) {
      const { trusted, because } = await verdictOn(repo, brief)
      if (!trusted) throw unshownBrief(brief.id, because)
    }
    return make()
  }
  await refreshLatest(invocation, repo)
  // Who goes on is settled first, so that a mistyped name costs nothing.
  const { to, headless } = start
  const destination = await findDestination(invocation, workspace, brief.parsed.meta, to)
  const verdict = await verdictOn(repo, brief)
  if (!verdict.trusted) throw untrustedBrief(brief.id, verdict.because)
  if (request.dryRun && !start.print) return make()
  await warnTaken(invocation, repo, brief.id)
  if (start.print) return printStart(invocation, workspace, brief, destination)
  if (await isTrueStill(workspace, brief)) {
    const ended = await startSuccessor(invocation, workspace, brief, destination, start)
    return startedOutcome(invocation, { ...ended, destination }, { ok: true, id: brief.id }, headless)
  }
  const { result, said } = await make()
  for (const line of said) out.say(line)
  try {
    const started = await startOnMade(invocation, workspace, result.id, to, start)
    if (started !== null) return startedOutcome(invocation, started, result, headless)
    return { result: { ...result, started: false, warnings: out.warnings }, text: `${result.id}\n`, said: [] }
  } catch (error) {
    if (!isHandoffError(error)) throw error
    return notStarted({ ...result, started: false }, error)
  }
}

/** Two agents on one brief do the same work twice; the person may want that. */
async function warnTaken({ place, out }: Invocation, repo: Repo, id: string): Promise<void> {
  const now = place.now().getTime()
  const found = await readPickUp(repo.commonDir, id, now)
  if (found?.isActing !== true) return
  const words = takenWords({ ...found, label: labelOf(found.agent) }, repo.root, now)
  out.warn(`another session has this brief: ${words}`)
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
  if (brief.committed && (await isEditedInWorktree(repo, brief.path, brief.text)))
    out.warn(`${brief.path} was edited since it was committed; what is committed counts`)
  const { kind, parents } = brief.parsed.meta
  if (kind === 'done') throw chainClosed(brief.id, parents[0] ?? null)
  return brief
}

/**
 * Git tells nothing else than the brief does. Its commit cannot be replaced while an operation is in progress: then it is
 * used as it is, too.
 */
async function isTrueStill({ repo, roots }: RepoWorkspace, brief: CurrentBrief): Promise<boolean> {
  if (readOperation(repo.gitDir) !== null) return true
  const [git, truth] = await Promise.all([
    readOwnFiles(repo, roots).then((own) => readWork(repo, { worktrees: roots, own })),
    truthOf(repo, brief.parsed, brief),
  ])
  return !hasMoved(brief.parsed, git, truth)
}

/** The prompt, and the command by hand; nobody is started. */
async function printStart(
  invocation: Invocation,
  workspace: RepoWorkspace,
  brief: CurrentBrief,
  destination: Destination,
): Promise<Outcome> {
  const prompt = await promptFor(workspace, brief, destination, invocation.place.now())
  const told = { ok: true, id: brief.id, agent: destination.adapter.id, cwd: destination.cwd }
  const manual = manualCommand(workspace.repo, brief, destination)
  const { warnings } = invocation.out
  return { result: { ...told, started: false, prompt, manual, warnings }, text: prompt, said: [] }
}

/** `made`: what is told of the brief. */
function startedOutcome(
  { out: { warnings } }: Invocation,
  { destination, exit, output }: NonNullable<Awaited<ReturnType<typeof startOnMade>>>,
  made: object,
  headless: boolean,
): Outcome {
  const told = { ...made, agent: destination.adapter.id, cwd: destination.cwd }
  const result = { ...told, started: true, headless, exit, output, warnings }
  return { result, text: headless ? output : null, said: [] }
}

/** Whoever wrote the brief can be started, as far as one can tell before it is written. */
export const ANYBODY = { agent: { id: 'claude-code', label: 'Claude Code' } } as const

/**
 * Makes a brief and starts an agent on it, with `worktree` beside this work tree. `onMade` is told of the brief before the agent starts. Throws what `createBrief` throws,
 * `notARepository`, `noDestination`; once the brief stands, what went wrong is the failure of the outcome.
 */
export async function createAndStart(
  invocation: Invocation,
  request: CreateRequest,
  to: string,
  onMade: (made: Outcome) => void,
): Promise<Outcome> {
  const workspace = await openForCreate(invocation, request)
  const { repo } = workspace
  if (repo === null) throw notARepository(workspace.root)
  const here = { ...workspace, repo }
  // Who goes on is settled first, so that a mistyped name costs nothing.
  const { adapter, cwd } = await findDestination(invocation, here, ANYBODY, to)
  const { worktree, work } = request
  const { commit } = workspace.loaded.config
  if (worktree !== undefined && cwd !== repo.root)
    throw usage(`--to ${to} names a place, and --worktree makes another one.`, 'Leave out one of the two.')
  if (worktree !== undefined && (!commit.enabled || commit.branch === 'separate'))
    throw usage(
      '--worktree begins at the commit of the brief on this branch.',
      'Commit the brief on the branch.',
    )
  const plan = worktree === undefined ? null : await planWorktree(invocation, repo, worktree, adapter.id)
  const made = await createBrief(invocation, plan === null ? request : { ...request, work: false }, workspace)
  if (!isWriting(request)) return made
  onMade(made)
  const { result } = made
  const options = { headless: request.headless === true }
  if (plan === null) return madeAndStarted(invocation, here, result, to, options)
  try {
    const { there, made: worktree } = await makeWorktree(invocation, here, plan, work === true)
    await refreshLatest(invocation, there.repo)
    return await madeAndStarted(invocation, there, { ...result, worktree }, to, options)
  } catch (error) {
    if (!isHandoffError(error)) throw error
    return notStarted({ ...result, successor: null }, error)
  }
}
