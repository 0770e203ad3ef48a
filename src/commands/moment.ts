import type { CommandModule } from '../command.ts'
import { tellMoment } from '../status/moment.ts'
import { printOutcome } from './print-outcome.ts'

export const define: CommandModule['define'] = () => undefined

export const run: CommandModule['run'] = async (invocation) =>
  printOutcome(invocation.out, await tellMoment(invocation), 'prose')
