import { findSessions } from '../agents/find.ts'
import { labelOf } from '../agents/table.ts'
import { checkPlace } from '../briefs/save-brief.ts'
import { type ExitCode, type Invocation, printOutcome } from '../command.ts'
import { readRequest } from '../create/create-request.ts'
import { GOAL_GUIDANCE } from '../errors/usage.ts'
import { isPlain } from '../output/progress.ts'
import type { Choice } from '../output/questions.ts'
import { pickedFrom, tellFinding } from '../session/pick-session.ts'
import { listSessions, menuLabel } from '../session/session-list.ts'
import { openHere } from '../session/session-place.ts'
import { proposeGoal } from '../session/settle-goal.ts'
import { launchable } from '../start/destination.ts'
import type { Moment, ToldMoment } from '../status/moment.ts'
import { resume } from '../switch/resume.ts'
import { clipCells } from '../text/rows.ts'
import { clipLine } from '../text/safe-text.ts'
import type { SessionRef } from '../types/session.ts'
import { ask } from '../workspace/at-terminal.ts'
import { findProgram } from '../workspace/find-program.ts'
import { openAnywhere, type Workspace } from '../workspace/workspace.ts'
import { createAndTell } from './create.ts'

/** Sessions that a list has room for, and ms within which an agent that is slow to ask is asked for its own. */
const MOST = 8
const RECENT_MS = 7 * 86_400_000

/** Answers that name neither a session nor an agent. */
const [LEAVE, OPEN, BRIEF, EDIT] = [':leave', ':open', ':brief', ':edit']

/**
 * `handoff` alone at a terminal: which session or the open brief, what next, where. Nothing is written before the last answer; Esc at
 * the first question prints the commands. Throws `cancelled` and what making and starting throw.
 */
export async function pick(invocation: Invocation, told: ToldMoment): Promise<ExitCode> {
  const { place, out } = invocation
  const { brief, lines } = told.moment
  const workspace = await openAnywhere(invocation, { isAnswer: true })
  const { repo, roots, loaded } = workspace
  if (repo === null) return printOutcome(out, told, 'prose')
  const options = { within: RECENT_MS, ...tellFinding(invocation) }
  const [all, agents] = await Promise.all([
    findSessions(place, roots, undefined, options),
    installed(place.env.PATH ?? ''),
  ])
  const found = all.slice(0, MOST)
  const open = brief?.trusted === true && agents.length > 0 ? brief : null
  if (found.length === 0 && open === null) return printOutcome(out, told, 'prose')
  out.say(lines.join('\n'))
  const chosen = await askWhat(invocation, workspace, found, open)
  if (chosen === LEAVE) return printOutcome(out, { ...told, text: told.list }, 'prose')
  if (chosen === OPEN) {
    const to = await askWhere(invocation, agents)
    const start = { to, headless: false, print: false, timeout: undefined }
    return printOutcome(out, await resume(invocation, open?.id, readRequest('', {}), start))
  }
  const ref = found[Number(chosen)] as SessionRef
  await checkPlace(repo, loaded.config.commit)
  const goal = await askGoal(invocation, workspace, ref)
  // After a limit another agent goes on.
  const others = agents.toSorted((a, b) => Number(a === ref.agent) - Number(b === ref.agent))
  const where = await askWhere(invocation, others, [
    { value: BRIEF, label: 'Nobody yet, just commit the brief' },
    { value: EDIT, label: 'Nobody yet, edit the brief and commit it' },
  ])
  // Whoever has reached a limit cannot be asked for a page.
  const asks = loaded.own.narrative === 'always' ? {} : { ask: false }
  const to = where === BRIEF || where === EDIT ? {} : { to: where }
  return createAndTell(
    invocation,
    readRequest(goal, { chosen: ref, ...asks, ...to, ...(where === EDIT ? { edit: true } : {}) }),
  )
}

/** The number of a session, `OPEN` or `LEAVE`. What was done last stands first. */
async function askWhat(
  invocation: Invocation,
  workspace: Workspace,
  found: readonly SessionRef[],
  brief: Moment['brief'],
): Promise<string> {
  const { place, stderr } = invocation
  const listed = await listSessions(found, openHere(workspace), place)
  // One row each where there is room; the library leaves 15 cells of it to its frame.
  const width = isPlain(place.env) ? Number.POSITIVE_INFINITY : Math.max(48, (stderr.columns || 80) - 15)
  const inRow = (label: string): string => clipCells(label, width, '…')
  const ofSessions = listed.map(
    (one, at): Choice<string> => ({ value: String(at), label: inRow(menuLabel(one, place)) }),
  )
  const ofBrief =
    brief === null
      ? []
      : [{ value: OPEN, label: inRow(`Open brief: ${clipLine(brief.goal ?? brief.id, 100)}`) }]
  const isBriefLast = brief !== null && (found[0]?.updatedAt ?? '') < brief.createdAt
  const choices = isBriefLast ? [...ofBrief, ...ofSessions] : [...ofSessions, ...ofBrief]
  return ask(invocation, (questions) =>
    questions.one({
      message: 'What is handed over?',
      choices: [...choices, { value: LEAVE, label: 'Nothing, show the commands' }],
      onEscape: LEAVE,
    }),
  )
}

/** The goal, proposed from what the session left open. */
async function askGoal(invocation: Invocation, workspace: Workspace, ref: SessionRef): Promise<string> {
  const picked = pickedFrom(invocation, ref, openHere(workspace))
  const proposal = await proposeGoal(invocation, workspace, picked)
  const [initial, isShown] = [proposal.replace(/\s+/g, ' '), isPlain(invocation.place.env)]
  // A plain terminal cannot change what it shows.
  const keys = isShown && initial !== '' ? { keys: 'An empty line accepts it.' } : {}
  const typed = await ask(invocation, (questions) =>
    questions.text({ message: GOAL_GUIDANCE, initial, ...keys }),
  )
  return typed === '' && isShown ? initial : typed
}

/** The agents whose programs are on this machine. */
async function installed(path: string): Promise<string[]> {
  const there = await Promise.all(
    launchable().map(async ({ id, launch }) => ((await findProgram(launch.program, path)) ? [id] : [])),
  )
  return there.flat()
}

/** One of these agents, or one of `others`. */
const askWhere = (
  invocation: Invocation,
  agents: readonly string[],
  others: readonly Choice<string>[] = [],
): Promise<string> =>
  ask(invocation, (questions) =>
    questions.one({
      message: 'Who goes on?',
      choices: [...agents.map((id) => ({ value: id, label: `${labelOf(id)}, in a new session` })), ...others],
    }),
  )
