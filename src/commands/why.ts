import type { Command } from 'commander'
import { readWhy } from '../ask/read-why.ts'
import type { CommandModule } from '../command.ts'

export function define(command: Command): void {
  command.argument('<file>', 'a file, or a line of it: src/queue.ts:42').addHelpText('after', HELP)
}

const HELP = `
Finds the commit that wrote the line, through moves and renames, and the brief that tells of it. It quotes the turn that names the
commit, else the lines that name the file. Without such a brief or such words, it says so.

Example:
  handoff why src/queue.ts:42`

export const run: CommandModule['run'] = async (invocation, [file = '']) => {
  const { result, text } = await readWhy(invocation, file)
  invocation.out.prose(text, result)
  return 0
}
