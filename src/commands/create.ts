import type { CommandModule, ExitCode, Invocation } from '../command.ts'
import { type Making, openMaking } from '../create/create-brief.ts'
import { type CreateRequest, defineCreate, isWriting, readRequest } from '../create/create-request.ts'
import { exitOf, printOutcome } from './print-outcome.ts'

export const define = defineCreate

export const run: CommandModule['run'] = async (invocation, args, options) => {
  const request = readRequest(args, options)
  const making = await openMaking(invocation, request)
  const { to } = request
  if (to !== null) return createAndStart(invocation, request, making, to)
  printOutcome(invocation.out, await making.make())
  return 0
}

/** `--to`: the one object of `--json` tells of the brief and of its successor. */
async function createAndStart(
  invocation: Invocation,
  request: CreateRequest,
  making: Making,
  to: string,
): Promise<ExitCode> {
  const { out } = invocation
  const { headless } = request
  const { checkDestination, startOnMade } = await import('../switch/create-and-start.ts')
  await checkDestination(invocation, making, to)
  const made = await making.make()
  const isStarting = isWriting(request)
  if (!isStarting || !out.json) printOutcome(out, made)
  else for (const line of made.said) out.say(line)
  if (!isStarting) return 0
  const { object, output, failure } = await startOnMade(invocation, making, made, { to, headless })
  if (failure !== null && !out.json) throw failure
  if (headless) out.raw(output)
  out.object(object)
  return exitOf(failure)
}
