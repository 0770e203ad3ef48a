import type { Command } from 'commander'
import { type CommandModule, printOutcome } from '../command.ts'
import { readTimeout } from '../config/merge.ts'
import { type CreateOptions, readRequest } from '../create/create-request.ts'
import { usage } from '../errors/usage.ts'
import { resume } from '../switch/resume.ts'

export function define(command: Command): void {
  command
    .argument('[id]', 'id, prefix or file of a brief; default: the current one')
    .option('--commit', 'commit the brief (default)')
    .option('--no-commit', 'write the brief without a commit')
    .addOption(
      command
        .createOption('--branch <where>', 'current, or separate (handoff/<branch>)')
        .choices(['current', 'separate']),
    )
    .option('--dry-run', 'write nothing')
    .option('--to <who>', 'start this agent, persona or place; rebuild only if git changed')
    .option('--headless', 'with `--to`: one turn without a terminal')
    .option('--timeout <duration>', 'with `--headless`: time limit', '30m')
    .option('--print', 'with `--to`: print prompt and command, start nothing')
    .addHelpText('after', HELP)
}

const HELP = `
Goal, focus and notes stay. If the session is not on this machine, it keeps the items and marks missing files. If nothing changed, it
prints the existing brief.

--to takes an agent, persona, alias, or the folder or branch of a worktree. The agent keeps its permission prompts and has your
environment; with --headless no secrets but its own login. It starts on no untrusted brief.

Example:
  handoff resume --to codex`

export const run: CommandModule['run'] = async (invocation, [id], given) => {
  const { out } = invocation
  const options = given as CreateOptions & { timeout?: string }
  const { to, headless = false, print = false } = options
  const timeout =
    options.timeout === undefined ? undefined : readTimeout('resume --to codex --headless', options.timeout)
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
