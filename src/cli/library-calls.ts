import type { Command } from 'commander'
import { usage } from '../errors/usage.ts'
import { quietOutput } from '../output/output.ts'
import { invocationIn, type Surroundings } from './invocation.ts'
import { type ErrorReport, errorReport, parseFailure } from './report-error.ts'

/** What a function of the library asks a command for. */
export interface LibraryCall {
  name: string
  /** Arguments without a name. */
  words: readonly string[]
  /** By the names that the command gives its options; each is read as if it had been typed. */
  options: Readonly<Record<string, unknown>>
  /** What nobody can type. */
  values?: Readonly<Record<string, unknown>>
  /** What the command reads from standard input. */
  input?: string
}

/**
 * Runs a command without a terminal, and returns the object that it prints with `--json`. An error comes back as it may be shown, since the
 * library has a class of its own for it.
 */
export async function callLibrary(
  { name, words, options, values = {}, input = '' }: LibraryCall,
  surroundings: Surroundings & { onMessage?: ((line: string) => void) | undefined },
): Promise<{ result: object } | { failure: ErrorReport }> {
  try {
    const [{ Command, CommanderError }, { commands }] = await Promise.all([
      import('commander'),
      import('../commands/table.ts'),
    ])
    const module = await commands.find((one) => one.name === name)?.load()
    if (module === undefined) throw new Error(`there is no command ${name}`)
    const command = new Command(`handoff ${name}`).exitOverride().configureOutput({ writeErr: () => {} })
    module.define(command)
    try {
      command.parse([...argvOf(command, options), '--', ...words], { from: 'user' })
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error
      throw parseFailure(error, command.name(), command)
    }
    let printed = ''
    const stdout = {
      write(text: string) {
        printed += text
      },
    }
    const invocation = invocationIn(surroundings, null, {
      out: quietOutput(surroundings.onMessage, stdout),
      stderr: { write: () => undefined },
      readStdin: async () => input,
    })
    await module.run(invocation, command.args, { ...command.opts(), ...values })
    return { result: JSON.parse(printed) }
  } catch (error) {
    return { failure: await errorReport(error, [words, options], surroundings.env) }
  }
}

/** Options as words; false is what the negated option says, where there is one. Throws `usage`. */
function argvOf(command: Command, options: LibraryCall['options']): string[] {
  return Object.entries(options).flatMap(([key, value]) => {
    const option = command.options.find(
      (one) => one.attributeName() === key && one.negate === (value === false),
    )
    if (option === undefined || value === undefined || value === null) return []
    const { long, flags, required, optional, negate } = option
    const isFlag = negate || !(required || optional)
    if (isFlag && typeof value !== 'boolean')
      throw usage(`${long} is true or false.`, `\`git ${command.name()} --help\` lists the options.`)
    if (isFlag || (optional && value === true)) return [String(long)]
    if (value === true)
      throw usage(`${flags} needs a value.`, `\`git ${command.name()} --help\` lists the options.`)
    return [value].flat().map((one) => `${long}=${one}`)
  })
}
