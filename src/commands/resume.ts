import type { Command } from 'commander'
import { parseDuration } from '../config/merge.ts'
import { noBrief, usage } from '../errors.ts'
import { readCurrent } from './current.ts'
import { findDestination, launchable } from './destination.ts'
import { findBrief } from './find-brief.ts'
import { refreshLatest } from './latest-file.ts'
import { endOf, manualCommand, promptFor, startSuccessor } from './start-successor.ts'
import type { CommandModule } from './table.ts'
import { openWorkspace } from './workspace.ts'

export function define(command: Command): void {
  command
    .argument('[id]', 'latest (default), an id, a unique prefix of one, or a file')
    .option('--to <who>', 'persona, agent, repository or path')
    .option('--headless', 'one turn without a terminal; prints what the agent says')
    .option('--timeout <duration>', 'end a headless turn after so long', '30m')
    .option('--print', 'the prompt and the command by hand; start nothing')
    .addHelpText('after', HELP)
}

const HELP = `
Agents: ${launchable()
  .map(({ id }) => id)
  .join(
    ', ',
  )}. An agent starts in its interactive form with its own permissions, reads the brief itself, and gets no secrets of this
shell but those its login needs.

Example:
  handoff resume --to codex`

export const run: CommandModule['run'] = async (invocation, args, options) => {
  const { out, place } = invocation
  if (typeof options.to !== 'string')
    throw usage('Who goes on?', `handoff resume --to ${launchable()[0]?.id ?? 'claude-code'}`)
  const timeout = options.timeout === undefined ? undefined : parseDuration(options.timeout)
  if (timeout === null)
    throw usage(
      '--timeout takes a duration such as 10m.',
      'handoff resume --to codex --headless --timeout 10m',
    )
  const workspace = await openWorkspace(invocation)
  const { repo } = workspace
  const brief = args[0] === undefined ? await readCurrent(repo) : await findBrief(repo, args[0], place.root)
  if (brief === null) throw noBrief()
  if (brief.parsed.meta.kind === 'done') out.warn('this chain is closed; nothing is open')
  await refreshLatest(invocation, repo)
  const destination = await findDestination(invocation, workspace, brief.parsed.meta, options.to)
  const told = { ok: true, id: brief.id, agent: destination.adapter.id, cwd: destination.cwd }
  if (options.print === true) {
    const prompt = await promptFor(repo, brief, destination)
    const manual = manualCommand(repo, brief, destination)
    out.result(prompt, { ...told, started: false, prompt, manual, warnings: out.warnings })
    out.say(`By hand: ${manual}`)
    return 0
  }
  const headless = options.headless === true
  const successor = await startSuccessor(invocation, workspace, brief, destination, { headless, timeout })
  const failure = endOf(destination, successor, headless)
  if (failure !== null) throw failure
  const { exit, output } = successor
  if (headless || out.json)
    out.result(output, { ...told, started: true, headless, exit, output, warnings: out.warnings })
  return 0
}
