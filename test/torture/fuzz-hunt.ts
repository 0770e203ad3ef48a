import fc from 'fast-check'
import { startWatch } from './fuzz-watch.ts'
import type { ByForm, Context } from './part.ts'

/** One kind of input and what is done with it. */
export interface Subject<T = unknown> {
  /** The kind of input. */
  kind: string
  /** What is done with it. */
  operation: string
  /** Inputs of the short and of the long form; CI takes a part of the short one's. */
  counts: readonly [short: number, long: number]
  inputs: fc.Arbitrary<T>
  /** Throws what is wrong with what became of it; returns in a word what did: `brief`, the code of an error. */
  meets(input: T): Promise<string>
}

/** What may be wrong with how an input is dealt with, in the words of the table. */
const HARMS = {
  crash: 'no crash, no wrong brief',
  hang: 'no hang: none over a minute',
  rejection: 'no rejection that nobody handles',
} as const
export type Harm = keyof typeof HARMS

export interface Hunt {
  /** The smallest input that shows what is wrong, and what that is; null: none. */
  found: { input: string; why: string; harm: Harm; seed: number; path: string } | null
  runs: number
  /** How often each outcome came. */
  outcomes: Record<string, number>
  /** Longest time of one input, in ms. */
  slowest: number
}

/** What takes longer hangs, in ms: far more than any input takes on a slow machine. */
const HANGS = 60_000
/** How many of the inputs that a subject names. */
const INPUTS: ByForm<(counts: Subject['counts']) => number> = {
  ci: ([short]) => Math.ceil(short / 400),
  short: ([short]) => short,
  long: ([, long]) => long,
}
/** How long a failing input is made smaller, in ms. */
const SHRINKING = 15_000

/**
 * Puts `runs` inputs to a subject and returns the smallest that is dealt with wrongly: it throws, takes over 2 s or 512 MB, or
 * leaves a rejection that nobody handles. The seed decides the inputs.
 */
export async function hunt<T>(
  subject: Subject<T>,
  runs: number,
  seed: number,
  { shrinking = SHRINKING, hangs = HANGS }: { shrinking?: number; hangs?: number } = {},
): Promise<Hunt> {
  const hunted: Hunt = { found: null, runs: 0, outcomes: {}, slowest: 0 }
  let failedAt = 0
  const lost: unknown[] = []
  const onLost = (reason: unknown): void => void lost.push(reason)
  // Nobody else is to hear of it: it is told as what it is, the fault of an input.
  const others = process.listeners('unhandledRejection')
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', onLost)
  const watch = startWatch(`${subject.kind}, seed ${seed}`)
  try {
    const property = fc.asyncProperty(subject.inputs, async (input) => {
      // What takes longer to make smaller is told as it is.
      if (failedAt > 0 && Date.now() - failedAt > shrinking) return
      watch.beat()
      if (failedAt === 0) hunted.runs++
      try {
        const begun = performance.now()
        const outcome = await subject.meets(input)
        const took = performance.now() - begun
        hunted.slowest = Math.max(hunted.slowest, took)
        if (took > hangs) throw harm('hang', `it took ${Math.round(took)} ms`)
        if (failedAt === 0) hunted.outcomes[outcome] = (hunted.outcomes[outcome] ?? 0) + 1
        await new Promise((resolve) => setImmediate(resolve))
        if (lost.length > 0) throw harm('rejection', `a rejection that nobody handles: ${String(lost[0])}`)
      } catch (error) {
        failedAt ||= Date.now()
        throw error
      } finally {
        lost.length = 0
      }
    })
    const told = await fc.check(property, { numRuns: runs, seed })
    if (told.failed) {
      const error = told.errorInstance
      hunted.found = {
        input: shown(told.counterexample?.[0]),
        why: error instanceof Error ? (error.stack ?? error.message) : String(error),
        harm: harmOf(error),
        seed: told.seed,
        path: told.counterexamplePath ?? '',
      }
    }
    return hunted
  } finally {
    process.off('unhandledRejection', onLost)
    for (const other of others) process.on('unhandledRejection', other)
    watch.stop()
  }
}

/** An error that says what kind of harm it is; every other is a crash. */
export const harm = (kind: Harm, message: string): Error => new Error(message, { cause: kind })

const harmOf = (error: unknown): Harm =>
  error instanceof Error && typeof error.cause === 'string' && error.cause in HARMS
    ? (error.cause as Harm)
    : 'crash'

/** An input on a line, long texts in it shortened. */
const shown = (input: unknown): string =>
  (
    JSON.stringify(input, (_, value: unknown) => {
      if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString('hex')}`
      return typeof value === 'string' && value.length > 120
        ? `${value.slice(0, 80)}… (${value.length})`
        : value
    }) ?? ''
  ).slice(0, 8000)

/** Hunts in one subject and tells the table what came of it; a found input is printed with all that brings it back. */
export async function report<T>(context: Context, subject: Subject<T>): Promise<Hunt> {
  const seed = Math.floor(context.random() * 2 ** 31)
  const hunted = await hunt(subject, INPUTS[context.form](subject.counts), seed)
  const { found, runs, outcomes, slowest } = hunted
  const outcome = Object.entries(outcomes)
    .sort((a, b) => b[1] - a[1])
    .map(([name, count]) => `${count} ${name}`)
  context.case({
    fuzz: subject.kind,
    operation: subject.operation,
    runs,
    slowest,
    outcomes,
    seed,
    found,
  })
  if (found !== null)
    console.error(
      `fuzz: ${subject.kind}: ${found.why}\n  seed ${found.seed}, path "${found.path}"\n  smallest input: ${found.input}\n`,
    )
  context.row(
    `odd ${subject.kind}`,
    subject.operation,
    runs,
    found === null,
    found === null ? outcome.slice(0, 4).join(', ') : (found.why.split('\n')[0] ?? ''),
  )
  return hunted
}

/** Tells the table of all subjects together, one line for each harm that none of their inputs may do. */
export function reportAll(context: Context, hunts: readonly Hunt[]): void {
  const count = hunts.reduce((sum, { runs }) => sum + runs, 0)
  const slowest = Math.round(Math.max(0, ...hunts.map((one) => one.slowest)))
  for (const [kind, name] of Object.entries(HARMS) as [Harm, string][]) {
    const bad = hunts.filter(({ found }) => found?.harm === kind).length
    context.row(
      'odd input of every kind',
      name,
      count,
      bad === 0,
      bad === 0
        ? `${count} inputs${kind === 'hang' ? `, the slowest took ${slowest} ms` : ''}`
        : `in ${bad} of ${hunts.length} kinds`,
    )
  }
}
