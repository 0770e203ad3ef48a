import type { Command } from 'commander'
import type { CommandModule, Invocation } from '../command.ts'
import { closeChain } from '../create/close-chain.ts'
import { usage } from '../errors/usage.ts'
import { ask, mayAsk } from '../workspace/at-terminal.ts'
import { printOutcome } from './print-outcome.ts'

export function define(command: Command): void {
  command
    .argument('[outcome...]', 'the result in one line')
    .option('--redact', 'replace secrets instead of refusing')
    .option('--no-commit', 'write the record, commit nothing')
    .option('--prune', 'remove the other briefs of the chain from the tree; history keeps them')
    .addHelpText('after', '\nExample:\n  handoff done "shipped in 2.4, the old scheduler is gone"')
}

export const run: CommandModule['run'] = async (invocation, words, options) => {
  const outcome = words.join(' ').trim() || (await askOutcome(invocation))
  return printOutcome(invocation.out, await closeChain(invocation, outcome, options))
}

/** What the reviewers and the next agent read. Throws `usage` where nobody can be asked, `cancelled`. */
async function askOutcome(invocation: Invocation): Promise<string> {
  const typed = mayAsk(invocation)
    ? await ask(invocation, (questions) =>
        questions.text({
          message: 'What is the result, in one line?',
          lines: ['Example: shipped in 2.4'],
          initial: '',
        }),
      )
    : ''
  if (typed.trim() !== '') return typed.trim()
  throw usage('`done` needs the result in one line.', 'Example: `git handoff done "shipped in 2.4"`.')
}
