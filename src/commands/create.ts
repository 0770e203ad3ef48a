import type { CommandModule, Outcome } from '../command.ts'
import { type CreateOptions, defineCreate, openForCreate, readRequest } from '../create/create-request.ts'
import { printOutcome } from './print-outcome.ts'

export const define = defineCreate

export const run: CommandModule['run'] = async (invocation, words, options) => {
  const { out } = invocation
  const request = readRequest(words.join(' '), options as CreateOptions)
  if (request.to === undefined) {
    // The large part is loaded while git answers.
    const [workspace, { createBrief }] = await Promise.all([
      openForCreate(invocation, request),
      import('../create/create-brief.ts'),
    ])
    return printOutcome(out, await createBrief(invocation, request, workspace))
  }
  const { createAndStart } = await import('../switch/create-and-start.ts')
  // Before the successor has the terminal; the one object of `--json` tells of both.
  const onMade = (made: Outcome): void => void (out.json || printOutcome(out, made))
  return printOutcome(out, await createAndStart(invocation, request, request.to, onMade))
}
