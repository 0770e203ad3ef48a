import type { Command } from 'commander'
import { adapters } from '../agents/table.ts'
import { refreshLatest } from '../briefs/latest-file.ts'
import type { CommandModule, Invocation } from '../command.ts'
import { agentBusy } from '../errors/cycle.ts'
import { usage } from '../errors/usage.ts'
import type { Repo } from '../git/open-repo.ts'
import { isEnded, listOpen } from '../store/pending.ts'
import { step } from '../switch/cycle-step.ts'
import { isFree } from '../switch/request-target.ts'
import {
  beginRequest,
  chooseWay,
  deliver,
  instructionFor,
  openRequestTo,
  summaryOf,
  WAYS,
} from '../switch/requests.ts'
import { checkInput, openScanner } from '../workspace/input-secrets.ts'
import { openWorkspace } from '../workspace/workspace.ts'

export function define(command: Command): void {
  command
    .option('--session <id>', 'ask this session; default: the last one here')
    .addOption(command.createOption('--from <agent>', 'ask this agent').choices(adapters.map(({ id }) => id)))
    .addOption(
      command
        .createOption('--via <way>', 'tmux, hook or print; default: tmux if its pane is found, else print')
        .choices(WAYS),
    )
    .option('--pane <id>', 'the tmux pane of the agent, e.g. %3')
    .option('--reason <text>', 'why, as in create', 'manual')
    .option('--cancel <id>', 'cancel this request')
    .addHelpText('after', HELP)
}

const HELP = `
Asks a running agent to write down what only it knows, and returns at once; \`handoff await\` waits for the answer, which becomes
notes for the next brief. With hook it is asked when its turn ends.

Example:
  handoff request --pane %3 && handoff await`

export const run: CommandModule['run'] = async (invocation, _args, options) => {
  const { out } = invocation
  const workspace = await openWorkspace(invocation)
  const { repo } = workspace
  await refreshLatest(invocation, repo)
  if (typeof options.cancel === 'string') return cancel(invocation, repo, options.cancel)
  const reason = String(options.reason)
  const scanner = await openScanner(invocation.place, repo.root, workspace.loaded.config)
  await checkInput(scanner, 'reason', reason, false)
  const { target, via, pane } = await chooseWay(invocation, repo, options)
  if ((await openRequestTo(repo, target)) === null && !(await isFree(invocation, repo, target, pane)))
    throw agentBusy(target.adapter.label, target.adapter.hooks?.goOn !== undefined)
  const { pending, isNew } = await beginRequest(invocation, workspace, target, via, pane, reason, null)
  const text = await instructionFor(repo, pending)
  const asked = isNew ? await deliver(invocation, workspace, target, pending, text) : pending
  if (!isNew) out.warn(`this session has been asked already, at ${asked.askedAt}`)
  out.result(via === 'print' ? text : `${asked.requestId}\n`, {
    ok: true,
    ...summaryOf(asked),
    instruction: text,
    warnings: out.warnings,
  })
  if (via === 'print') out.say('Paste this into the session, then: `handoff await`')
  else if (via === 'hook') out.say('It is asked when its turn ends. Then: `handoff await`')
  else out.say(`Asked in pane ${asked.pane}. Then: \`handoff await\``)
  return 0
}

async function cancel(invocation: Invocation, repo: Repo, id: string): Promise<0> {
  const { place, out } = invocation
  const open = (await listOpen(repo.commonDir)).filter((one) => !isEnded(one) && one.requestId.startsWith(id))
  const [pending] = open
  if (pending === undefined || open.length > 1)
    throw usage(`There is no one open request ${id}.`, 'handoff status lists them.')
  const cancelled = await step(place, repo, pending, { state: 'cancelled' })
  out.result(`Given up: ${pending.requestId}`, { ok: true, ...summaryOf(cancelled), warnings: out.warnings })
  return 0
}
