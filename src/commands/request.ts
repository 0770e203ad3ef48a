import type { Command } from 'commander'
import { adapters } from '../agents/table.ts'
import { refreshLatest } from '../briefs/latest-file.ts'
import type { CommandModule } from '../command.ts'
import { WAYS, type Wanted } from '../switch/request-target.ts'
import { cancelRequest, requestNotes } from '../switch/requests.ts'
import { openWorkspace } from '../workspace/workspace.ts'
import { printOutcome } from './print-outcome.ts'

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
    .option('--goal <text>', 'what the next session must achieve')
    .option('--reason <text>', 'why, as in create', 'manual')
    .option('--cancel <id>', 'cancel this request')
    .addHelpText('after', HELP)
}

const HELP = `
Asks a running agent to write down what only it knows, and returns at once. \`handoff await\` waits for the answer, which becomes
notes for the next brief. With --via hook the agent is asked at the end of its turn.

Example:
  handoff request --pane %3 && handoff await`

export const run: CommandModule['run'] = async (invocation, _args, options) => {
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
}
