import type { Command } from 'commander'
import { adapters } from '../agents/table.ts'
import { refreshLatest } from '../briefs/latest-file.ts'
import { type CommandModule, collect, printOutcome } from '../command.ts'
import { parseDuration } from '../config/merge.ts'
import { usage } from '../errors/usage.ts'
import { beginSwitch, type SwitchRequest } from '../switch/begin-switch.ts'
import { WAYS } from '../switch/request-target.ts'
import { detachSwitch, findSwitch, runSwitch } from '../switch/run-switch.ts'
import { openWorkspace } from '../workspace/workspace.ts'

export function define(command: Command): void {
  command
    .usage('"<goal>" --to <who> [options]')
    .argument('[goal...]', 'what the next session must achieve, in your words')
    .option('--to <who>', 'persona, agent, repository or path')
    .option('--session <id>', 'default: the calling one, else the last one here')
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
    .option('--allow-vague', 'accept a short or vague goal')
    .option('--headless', 'one turn without a terminal')
    .option('--end-outgoing', 'end the old session after the commit')
    .option('--detach', 'check everything, then go on in the background')
    .addOption(command.createOption('--run <id>', 'run what --detach began').hideHelp())
    .addHelpText('after', HELP)
}

const HELP = `
The successor starts in a new tmux window, else here. If the page is missing or incomplete, the old session continues. It ends only with
--end-outgoing, once the successor runs. If \`switch\` is killed, use \`handoff resume --to\`.

Example:
  handoff switch "finish the retry queue and document its limits" --to codex`

export const run: CommandModule['run'] = async (invocation, words, given) => {
  const options = given as SwitchOptions
  const workspace = await openWorkspace(invocation)
  const { repo } = workspace
  await refreshLatest(invocation, repo)
  const pending =
    options.run === undefined
      ? await beginSwitch(invocation, workspace, readSwitch(words.join(' '), options))
      : await findSwitch(repo, options.run)
  const go = options.detach === true ? detachSwitch : runSwitch
  return printOutcome(invocation.out, await go(invocation, workspace, pending))
}

type SwitchOptions = Omit<SwitchRequest, 'goal' | 'to' | 'timeout'> & {
  to?: string
  timeout?: string
  run?: string
}

function readSwitch(goal: string, { to, timeout: given, ...options }: SwitchOptions): SwitchRequest {
  if (to === undefined)
    throw usage(
      'Who goes on?',
      'Example: `git handoff switch "<goal>" --to codex`. See `git handoff switch --help`.',
    )
  const timeout = parseDuration(given)
  if (timeout === null || timeout <= 0)
    throw usage(
      '--timeout takes a duration such as 5m.',
      'Example: `git handoff switch "…" --to codex --timeout 5m`.',
    )
  return { ...options, goal, to, timeout }
}
