import type { Command } from 'commander'
import type { CommandModule } from '../command.ts'
import { HOOK_EVENTS, run as runAgentHook } from '../hook/agent-hook.ts'
import { runGitHook } from '../hook/git-hook.ts'
import { GIT_EVENTS } from '../hooks/runner.ts'

export function define(command: Command): void {
  command
    .argument('<event>', [...HOOK_EVENTS, ...GIT_EVENTS.map(({ name }) => name)].join(', '))
    .argument('[arguments...]', 'arguments of the git hook, after `--`')
    .option('--agent <id>', 'agent of the hook; omit it for a git hook')
    .addHelpText('after', HELP)
}

const HELP = `
You do not call it yourself. HANDOFF=0 turns all hooks off. docs/git-hooks.md says what stops a commit or push.

Example:
  echo '{"session_id":"…","cwd":"'"$PWD"'"}' | handoff hook session-start --agent claude-code`

/** Events of agents and of git; the built program has the former in a file of its own as well, since agents wait for them. */
export const run: CommandModule['run'] = async (invocation, [name = '', ...args], options) => {
  const event = GIT_EVENTS.find((one) => one.name === name)
  return event !== undefined && options.agent === undefined
    ? runGitHook(invocation, event.name, args)
    : runAgentHook(invocation, [name], options)
}
