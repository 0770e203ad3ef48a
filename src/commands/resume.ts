import type { Command } from 'commander'
import { parseDuration } from '../config/merge.ts'
import { chainClosed } from '../errors/briefs.ts'
import { isHandoffError } from '../errors/handoff-error.ts'
import { untrustedBrief } from '../errors/start.ts'
import { usage } from '../errors/usage.ts'
import { withoutAbort, type Repo } from '../git/open-repo.ts'
import { readOperation } from '../git/operation.ts'
import { listBriefsAtHead } from '../git/read-briefs.ts'
import { readState } from '../git/read-state.ts'
import { hasMoved } from '../verify/moved.ts'
import { clearUp } from '../briefs/clear-up.ts'
import { type CreateRequest, isWriting, readRequest } from '../create/create-request.ts'
import { type CurrentBrief, readBlobBrief, readCurrent } from '../briefs/current.ts'
import { findDestination, launchable } from '../start/destination.ts'
import { findBrief } from '../briefs/find-brief.ts'
import { refreshLatest } from '../briefs/latest-file.ts'
import { resumeBrief } from '../create/resume-brief.ts'
import { adoptWaiting, checkPlace } from '../briefs/save-brief.ts'
import { endOf, manualCommand, promptFor, startSuccessor, tellNotStarted } from '../start/start-successor.ts'
import type { CommandModule, ExitCode, Invocation } from '../command.ts'
import { isEditedHere, truthOf } from '../verify/read-truth.ts'
import { verdictOn } from '../briefs/verdict.ts'
import { openWorkspace, type Workspace } from '../workspace/workspace.ts'

export function define(command: Command): void {
  command
    .argument('[id]', 'latest (default), an id, a unique prefix of one, or a file')
    .option('--commit', 'commit the brief (default)')
    .option('--no-commit', 'write the brief, commit nothing')
    .addOption(
      command
        .createOption('--branch <where>', 'current, or separate for handoff/<branch>')
        .choices(['current', 'separate']),
    )
    .option('--dry-run', 'do everything but write')
    .option('--to <who>', "start this persona, agent or repository's agent; made anew is only what moved")
    .option('--headless', 'with `--to`: one turn without a terminal; prints what the agent says')
    .option('--timeout <duration>', 'with `--to`: end a headless turn after so long', '30m')
    .option('--print', 'with `--to`: the prompt and the command by hand; write and start nothing')
    .addHelpText('after', HELP)
}

const HELP = `
Makes a brief anew for today's HEAD, as a child of the old one, which stays as it is: git is read again, the rest comes from the
session behind it or, where that is not on this machine, from the brief, item by item; goal, focus, mission and notes are kept.

Agents: ${launchable()
  .map(({ id }) => id)
  .join(
    ', ',
  )}. An agent starts in its interactive form with its own permissions, reads the brief itself, and gets no secrets of this
shell but those its login needs.

Example:
  handoff resume --to codex`

type Here = Workspace & { repo: Repo }

export const run: CommandModule['run'] = async (invocation, args, options) => {
  const { out } = invocation
  const to = typeof options.to === 'string' ? options.to : null
  const timeout = options.timeout === undefined ? undefined : parseDuration(options.timeout)
  if (timeout === null)
    throw usage(
      '--timeout takes a duration such as 10m.',
      'handoff resume --to codex --headless --timeout 10m',
    )
  for (const name of ['headless', 'print'])
    if (to === null && options[name] === true)
      throw usage(`--${name} goes with --to.`, `handoff resume --to codex --${name}`)
  const isPrint = options.print === true
  const request = readRequest([], { ...options, print: false, ...(isPrint ? { dryRun: true } : {}) })
  const workspace = await openWorkspace(invocation, { flags: request.flags })
  const { repo } = workspace
  if (isWriting(request)) {
    const commits = workspace.loaded.config.commit.enabled
    await checkPlace(repo, commits)
    await clearUp(invocation, repo)
    if (commits) await adoptWaiting(invocation, repo)
  }
  const brief = await findOpen(invocation, repo, args[0])
  const { goal, focus } = brief.parsed.meta
  const resumed: CreateRequest = { ...request, goal, focus: focus ?? null }
  if (to === null) return resumeBrief(invocation, resumed, workspace, brief)
  await refreshLatest(invocation, repo)
  // Who goes on is settled first, so that a mistyped name costs nothing.
  await findDestination(invocation, workspace, brief.parsed.meta, to)
  const verdict = await verdictOn(repo, brief)
  if (!verdict.trusted) throw untrustedBrief(brief.id, verdict.because)
  if (request.dryRun && !isPrint) return resumeBrief(invocation, resumed, workspace, brief)
  if (isPrint || (await isTrueStill(workspace, brief)))
    return start(invocation, workspace, brief, { ...options, to, timeout }, {})
  let made: { id?: string } = {}
  const held = { ...out, result: (_text: string, object: object) => (made = object) }
  const code = await resumeBrief({ ...invocation, out: held }, resumed, workspace, brief)
  // It stands now, and whoever cancels is told so.
  const after = { ...workspace, repo: withoutAbort(repo) }
  const now = await readCurrent(after.repo)
  if (now === null || now.id !== made.id || now.parked) {
    out.warn('the brief waits for its branch, so nobody was started on it')
    out.result(`${made.id ?? ''}\n`, { ...made, started: false, warnings: out.warnings })
    return code
  }
  return start(invocation, after, now, { ...options, to, timeout }, made)
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
async function start(
  invocation: Invocation,
  workspace: Here,
  brief: CurrentBrief,
  options: Record<string, unknown> & { to: string; timeout: number | undefined },
  made: object,
): Promise<ExitCode> {
  const { out } = invocation
  const { repo } = workspace
  const destination = await findDestination(invocation, workspace, brief.parsed.meta, options.to)
  const told = { ok: true, ...made, id: brief.id, agent: destination.adapter.id, cwd: destination.cwd }
  if (options.print === true) {
    const prompt = await promptFor(repo, brief, destination)
    const manual = manualCommand(repo, brief, destination)
    out.result(prompt, { ...told, started: false, prompt, manual, warnings: out.warnings })
    out.quote(`By hand: ${manual}`)
    return 0
  }
  const headless = options.headless === true
  try {
    const how = { headless, timeout: options.timeout }
    const successor = await startSuccessor(invocation, workspace, brief, destination, how)
    const failure = endOf(destination, successor, headless)
    if (failure !== null) throw failure
    const { exit, output } = successor
    if (headless || out.json)
      out.result(output, { ...told, started: true, headless, exit, output, warnings: out.warnings })
    return 0
  } catch (error) {
    if (!out.json || !isHandoffError(error) || Object.keys(made).length === 0) throw error
    return tellNotStarted(out, { ...made, started: false }, error)
  }
}
