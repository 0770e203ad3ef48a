import fc from 'fast-check'
import { asThere } from '../cpu-time.ts'
import { startWatch } from './fuzz-watch.ts'
import type { Context } from './part.ts'

/** One kind of input and what is done with it. */
export interface Subject<T = unknown> {
  /** The kind of input. */
  kind: string
  /** What is done with it. */
  operation: string
  /** Inputs of the short and of the long form. */
  counts: readonly [short: number, long: number]
  inputs: fc.Arbitrary<T>
  /** Throws what is wrong with what became of it; returns in a word what did: `brief`, the code of an error. */
  meets(input: T): Promise<string>
  /** It waits for other programs, so that the time on the clock says little. */
  isAside?: true
}

/** What may be wrong with how an input is dealt with, in the words of the table. */
const HARMS = {
  crash: 'no crash, no wrong brief',
  hang: 'no hang: none over 2 s of processor time',
  memory: 'none over 512 MB of memory',
  rejection: 'no rejection that nobody handles',
} as const
export type Harm = keyof typeof HARMS

export interface Hunt {
  /** The smallest input that shows what is wrong, and what that is; null: none. */
  found: { input: string; why: string; harm: Harm; seed: number; path: string } | null
  runs: number
  /** How often each outcome came. */
  outcomes: Record<string, number>
  /** Most processor time of one input, in ms. */
  slowest: number
  /** Most memory that one input took over what was held before, in bytes. */
  largest: number
}

/** Longest one input may take, in ms of processor time. */
const MOST_MS = 2000
/** Most memory one input may take, in bytes. */
const MOST_MEMORY = 512 << 20
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
  { shrinking = SHRINKING }: { shrinking?: number } = {},
): Promise<Hunt> {
  const hunted: Hunt = { found: null, runs: 0, outcomes: {}, slowest: 0, largest: 0 }
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
        const outcome = await measured(subject, input, hunted)
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

/** Puts one input to the subject and holds it to time and memory. */
async function measured<T>(subject: Subject<T>, input: T, hunted: Hunt): Promise<string> {
  const before = process.resourceUsage().maxRSS * 1024
  const held = process.memoryUsage.rss()
  let spent = Number.POSITIVE_INFINITY
  let outcome = ''
  // Neighbours and the collector disturb: an input is slow when it is so three times, as on the processor that the limit is for.
  for (let round = 0; round < 3 && spent > MOST_MS; round++) {
    const started = process.cpuUsage()
    outcome = await subject.meets(input)
    const { user, system } = process.cpuUsage(started)
    spent = Math.min(spent, asThere((user + system) / 1000, MOST_MS))
  }
  hunted.slowest = Math.max(hunted.slowest, spent)
  if (spent > MOST_MS) throw harm('hang', `it took ${Math.round(spent)} ms of processor time`)
  const peak = process.resourceUsage().maxRSS * 1024
  if (peak > before) hunted.largest = Math.max(hunted.largest, peak - held)
  if (peak > before && peak - held > MOST_MEMORY)
    throw harm('memory', `it took ${Math.round((peak - held) / 2 ** 20)} MB`)
  return outcome
}

/** Hunts in one subject and tells the table what came of it; a found input is printed with all that brings it back. */
export async function report<T>(context: Context, subject: Subject<T>): Promise<Hunt> {
  const [short, long] = subject.counts
  const seed = Math.floor(context.random() * 2 ** 31)
  const hunted = await hunt(subject, context.long ? long : short, seed)
  const { found, runs, outcomes, slowest, largest } = hunted
  const outcome = Object.entries(outcomes)
    .sort((a, b) => b[1] - a[1])
    .map(([name, count]) => `${count} ${name}`)
  context.case({
    fuzz: subject.kind,
    operation: subject.operation,
    runs,
    slowest,
    largest,
    outcomes,
    seed,
    found,
  })
  if (found !== null)
    console.error(
      `fuzz: ${subject.kind}: ${found.why}\n  seed ${found.seed}, path "${found.path}"\n  smallest input: ${found.input}\n`,
    )
  context.row({
    fault: `odd ${subject.kind}`,
    operation: subject.operation,
    count: runs,
    result: found === null ? 'ok' : 'FAILED',
    detail: found === null ? outcome.slice(0, 4).join(', ') : (found.why.split('\n')[0] ?? ''),
  })
  return hunted
}

/** Tells the table of all subjects together, one line for each harm that none of their inputs may do. */
export function reportAll(context: Context, hunts: readonly Hunt[]): void {
  const count = hunts.reduce((sum, { runs }) => sum + runs, 0)
  const most = (of: (one: Hunt) => number): number => Math.round(Math.max(0, ...hunts.map(of)))
  const measured: Partial<Record<Harm, string>> = {
    hang: `, the slowest took ${most(({ slowest }) => slowest)} ms`,
    memory: `, the largest took ${most(({ largest }) => largest / 2 ** 20)} MB`,
  }
  for (const [kind, name] of Object.entries(HARMS) as [Harm, string][]) {
    const bad = hunts.filter(({ found }) => found?.harm === kind).length
    context.row({
      fault: 'odd input of every kind',
      operation: name,
      count,
      result: bad === 0 ? 'ok' : 'FAILED',
      detail: bad === 0 ? `${count} inputs${measured[kind] ?? ''}` : `in ${bad} of ${hunts.length} kinds`,
    })
  }
}
