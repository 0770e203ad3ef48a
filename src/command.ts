import type { Command } from 'commander'
import type { HandoffError } from './errors/handoff-error.ts'
import { usage } from './errors/usage.ts'
import type { Output, Stream } from './output/output.ts'
import type { Progress } from './output/progress.ts'
import type { Place } from './types/config.ts'

/** What a command is run with. */
export interface Invocation {
  place: Place
  out: Output
  /** Progress and the editor draw here. */
  stderr: Stream
  /** All of standard input as text. */
  readStdin: () => Promise<string>
  version: string
  /** Told whose session is read. */
  onReader?: (agent: string) => void
  /** What is shown of it while it runs; questions make it give way. */
  progress?: Progress
}

/**
 * 0 done, 1 findings; 65 what a hook of git refuses, since 1 is also what a Node says that cannot read the program;
 * 130 cancelled, when it is told with what stands. Everything else is an error that was thrown.
 */
export type ExitCode = 0 | 1 | 65 | 130

/** What the work of a verb came to. */
export interface Outcome {
  /** The object of `--json`. */
  result: object
  /** For standard output; null where there is nothing, or somebody else had the terminal. */
  text: string | null
  /** What happened, for the person, once that stands. */
  said: readonly string[]
  /** Why nobody goes on with a brief that was made all the same. */
  failure?: HandoffError | null
}

/** For an option that may be repeated. */
export const collect = (value: string, before: string[]): string[] => [...before, value]

/** The value of `--limit`. Throws `usage`. */
export function readCount(command: string, value: unknown): number {
  if (/^[1-9]\d{0,8}$/.test(String(value))) return Number(value)
  throw usage('--limit takes a whole number.', `Example: \`git ${command} --limit 5\`.`)
}

/** One verb. */
export interface CommandModule {
  /** Arguments, options and an example, for parsing and help. */
  define(command: Command): void
  /** The options that `--help` lists where all of them do not fit on a screen; `handoff help <name>` lists the rest as well. */
  usual?: readonly string[]
  run(invocation: Invocation, args: string[], options: Record<string, unknown>): Promise<ExitCode>
}

export interface CommandSpec {
  /** The moment in the work at which a person needs it; `plumbing` is called by programs. */
  when: 'hand over' | 'pick up' | 'review' | 'set up' | 'plumbing'
  name: string
  summary: string
  load: () => Promise<CommandModule>
}

/**
 * The result of a verb, then what happened; `prose` for sentences and lists. Throws why nobody goes on, where no object of `--json` can
 * tell it.
 */
export function printOutcome(
  out: Invocation['out'],
  { result, text, said, failure = null }: Outcome,
  form: 'result' | 'prose' = 'result',
): ExitCode {
  if (failure !== null && !out.json) throw failure
  if (text === null) out.object(result)
  else out[form](text, result)
  for (const line of said) out.say(line)
  if (failure === null) return 0
  return failure.exit === 130 ? 130 : 1
}
