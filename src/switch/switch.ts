import { setTimeout as sleep } from 'node:timers/promises'
import { callerOf } from '../agents/caller.ts'
import { checkPlace } from '../briefs/save-brief.ts'
import { type Invocation, type Outcome, printOutcome } from '../command.ts'
import { createBrief } from '../create/create-brief.ts'
import { readRequest } from '../create/create-request.ts'
import { agentMissing, noPane, noTerminal, requestTimeout } from '../errors/cycle.ts'
import { usage } from '../errors/usage.ts'
import type { Repo } from '../git/open-repo.ts'
import { isOnPath } from '../init/init-agents.ts'
import { isVagueGoal } from '../session/settle-goal.ts'
import { findDestination, type Launchable } from '../start/destination.ts'
import { madeAndStarted } from '../start/start-successor.ts'
import { listPanes } from '../start/tmux.ts'
import type { Pending } from '../store/pending.ts'
import { ageText } from '../text/count.ts'
import { mayAsk } from '../workspace/at-terminal.ts'
import { checkInput, openScanner } from '../workspace/input-secrets.ts'
import type { RepoWorkspace } from '../workspace/workspace.ts'
import { chooseWay, isFree, type Wanted, type Way } from './request-target.ts'
import { askSession, giveUp, openRequestTo } from './requests.ts'
import { LOOK, waitForDocument } from './wait-document.ts'

/** What is to be switched, and how. */
export interface SwitchRequest extends Wanted {
  goal: string
  to: string
  reason: string
  /** Milliseconds to wait for each agent. */
  timeout: number
  persona?: string
  skill: string[]
  allowVague?: boolean
  headless?: boolean
}

/**
 * Asks the running session for its page, waits, commits the brief and starts the next agent on it, in this process. If it dies on the way, the
 * request stays open, or the brief is committed and `resume` goes on. Throws what checking, asking, waiting and `create` throw; the session that was
 * asked goes on then. Once the brief stands, what went wrong is the failure of the outcome.
 */
export async function switchAgents(
  invocation: Invocation,
  workspace: RepoWorkspace,
  request: SwitchRequest,
): Promise<Outcome> {
  const { out } = invocation
  const { goal, to, reason, persona, skill, allowVague, timeout } = request
  const { way, where } = await checkSwitch(invocation, workspace, request)
  const { agent, sessionId, via, pane } = await askAndWait(invocation, workspace, way, request)
  out.say('It has answered. Making the brief.')
  const made = await createBrief(
    // What git knows has changed since the request, so the repository is opened again.
    { ...invocation, out: { ...out, interactive: false } },
    readRequest(goal, {
      ...{ session: way.target.sessionId, reason: reason as 'manual', skill, mode: 'strict', edit: false },
      ...(persona === undefined ? {} : { persona }),
      ...(allowVague === undefined ? {} : { allowVague }),
      // They were asked for, however long the person has taken since.
      ...{ requireNotes: true, includeStaleNotes: true },
    }),
  )
  // Before the successor has the terminal; the one object of `--json` tells of both.
  if (!out.json) printOutcome(out, made)
  const result = { ...made.result, asked: { agent, sessionId, via, pane }, warnings: out.warnings }
  return madeAndStarted(invocation, workspace, result, to, {
    ...{ headless: where === 'headless', timeout },
    ...(where === 'window' ? { window: { beside: pane } } : {}),
  })
}

/**
 * Checks every precondition before anybody is asked or anything is written, each with its own code. Throws `badGoal`, `goalTooLong`, `secretInInput`,
 * what finding session, pane and destination throws, `notHooked`, `sessionEnded`, `agentMissing`, `noTerminal`, `usage`, and what the folder throws.
 */
async function checkSwitch(invocation: Invocation, workspace: RepoWorkspace, request: SwitchRequest) {
  const { place } = invocation
  const { repo, loaded } = workspace
  const { goal, to, persona, skill, reason, allowVague } = request
  isVagueGoal(goal, loaded.config, allowVague)
  const scanner = await openScanner(place, repo.root, loaded.config)
  await checkInput(scanner, 'goal, reason, persona or skill', { goal, reason, persona, skill }, false)
  const way = await findOutgoing(invocation, repo, request)
  const { id, label } = way.target.adapter
  const meta = { agent: { id, label }, skills: skill, ...(persona === undefined ? {} : { persona }) }
  const { adapter } = await findDestination(invocation, workspace, meta, to)
  if (!(await isOnPath(adapter.launch.program, place.env.PATH ?? '')))
    throw agentMissing(adapter.label, adapter.launch.program)
  if (!loaded.config.commit.enabled)
    throw usage(
      'A switch commits the brief, and `commit.enabled` is off.',
      'Turn it on in the configuration.',
    )
  await checkPlace(repo, loaded.config.commit)
  return { way, where: await chooseWhere(invocation, adapter, way.pane, request) }
}

