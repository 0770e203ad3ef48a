import type { Command } from 'commander'
import { refreshLatest } from '../briefs/latest-file.ts'
import type { CommandModule } from '../command.ts'
import { parseDuration } from '../config/merge.ts'
import { usage } from '../errors/usage.ts'
import { awaitNotes } from '../switch/wait-document.ts'
import { openWorkspace } from '../workspace/workspace.ts'
import { printOutcome } from './print-outcome.ts'

export function define(command: Command): void {
  command
    .argument('[request]', 'id of the request, or a prefix; default: the last one of this worktree')
    .option('--timeout <duration>', 'time limit', '10m')
    .addHelpText('after', HELP)
}

const HELP = `
Waits until the agent has ended its turn and its document is complete. The document becomes the notes for the next brief. If that
fails, it gives the reason, and the agent continues.

Example:
  handoff await --timeout 5m`

export const run: CommandModule['run'] = async (invocation, [wanted], options) => {
  const timeout = parseDuration(options.timeout)
  if (timeout === null)
    throw usage('--timeout takes a duration such as 5m.', 'Example: `git handoff await --timeout 5m`.')
  const workspace = await openWorkspace(invocation)
  await refreshLatest(invocation, workspace.repo)
  return printOutcome(invocation.out, await awaitNotes(invocation, workspace, wanted, timeout))
}
