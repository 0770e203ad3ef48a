import type { Command } from 'commander'
import type { CommandModule } from '../command.ts'
import { readReceipt } from '../review/read-receipt.ts'

export function define(command: Command): void {
  command
    .argument('[id]', 'latest (default), an id, a unique prefix of one, or a file')
    .addHelpText('after', HELP)
}

const HELP = `
Tells of each constraint, failing check, open item, question and decision of a brief whether it was kept, broken or is open, and what
shows it: commits since, the next brief, and its session where that is on this machine. Else it says "cannot tell".

Example:
  handoff receipt`

export const run: CommandModule['run'] = async (invocation, [id]) => {
  const { result, text } = await readReceipt(invocation, id)
  invocation.out.prose(text, result)
  return 0
}