/** The session that is asked and how. Throws what `chooseWay` throws, `noPane`, `usage`. */
async function findOutgoing({ place }: Invocation, repo: Repo, wanted: SwitchRequest): Promise<Way> {
  const { session, from, pane } = wanted
  const caller = callerOf(place.env)
  const isNamed = session !== undefined || from !== undefined || pane !== undefined
  const found = caller !== null && !isNamed ? null : await chooseWay({ place }, repo, wanted)
  if (found === null || caller?.sessionId === found.target.sessionId)
    throw usage(
      'An agent that hands itself over cannot wait for the end of its own turn.',
      'Make the brief with `git handoff create "<goal>"`; the user starts the next agent: `git handoff resume --to <agent>`.',
    )
  if (found.via !== 'print') return found
  // Nobody is there to paste what would be printed.
  const { label, hooks } = found.target.adapter
  if (hooks?.goOn === undefined && (await openRequestTo(repo, found.target)) === null)
    throw noPane(`no pane here shows ${label}`, [])
  return { ...found, via: 'hook' }
}

/** Where the successor is started. Throws `noTerminal`, `tmuxUnusable`. */
async function chooseWhere(
  invocation: Invocation,
  { label }: Launchable,
  pane: string | null,
  { headless }: SwitchRequest,
): Promise<'headless' | 'window' | 'here'> {
  const { env } = invocation.place
  if (headless) return 'headless'
  if (pane !== null || (env.TMUX ?? '') !== '') {
    await listPanes(env)
    return 'window'
  }
  if (mayAsk(invocation)) return 'here'
  throw noTerminal(label)
}

/**
 * The two halves of `request` and `await`: brings the instruction to the session as soon as its pane is free, or goes on with a request that is open,
 * and waits for the page. Throws what `askSession` and `waitForDocument` throw, `usage`.
 */
async function askAndWait(
  invocation: Invocation,
  workspace: RepoWorkspace,
  way: Way,
  { goal, reason, timeout }: SwitchRequest,
): Promise<Pending> {
  const { place, out } = invocation
  const { repo } = workspace
  const { target, pane } = way
  const { label } = target.adapter
  const end = performance.now() + timeout
  const open = await openRequestTo(repo, target)
  if (open !== null && open.goal != null && open.goal !== goal)
    throw usage(
      `${label} has been asked already, at ${open.askedAt}, for another goal.`,
      `Take its answer with \`git handoff await\`, or give the request up: \`git handoff request --cancel ${open.requestId}\``,
    )
  if (open === null && !(await isFree(invocation, repo, target, pane))) {
    out.say(`${label} is in the middle of a turn. It is asked when that ends, within ${ageText(timeout)}.`)
    while (!(await isFree(invocation, repo, target, pane))) {
      if (performance.now() > end)
        throw requestTimeout(Math.round(timeout / 1000), 'the turn that is under way did not end')
      place.signal?.throwIfAborted()
      await sleep(LOOK, undefined, { signal: place.signal }).catch(() => undefined)
    }
  }
  const { pending, isNew } = await askSession(invocation, workspace, way, { reason, goal })
  if (!isNew) out.say(`It has been asked already, at ${pending.askedAt}.`)
  const left = Math.max(0, end - performance.now())
  out.say(
    pending.via === 'hook' && pending.state === 'asked'
      ? `${label} is asked to write down what it knows when its turn ends. If it waits for input, type anything there. The answer may take up to ${ageText(left)}.`
      : `${label} is asked to write down what it knows. Its document and the end of its turn may take up to ${ageText(left)}.`,
  )
  try {
    await waitForDocument(invocation, workspace, pending, left)
  } catch (error) {
    // Nobody wants the page any more: an agent that is to be asked by its hook is not.
    if (place.signal?.aborted) await giveUp(repo, pending)
    throw error
  }
  return pending
}
