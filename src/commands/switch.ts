import type { Command } from 'commander'
import { adapters } from '../agents/table.ts'
import { refreshLatest } from '../briefs/latest-file.ts'
import type { CommandModule, Invocation } from '../command.ts'
import { parseDuration } from '../config/merge.ts'
import { requestEnded } from '../errors/cycle.ts'
import { usage } from '../errors/usage.ts'
import type { Repo } from '../git/open-repo.ts'
import { isEnded, listPending, type Pending } from '../store/pending.ts'
import { detachCycle, runCycle } from '../switch/cycle.ts'
import { beginRequest, instructionFor, summaryOf, WAYS } from '../switch/requests.ts'
import { becomeSuccessor } from '../switch/successor-window.ts'
import { checkSwitch, type SwitchPlan } from '../switch/switch-check.ts'
import { openWorkspace, type Workspace } from '../workspace/workspace.ts'

export function define(command: Command): void {
  command
    .usage('"<goal>" --to <who> [options]')
    .argument('[goal...]', 'what the next session must achieve, in your words')
    .option('--to <who>', 'persona, agent, repository or path')
    .option('--session <id>', 'ask this session; default: the calling one, else the last one here')
    .addOption(command.createOption('--from <agent>', 'ask this agent').choices(adapters.map(({ id }) => id)))
    .addOption(
      command
        .createOption('--via <way>', 'tmux, hook or print; default: tmux if its pane is found, else hook')
        .choices(WAYS),
    )
    .option('--pane <id>', 'the tmux pane of the agent, e.g. %3')
    .option('--reason <text>', 'why, as in create', 'manual')
    .option('--timeout <duration>', 'time limit for each agent', '10m')
    .option('--persona <slug>', 'role of the successor')
    .option('--skill <name>', 'skill for the successor; may be repeated', collect, [])
    .option('--allow-vague', 'accept a short or vague goal, and record that')
    .option('--headless', 'run the successor for one turn without a terminal')
    .option('--end-outgoing', 'end the old session after the commit')
    .option('--detach', 'check everything, then continue in another process')
    .option('--continue <id>', 'continue a switch whose process was killed')
    .option('--successor <id>', "internal: runs in the successor's window")
    .addHelpText('after', HELP)
}

const collect = (value: string, before: string[]): string[] => [...before, value]

const HELP = `
The whole change of agents: asks the running one for its working memory, waits for the end of its turn, commits the brief, and starts
the successor, in a new window where tmux runs. Until the brief is committed nothing is started, and nothing is ever ended
without --end-outgoing.

Example:
  handoff switch "finish the retry queue and document its limits" --to codex`

export const run: CommandModule['run'] = async (invocation, args, options) => {
  const { out } = invocation
  const id = (name: string) => (typeof options[name] === 'string' ? (options[name] as string) : undefined)
  const successorOf = id('successor')
  const workspace = await openWorkspace(invocation)
  const { repo } = workspace
  await refreshLatest(invocation, repo)
  if (successorOf !== undefined) return becomeSuccessor(invocation, workspace, await known(repo, successorOf))
  const continued = id('continue')
  const pending =
    continued === undefined
      ? await begin(invocation, workspace, args.join(' '), options)
      : await known(repo, continued)
  if (isEnded(pending) && pending.state !== 'started')
    throw requestEnded(pending.requestId, pending.failure?.message ?? pending.state)
  if (options.detach === true) {
    detachCycle(invocation, repo, pending.requestId)
    const instruction = pending.via === 'print' ? await instructionFor(repo, pending) : null
    out.result(instruction ?? `${pending.requestId}\n`, {
      ok: true,
      ...summaryOf(pending),
      ...(instruction === null ? {} : { instruction }),
      warnings: out.warnings,
    })
    out.say('It goes on by itself. See how far it is: `handoff status --follow`')
    return 0
  }
  const done = await runCycle(invocation, workspace, pending.requestId)
  out.result(`${done.cycle?.briefId ?? done.requestId}\n`, {
    ok: true,
    ...summaryOf(done),
    warnings: out.warnings,
  })
  return 0
}

/** Everything that can be known to be wrong is said now; then the request stands on disk. */
async function begin(
  invocation: Invocation,
  workspace: Workspace & { repo: Repo },
  goal: string,
  options: Record<string, unknown>,
): Promise<Pending> {
  const { out } = invocation
  if (typeof options.to !== 'string')
    throw usage('Who goes on?', 'handoff switch "<goal>" --to codex; `handoff switch --help` tells more.')
  const timeout = parseDuration(options.timeout ?? '10m')
  if (timeout === null || timeout <= 0)
    throw usage('--timeout takes a duration such as 5m.', 'handoff switch "…" --to codex --timeout 5m')
  const plan = await checkSwitch(invocation, workspace, goal, options.to, options)
  const { pending, isNew } = await beginRequest(
    invocation,
    workspace,
    plan.target,
    plan.via,
    plan.pane,
    String(options.reason),
    cycleOf(invocation, plan, goal, options.to, timeout, options),
  )
  if (isNew) return pending
  out.warn(`this session has been asked already, at ${pending.askedAt}`)
  if (pending.cycle === null)
    throw usage(
      `Request ${pending.requestId} to this session is open already.`,
      `Wait for it with \`handoff await\`, or give it up: \`handoff request --cancel ${pending.requestId}\``,
    )
  return pending
}

const cycleOf = (
  { place }: Invocation,
  plan: SwitchPlan,
  goal: string,
  to: string,
  timeout: number,
  options: Record<string, unknown>,
): Pending['cycle'] => ({
  goal,
  to,
  persona: typeof options.persona === 'string' ? options.persona : null,
  skills: Array.isArray(options.skill) ? (options.skill as string[]) : [],
  allowVague: options.allowVague === true,
  endOutgoing: options.endOutgoing === true,
  where: plan.where,
  tmux: place.env.TMUX ?? null,
  timeout,
  pid: null,
  briefId: null,
  successor: null,
})

/** The switch that an id or a prefix of one means. */
async function known(repo: Repo, wanted: string): Promise<Pending> {
  const found = (await listPending(repo.commonDir)).filter(({ requestId }) => requestId.startsWith(wanted))
  const [pending] = found
  if (pending === undefined || found.length > 1 || pending.cycle === null)
    throw usage(`There is no one switch ${wanted}.`, 'handoff status lists them.')
  return pending
}
