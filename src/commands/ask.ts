import type { Command } from 'commander'
import { readAnswer } from '../ask/read-answer.ts'
import type { CommandModule } from '../command.ts'
import { questionNotQuoted } from '../errors/briefs.ts'
import { isHandoffError } from '../errors/handoff-error.ts'
import { usage } from '../errors/usage.ts'

export function define(command: Command): void {
  command
    .argument('<question>', 'what you want to know')
    .argument('[id]', 'latest (default), an id, a unique prefix of one, or a file')
    .option('--limit <n>', 'at most this many passages', '5')
    .addHelpText('after', HELP)
}

const HELP = `
Searches the sessions behind a brief and its parents for the words of the question, and quotes them with turn and time. It asks no
model. Words of people and agents come first, then commands.

Below an answer ("yes", "option 2") it quotes the question. Below other passages it quotes the last word on the matter.

Example:
  handoff ask "why was the lock given up?"`

export const run: CommandModule['run'] = async (invocation, [question = '', id], options) => {
  const limit = Number(options.limit)
  if (!Number.isInteger(limit) || limit < 1)
    throw usage('--limit takes a whole number.', 'Example: `git handoff ask "…" --limit 3`.')
  const result = await readAnswer(invocation, question, id, limit).catch((error: unknown) => {
    throw isHandoffError(error) && error.code === 'E_BAD_ID' ? questionNotQuoted(id ?? '') : error
  })
  invocation.out.prose(result.text, result)
  return 0
}
