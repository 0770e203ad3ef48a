import type { Command } from 'commander'
import type { CommandModule } from '../command.ts'
import { readReceipt } from '../review/read-receipt.ts'

export function define(command: Command): void {
  command
    .argument('[id]', 'latest (default), an id, a unique prefix of one, or a file')
    .addHelpText('after', HELP)
}

const HELP = `
Tells what became of each constraint, failing check, open item, question and decision of a brief: kept, broken or open, with
evidence. Evidence is a commit since, the next brief, or its session on this machine. Otherwise it says "cannot tell".

Example:
  handoff receipt`

export const run: CommandModule['run'] = async (invocation, [id]) => {
  const { result, text } = await readReceipt(invocation, id)
  invocation.out.prose(text, result)
  return 0
}
