import type { Command } from 'commander'
import { type CommandModule, printOutcome } from '../command.ts'
import { parseDuration } from '../config/merge.ts'
import { type CreateOptions, readRequest } from '../create/create-request.ts'
import { usage } from '../errors/usage.ts'
import { launchable } from '../start/destination.ts'
import { resume } from '../switch/resume.ts'

export function define(command: Command): void {
  command
    .argument('[id]', 'latest (default), an id, a unique prefix of one, or a file')
    .option('--commit', 'commit the brief (default)')
    .option('--no-commit', 'write the brief, commit nothing')
    .addOption(
      command
        .createOption('--branch <where>', 'current, or separate (handoff/<branch>)')
        .choices(['current', 'separate']),
    )
    .option('--dry-run', 'do everything except writing')
    .option('--to <who>', "start this persona, agent or repository's agent; rebuild only if git changed")
    .option('--headless', "with `--to`: one turn without a terminal; print the agent's answer")
    .option('--timeout <duration>', 'with `--to`: time limit of a headless turn', '30m')
    .option('--print', 'with `--to`: print the prompt and the manual command; write and start nothing')
    .addHelpText('after', HELP)
}

const HELP = `
Rebuilds a brief at HEAD as a child of the old one, which does not change. It reads git and the session again. If the session is
not on this machine, it carries the items of the old brief. Goal, focus, mission and notes stay.

Agents: ${launchable()
  .map(({ id }) => id)
  .join(', ')}.
With --to, an agent starts in its interactive form with its own permissions and reads the brief. It gets no secrets of this shell
except those of its login.

Example:
  handoff resume --to codex`

export const run: CommandModule['run'] = async (invocation, [id], given) => {
  const { out } = invocation
  const options = given as CreateOptions & { timeout?: string }
  const { to, headless = false, print = false } = options
  const timeout = options.timeout === undefined ? undefined : parseDuration(options.timeout)
  if (timeout === null)
    throw usage(
      '--timeout takes a duration such as 10m.',
      'handoff resume --to codex --headless --timeout 10m',
    )
  for (const name of ['headless', 'print'] as const)
    if (to === undefined && options[name])
      throw usage(`--${name} needs --to.`, `Example: \`git handoff resume --to codex --${name}\`.`)
  const request = readRequest('', { ...options, print: false, ...(print ? { dryRun: true } : {}) })
  const start = to === undefined ? null : { to, headless, print, timeout }
  const outcome = await resume(invocation, id, request, start)
  const exit = printOutcome(out, outcome)
  if ('manual' in outcome.result) out.quote(`By hand: ${outcome.result.manual}`)
  return exit
}
