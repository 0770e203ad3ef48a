import type { Command } from 'commander'
import type { CommandModule } from '../command.ts'
import { readReceipt } from '../review/read-receipt.ts'

export function define(command: Command): void {
  command
    .argument('[id]', 'latest (default), an id, a unique prefix of one, or a file')
    .addHelpText('after', HELP)
}

const HELP = `
Lists what happened since a brief: its rules, questions and steps that ended or whose files changed, checks, commits. It quotes
what ended them, and judges nothing.

Example:
  handoff receipt`

export const run: CommandModule['run'] = async (invocation, [id]) => {
  const { result, text } = await readReceipt(invocation, id)
  invocation.out.prose(text, result)
  return 0
}
