import type { Command } from 'commander'
import type { CommandModule } from '../command.ts'
import { closeChain } from '../create/close-chain.ts'
import { printOutcome } from './print-outcome.ts'

export function define(command: Command): void {
  command
    .argument('[outcome...]', 'the result in one line; default: `done`')
    .option('--redact', 'replace secrets instead of refusing')
    .option('--no-commit', 'write the record, commit nothing')
    .option('--prune', 'remove the other briefs of the chain from the tree; history keeps them')
    .addHelpText('after', '\nExample:\n  handoff done "shipped in 2.4, the old scheduler is gone"')
}

export const run: CommandModule['run'] = async (invocation, words, options) => {
  const outcome = words.join(' ').trim() || 'done'
  return printOutcome(invocation.out, await closeChain(invocation, outcome, options))
}
