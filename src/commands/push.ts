import type { Command } from 'commander'
import type { CommandModule } from '../command.ts'
import { push } from '../remote/push.ts'
import { printOutcome } from './print-outcome.ts'

export function define(command: Command): void {
  command
    .option('--dry-run', 'ask the remote and push nothing')
    .addHelpText('after', '\nExample:\n  handoff push')
}

export const run: CommandModule['run'] = async (invocation, _args, { dryRun }) =>
  printOutcome(invocation.out, await push(invocation, dryRun === true))
