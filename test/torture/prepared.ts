import { type Reference, readReference } from './audit.ts'
import { type Bench, type Operation, openBench } from './operations.ts'
import type { Context } from './part.ts'
import { randomOf } from './random.ts'
import { sideBySide } from './side-by-side.ts'
import { ALL, compileSteps, runProgram, runWithSteps, type Step } from './steps.ts'

/** A command in the state it is called in, and what comes of it undisturbed. */
export interface Prepared {
  bench: Bench
  reference: Reference
  /** Its file operations, when there is a library to count them with. */
  steps: Step[]
  library: string | null
}

const made = new Map<string, Promise<Prepared>>()

/** Brings a command about, once for all parts of a file of tests: making its state takes up to five runs of the program. */
export function prepare(context: Context, operation: Operation): Promise<Prepared> {
  const known = made.get(operation.name)
  if (known !== undefined) return known
  const making = make(context, operation)
  made.set(operation.name, making)
  return making
}

async function make(context: Context, operation: Operation): Promise<Prepared> {
  const { program } = context
  const library = libraryOf(context).library ?? null
  const bench = openBench(context.kept(operation.name), operation, program)
  const { repo, under } = bench
  let steps: Step[] = []
  const reference = await readReference(bench, async () => {
    if (library === null) return runProgram(program, repo, operation.args)
    const how = { library, program, under }
    const run = await runWithSteps(how, repo, operation.args, { act: 'record', kinds: ALL })
    steps = run.steps
    return run
  })
  return { bench, reference, steps, library }
}

/** The library that counts, or why there is none. */
export const libraryOf = (context: Context): { library?: string; missing?: string } =>
  compileSteps(context.kept('library'))

/** Every command, two at a time, as a machine has two processors; each with numbers of its own, whoever is quicker. */
export async function eachOf(
  context: Context,
  operations: readonly Operation[],
  deal: (prepared: Prepared, random: () => number, at: number) => Promise<void>,
): Promise<void> {
  const waiting = operations.map((operation, at) => {
    const random = randomOf(Math.floor(context.random() * 2 ** 31), operation.name)
    return { operation, random, at }
  })
  await sideBySide(2, waiting, async ({ operation, random, at }) =>
    deal(await prepare(context, operation), random, at),
  )
}
