import type { Command, CommanderError } from 'commander'
import type { CommandSpec } from '../command.ts'
import { type HandoffError, isHandoffError } from '../errors/handoff-error.ts'
import { badChoice, unknownCommand, unknownOption, unknownTopic, usage } from '../errors/usage.ts'
import { cancelled, systemFailed } from '../errors/writing.ts'
import { nearest } from '../workspace/nearest.ts'
import { GLOBAL_FLAGS } from './overview.ts'

export type ErrorReport = Pick<HandoffError, 'code' | 'message' | 'hint' | 'exit' | 'data'>

/**
 * What is said of an error. `given`: what was typed or handed in. It may hold a key, and messages quote it; an address that became a path is
 * not known for one there.
 */
export async function errorReport(
  error: unknown,
  given: unknown,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ErrorReport> {
  const { code, message, hint, exit, data } = knownError(error)
  const isOwn = exit === 1 && !message.startsWith('Handoff failed')
  const { maskSecrets } = await import('../workspace/input-secrets.ts')
  const told = { message: isOwn ? `Handoff failed: ${message}` : message, hint, data: { ...data }, given }
  const masked = await maskSecrets(told, env)
  return { code, message: masked.message, hint: masked.hint, exit, data: masked.data }
}

function knownError(error: unknown): ErrorReport {
  if (isHandoffError(error)) return error
  if (error instanceof Error && error.name === 'AbortError') return cancelled()
  if (isRefusal(error)) return systemFailed(error)
  return {
    code: 'E_UNEXPECTED',
    message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    hint: 'This is a bug in handoff. Please report it with the lines above.',
    exit: 1,
    data: {},
  }
}

const REFUSED = 'EIO ENOSPC EDQUOT EROFS EACCES EPERM EMFILE ENFILE ENOMEM EAGAIN'.split(' ')
/** What the disk or the system refuses is no bug of ours. */
const isRefusal = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error &&
  'syscall' in error &&
  REFUSED.includes((error as NodeJS.ErrnoException).code ?? '')

/** What the parser could not take, in its words, and what was probably meant. `name`: the command with its program. */
export function parseFailure(
  { code, message }: Pick<CommanderError, 'code' | 'message'>,
  name: string,
  command: Command,
): HandoffError {
  const help = `\`git ${name} --help\` shows the form. Text of several words goes in quotes.`
  if (code === 'commander.unknownOption') {
    const [flag = ''] = /'([\s\S]*?)'/.exec(message)?.[1]?.split('=', 1) ?? []
    const known = [...command.options.flatMap(({ long }) => long ?? []), ...GLOBAL_FLAGS]
    return unknownOption(name, flag, nearFlag(flag, known))
  }
  const said = message.replace('error: ', '')
  const [value] = /(?<=argument(?: value)? ')[\s\S]*?(?=' is invalid)/.exec(message) ?? []
  const option = command.options.find(({ flags }) => message.includes(`option '${flags}'`))
  const choices = (option ?? command.registeredArguments[0])?.argChoices
  if (value === undefined || choices === undefined) return usage(`${name}: ${said}`, help)
  const typed = option === undefined ? name : `${name} ${option.long}`
  return badChoice(typed, `${name}: ${said}`, choices, nearest(value, choices))
}

function nearFlag(flag: string, known: readonly string[]): string | null {
  const names = known.map((one) => one.slice('--'.length))
  const near = nearest(flag.replace(/^-+/, ''), names)
  return near === null ? null : `--${near}`
}

/** What is said of a first word that is neither a command nor a goal; with several words behind it, it most likely begins one. */
export function unknownWord(
  word: string,
  others: readonly string[],
  commands: readonly CommandSpec[],
): HandoffError {
  const names = commands.map(({ name }) => name)
  const words = [word, ...others]
  if (words.length > 2 && words.every((one) => /^[^\s"'`$\\!-][^\s"`$\\!]*$/.test(one)))
    return unknownCommand(word, `create "${words.join(' ')}"`)
  if (!word.startsWith('-')) return unknownCommand(word, nearest(word, names))
  const [flag = ''] = word.split('=', 1)
  return unknownOption('handoff', flag, nearFlag(flag, GLOBAL_FLAGS))
}

/** What is said of a word after `help` that is neither a topic nor a command. */
export async function noHelpOn(word: string, commands: readonly CommandSpec[]): Promise<HandoffError> {
  const { topics } = await import('../commands/help-topics.ts')
  const names = topics.map(({ name }) => name)
  return unknownTopic(word, nearest(word, [...commands.map(({ name }) => name), ...names]), names)
}
