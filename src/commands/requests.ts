import { adapters } from '../agents/table.ts'
import { refreshLatest } from '../briefs/latest-file.ts'
import { type CommandModule, printOutcome } from '../command.ts'
import { readTimeout } from '../config/merge.ts'
import { WAYS, type Wanted } from '../switch/request-target.ts'
import { cancelRequest, requestNotes } from '../switch/requests.ts'
import { awaitNotes } from '../switch/wait-document.ts'
import { openWorkspace } from '../workspace/workspace.ts'

export const request: CommandModule = {
  define(command) {
    command
      .option('--session <id>', 'default: the last one here')
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
The page goes into \`.handoff/requests/<id>.md\`, which git ignores. The command returns at once.

With tmux it is pasted into the agent's pane, but not during a turn and not into a shell. With hook the agent is asked when its turn ends
(Claude Code and Codex). With print it is printed for you to paste.

Example:
  handoff request --pane %3 && handoff await`

export const awaitVerb: CommandModule = {
  define(command) {
    command
      .argument('[request]', 'id or prefix; default: the last one here')
      .option('--timeout <duration>', 'time limit', '10m')
      .addHelpText('after', AWAIT_HELP)
  },
  async run(invocation, [wanted], options) {
    const timeout = readTimeout('await', options.timeout)
    const workspace = await openWorkspace(invocation)
    await refreshLatest(invocation, workspace.repo)
    return printOutcome(invocation.out, await awaitNotes(invocation, workspace, wanted, timeout))
  },
}

const AWAIT_HELP = `
The document becomes the notes of the next brief. One without the agreed last line, or with a secret, does not count.

Example:
  handoff await --timeout 5m`
