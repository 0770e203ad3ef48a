import type { Command } from 'commander'
import { adapters } from '../agents/table.ts'
import { refreshLatest } from '../briefs/latest-file.ts'
import { type CommandModule, collect, printOutcome } from '../command.ts'
import { readTimeout } from '../config/merge.ts'
import { usage } from '../errors/usage.ts'
import { WAYS } from '../switch/request-target.ts'
import { type SwitchRequest, switchAgents } from '../switch/switch.ts'
import { openWorkspace } from '../workspace/workspace.ts'

export function define(command: Command): void {
  command
    .usage('"<goal>" --to <who> [options]')
    .argument('[goal...]', 'what the next session must achieve, in your words')
    .option('--to <who>', 'persona, agent, repository or path')
    .option('--session <id>', 'default: the last one here')
    .addOption(command.createOption('--from <agent>', 'ask this agent').choices(adapters.map(({ id }) => id)))
    .addOption(
      command
        .createOption('--via <way>', 'tmux or hook; default: tmux if its pane is found, else hook')
        .choices(WAYS.filter((way) => way !== 'print')),
    )
    .option('--pane <id>', 'the tmux pane of the agent, e.g. %3')
    .option('--reason <text>', 'why, as in create', 'manual')
    .option('--timeout <duration>', 'time limit for each agent', '10m')
    .option('--persona <slug>', 'role of the successor')
    .option('--skill <name>', 'skill for the successor; may be repeated', collect, [])
    .option('--allow-vague', 'accept a short or vague goal')
    .option('--headless', 'one turn without a terminal')
    .addHelpText('after', HELP)
}

const HELP = `
The successor starts in a new tmux window, else here. If the page is missing or incomplete, nobody is started. The old session
continues. If \`switch\` is killed, run it again, or use \`handoff resume --to\`.

Example:
  handoff switch "finish the retry queue and document its limits" --to codex`

export const run: CommandModule['run'] = async (invocation, words, given) => {
  const request = readSwitch(words.join(' '), given as SwitchOptions)
  const workspace = await openWorkspace(invocation)
  await refreshLatest(invocation, workspace.repo)
  return printOutcome(invocation.out, await switchAgents(invocation, workspace, request))
}

type SwitchOptions = Omit<SwitchRequest, 'goal' | 'to' | 'timeout'> & { to?: string; timeout?: string }

function readSwitch(goal: string, { to, timeout: given, ...options }: SwitchOptions): SwitchRequest {
  if (to === undefined)
    throw usage(
      'Who goes on?',
      'Example: `git handoff switch "<goal>" --to codex`. See `git handoff switch --help`.',
    )
  return { ...options, goal, to, timeout: readTimeout('switch "…" --to codex', given) }
}
