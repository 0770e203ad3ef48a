import type { Command } from 'commander'
import type { CommandModule } from '../command.ts'
import { usage } from '../errors/usage.ts'
import { open } from '../remote/open.ts'
import { printOutcome } from './print-outcome.ts'

export function define(command: Command): void {
  command
    .argument('<where>', 'link to a pull request, merge request or branch; a branch; the id of a brief')
    .option('--worktree <dir>', 'check the branch out in this new folder')
    .option('--to <who>', "start this persona, agent or repository's agent on its brief")
    .option('--headless', "with `--to`: one turn without a terminal; print the agent's answer")
    .addHelpText('after', '\nExample:\n  handoff open https://github.com/owner/name/pull/12 --to codex')
}

export const run: CommandModule['run'] = async (invocation, [where = ''], options) => {
  const { to, worktree, headless = false } = options as Parameters<typeof open>[2]
  if (headless && to === undefined)
    throw usage('--headless needs --to.', 'Example: `git handoff open <where> --to codex --headless`.')
  if (worktree === '' || worktree?.includes('\0'))
    throw usage('--worktree needs a folder.', 'Example: `git handoff open <where> --worktree ../other`.')
  return printOutcome(invocation.out, await open(invocation, where, { to, worktree, headless }), 'prose')
}
