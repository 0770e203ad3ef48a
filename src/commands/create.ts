import type { CommandModule } from '../command.ts'
import { openMaking } from '../create/create-brief.ts'
import { defineCreate, isWriting, readRequest } from '../create/create-request.ts'
import { exitOf, printOutcome } from './print-outcome.ts'

export const define = defineCreate

export const run: CommandModule['run'] = async (invocation, args, options) => {
  const { out } = invocation
  const request = readRequest(args, options)
  const making = await openMaking(invocation, request)
  const { to, headless } = request
  const starting = to === null ? null : await import('../switch/create-and-start.ts')
  if (starting !== null && to !== null) await starting.checkDestination(invocation, making, to)
  const made = await making.make()
  const isStarting = starting !== null && to !== null && isWriting(request)
  // The one object of `--json` tells of the brief and of its successor.
  if (!isStarting || !out.json) printOutcome(out, made)
  else for (const line of made.said) out.say(line)
  if (!isStarting) return 0
  const { object, output, failure } = await starting.startOnMade(invocation, making, made, { to, headless })
  if (failure !== null && !out.json) throw failure
  if (headless) out.raw(output)
  out.object(object)
  return exitOf(failure)
}
