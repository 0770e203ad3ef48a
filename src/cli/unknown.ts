import { nearest } from '../workspace/nearest.ts'
import type { CommandSpec } from '../command.ts'
import type { HandoffError } from '../errors/handoff-error.ts'
import { unknownCommand, unknownOption, unknownTopic } from '../errors/usage.ts'
import { GLOBAL_FLAGS } from './overview.ts'

/** What is said of a first word that is neither a command nor a goal. */
export function unknownWord(word: string, commands: readonly CommandSpec[]): HandoffError {
  if (!word.startsWith('-'))
    return unknownCommand(
      word,
      nearest(
        word,
        commands.map(({ name }) => name),
      ),
    )
  const [flag = ''] = word.split('=', 1)
  const near = nearest(
    flag.replace(/^-+/, ''),
    GLOBAL_FLAGS.map((one) => one.slice(2)),
  )
  return unknownOption('handoff', flag, near === null ? null : `--${near}`)
}

/** What is said of a word after `help` that is neither a topic nor a command. */
export async function noHelpOn(word: string, commands: readonly CommandSpec[]): Promise<HandoffError> {
  const { topics } = await import('../commands/help-topics.ts')
  const names = topics.map(({ name }) => name)
  return unknownTopic(word, nearest(word, [...commands.map(({ name }) => name), ...names]), names)
}
