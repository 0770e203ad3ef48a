import type { ExitCode, Invocation } from '../command.ts'
import type { CreateOutcome } from '../create/write-brief.ts'
import type { HandoffError } from '../errors/handoff-error.ts'

/** The result of a brief that was made, then what happened. */
export function printOutcome(out: Invocation['out'], { result, text, said }: CreateOutcome): void {
  out.result(text, result)
  for (const line of said) out.say(line)
}

/** The exit status of a command whose brief stands, with the reason why nobody goes on with it. */
export const exitOf = (failure: HandoffError | null): ExitCode =>
  failure === null ? 0 : failure.exit === 130 ? 130 : 1
