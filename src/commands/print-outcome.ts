import type { ExitCode, Invocation, Outcome } from '../command.ts'

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
