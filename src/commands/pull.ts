import type { Command } from 'commander'
import type { CommandModule } from '../command.ts'
import { pull } from '../remote/pull.ts'
import { printOutcome } from './print-outcome.ts'

export function define(command: Command): void {
  command.addHelpText('after', '\nExample:\n  handoff pull')
}

export const run: CommandModule['run'] = async (invocation) =>
  printOutcome(invocation.out, await pull(invocation), 'prose')
