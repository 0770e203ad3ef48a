import { adapters } from '../agents/table.ts'
import { refreshLatest } from '../briefs/latest-file.ts'
import { type CommandModule, printOutcome } from '../command.ts'
import { parseDuration } from '../config/merge.ts'
import { usage } from '../errors/usage.ts'
import { WAYS, type Wanted } from '../switch/request-target.ts'
import { cancelRequest, requestNotes } from '../switch/requests.ts'
import { awaitNotes } from '../switch/wait-document.ts'
import { openWorkspace } from '../workspace/workspace.ts'

export const request: CommandModule = {
  define(command) {
    command
      .option('--session <id>', 'ask this session; default: the last one here')
      .addOption(
        command.createOption('--from <agent>', 'ask this agent').choices(adapters.map(({ id }) => id)),
      )
      .addOption(
        command
          .createOption('--via <way>', 'tmux, hook or print; default: tmux if its pane is found, else print')
          .choices(WAYS),
      )
      .option('--pane <id>', 'the tmux pane of the agent, e.g. %3')
      .option('--goal <text>', 'what the next session must achieve')
      .option('--reason <text>', 'why, as in create', 'manual')
      .option('--cancel <id>', 'cancel this request')
      .addHelpText('after', REQUEST_HELP)
  },
  async run(invocation, _args, options) {
    const { out } = invocation
    const workspace = await openWorkspace(invocation)
    const { repo } = workspace
    await refreshLatest(invocation, repo)
    const { cancel, ...wanted } = options as unknown as Wanted & {
      reason: string
      goal?: string
      cancel?: string
    }
    if (cancel !== undefined) return printOutcome(out, await cancelRequest(invocation, repo, cancel))
    return printOutcome(out, await requestNotes(invocation, workspace, wanted))
  },
}

const REQUEST_HELP = `
Asks a running agent to write down what only it knows, and returns at once. \`handoff await\` waits for the answer, which becomes
notes for the next brief. With --via hook the agent is asked at the end of its turn.

Example:
  handoff request --pane %3 && handoff await`

export const awaitVerb: CommandModule = {
  define(command) {
    command
      .argument('[request]', 'id of the request, or a prefix; default: the last one of this worktree')
      .option('--timeout <duration>', 'time limit', '10m')
      .addHelpText('after', AWAIT_HELP)
  },
  async run(invocation, [wanted], options) {
    const timeout = parseDuration(options.timeout)
    if (timeout === null)
      throw usage('--timeout takes a duration such as 5m.', 'Example: `git handoff await --timeout 5m`.')
    const workspace = await openWorkspace(invocation)
    await refreshLatest(invocation, workspace.repo)
    return printOutcome(invocation.out, await awaitNotes(invocation, workspace, wanted, timeout))
  },
}

const AWAIT_HELP = `
Waits until the agent has ended its turn and its document is complete. The document becomes the notes for the next brief. If that
fails, it gives the reason, and the agent continues.

Example:
  handoff await --timeout 5m`
