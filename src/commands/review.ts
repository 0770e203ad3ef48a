import type { Command } from 'commander'
import type { CommandModule } from '../command.ts'
import { reviewBranch } from '../review/review-branch.ts'

export function define(command: Command): void {
  command
    .argument('[range]', 'commits as `a..b`; default: those of the pull request or branch')
    .addHelpText('after', HELP)
}

const HELP = `
Prints the comment for a pull request: what is open and whether it is still true. For each handoff it tells what was asked, decided,
verified, tried and dropped. A terminal gets text, a pipe gets markdown.

Example:
  handoff review main..HEAD > comment.md`

export const run: CommandModule['run'] = async (invocation, [range]) => {
  const { out } = invocation
  const { result, text } = await reviewBranch(invocation, range)
  if (out.screen === null) out.result(result.markdown, result)
  else out.prose(text, result)
  return 0
}
