import type { Invocation } from '../command.ts'
import type { CreateOptions } from '../create/create-request.ts'
import { badChoice } from '../errors/usage.ts'
import { quietOutput } from '../output/output.ts'
import { nearest } from '../workspace/nearest.ts'
import { invocationIn, type Surroundings } from './invocation.ts'
import { type ToldError, tellError } from './told-error.ts'

type Options = Readonly<Record<string, unknown>>

/** Each returns the object that the command prints with `--json`; what it needs is loaded when it is called. */
const CALLS = {
  async create(invocation: Invocation, { goal, ...options }: Options): Promise<object> {
    const [{ createBrief }, { BRANCHES, FROM, MODES, readRequest }] = await Promise.all([
      import('../create/create-brief.ts'),
      import('../create/create-request.ts'),
    ])
    checkChoice('handoff create', '--from', options.from, FROM)
    checkChoice('handoff create', '--branch', options.branch, BRANCHES)
    checkChoice('handoff create', '--mode', options.mode, MODES)
    const { result, said } = await createBrief(
      invocation,
      readRequest(String(goal ?? ''), options as CreateOptions),
    )
    for (const line of said) invocation.out.say(line)
    return result
  },
  async show(invocation: Invocation, { id = 'latest', form, section = null }: Options): Promise<object> {
    const [{ showBrief }, { sections }] = await Promise.all([
      import('../log/show-brief.ts'),
      import('../brief/sections.ts'),
    ])
    const known = sections.map((one) => one.id)
    if (section !== null) checkChoice('handoff show', '--section', section, known)
    const request = { id, form, section } as Parameters<typeof showBrief>[1]
    return (await showBrief(invocation, request)).result
  },
  async check(invocation: Invocation, options: Options): Promise<object> {
    const { checkBriefs, LEVELS, MODES } = await import('../review/check-briefs.ts')
    checkChoice('handoff check', '--mode', options.mode, MODES)
    checkChoice('handoff check', '--fail-on', options.failOn, LEVELS)
    const usual = {
      paths: [],
      staged: false,
      range: undefined,
      mode: 'strict',
      force: false,
      failOn: 'error',
    }
    const request = { ...usual, ...options } as Parameters<typeof checkBriefs>[1]
    return (await checkBriefs(invocation, request)).result
  },
  async log(invocation: Invocation, options: Options): Promise<object> {
    const [{ readLog }, { readLogOptions }] = await Promise.all([
      import('../log/read-log.ts'),
      import('../log/log-options.ts'),
    ])
    return (await readLog(invocation, readLogOptions(options, invocation.place.now()))).result
  },
}

function checkChoice(command: string, flag: string, value: unknown, choices: readonly string[]): void {
  if (value === undefined || choices.includes(value as string)) return
  throw badChoice(command, flag, String(value), choices, nearest(String(value), choices))
}

/**
 * The work of one function of the library, without a terminal. `input` is what the command reads from standard input. An error comes back as
 * it may be shown, since the library has a class of its own for it.
 */
export async function callLibrary(
  name: keyof typeof CALLS,
  options: Options,
  input: string,
  surroundings: Surroundings & { onMessage?: ((line: string) => void) | undefined },
): Promise<{ result: object } | { failure: ToldError }> {
  try {
    const invocation = invocationIn(surroundings, null, {
      out: quietOutput(surroundings.onMessage),
      stderr: { write: () => undefined },
      readStdin: async () => input,
    })
    return { result: await CALLS[name](invocation, options) }
  } catch (error) {
    return { failure: await tellError(error, Object.values(options), surroundings.env) }
  }
}
