import { auditAfter, auditNow } from './audit.ts'
import { controls } from './crash-controls.ts'
import { compareWithStrace } from './crash-strace.ts'
import { operations } from './operations.ts'
import type { ByForm, Context, Part } from './part.ts'
import { eachOf, libraryOf, type Prepared } from './prepared.ts'
import { sample } from './random.ts'
import { CHANGING, nothingRunsIn, type Plan, type Run, runKilled, runWithSteps } from './steps.ts'
import { unsynced } from './unsynced.ts'

const EVERY = 'kill -9 of every process, before each call'
const ONE = 'kill -9 of one process, before each call'
const RANDOM = 'kill -9 of the group, at random'

/** Kills at a moment of chance. */
const RANDOM_KILLS: ByForm<number> = { ci: 1, short: 3, long: 25 }

/** The command that `npm test` kills; the others commit in the same way. */
const BY_DAY = 'create, next'

/** Kills at every step of every writing command, and at random. */
export const part: Part = {
  name: 'crash',
  async run(context) {
    const { long, row } = context
    const { library, missing } = libraryOf(context)
    if (missing !== undefined)
      for (const fault of [EVERY, ONE]) row(fault, 'every command', 0, 'not run', missing)
    // By day a kill at a step shows what one at random does.
    const isByStep = context.form === 'ci' && library !== undefined
    const chosen = context.form === 'ci' ? operations.filter(({ name }) => name === BY_DAY) : operations
    await eachOf(context, chosen, async (prepared, random) => {
      const { name } = prepared.bench.operation
      const isShown = long || name === 'create, first'
      if (library !== undefined && isShown) await compareWithStrace(context, library, prepared.bench)
      if (library !== undefined) await killAtSteps(context, library, prepared, random)
      if (long || (name === 'create, next' && !isByStep)) await killAtRandom(context, prepared, random)
    })
    if (library !== undefined && context.form !== 'ci') await controls(context, library)
  },
}

async function killAtSteps(
  context: Context,
  library: string,
  prepared: Prepared,
  random: () => number,
): Promise<void> {
  const { operation, repo, under } = prepared.bench
  const how = { library, program: context.program, under }
  const steps = prepared.steps.filter(({ kind }) => (kind & CHANGING) !== 0)
  const bare = unsynced(steps)
  const syncs = steps.filter(({ call }) => call === 'fsync').length
  const notSynced = bare.length === 0 ? '' : `not synced: ${bare.slice(0, 3).join(', ')}`
  context.row('fsync before the name', operation.name, syncs, bare.length === 0, notSynced)
  const every = steps.map((_, at) => at + 1)
  for (const act of context.form === 'ci' ? (['kill all'] as const) : (['kill all', 'kill one'] as const)) {
    // A parent killed alone is what the children survive; children killed alone are what the parent must tell.
    const points = context.long ? every : sample(every, 1, random)
    const cases = points.map((at) => ({
      at,
      run: () => runWithSteps(how, repo, operation.args, { act, at, kinds: CHANGING } satisfies Plan),
    }))
    await killEach(context, prepared, act === 'kill all' ? EVERY : ONE, cases)
  }
}

async function killAtRandom(context: Context, prepared: Prepared, random: () => number): Promise<void> {
  const { bench } = prepared
  bench.rewind()
  const { ms } = await runKilled(context.program, bench.repo, bench.operation.args, null)
  const cases = Array.from({ length: RANDOM_KILLS[context.form] }, () => Math.round(random() * ms)).map(
    (at) => ({
      at,
      run: async () => {
        const run = await runKilled(context.program, bench.repo, bench.operation.args, at)
        await nothingRunsIn(bench.under)
        return { ...run, steps: [] }
      },
    }),
  )
  await killEach(context, prepared, RANDOM, cases)
}

async function killEach(
  context: Context,
  { bench, reference }: Prepared,
  fault: string,
  cases: { at: number; run: () => Promise<Run> }[],
): Promise<void> {
  const { repo, operation } = bench
  const found: string[] = []
  let blocks = 0
  for (const [number, { at, run }] of cases.entries()) {
    bench.rewind()
    const { steps, code, stderr } = await run()
    const hit = steps.find(({ isHit }) => isHit)
    const now = auditNow(bench, reference)
    const after = await auditAfter(
      bench,
      reference,
      context.program,
      number % 2 === 1,
      code === null ? null : stderr,
    )
    const wrong = [...now, ...after.wrong]
    if (after.blocked) blocks++
    const where = hit && `${hit.program} ${hit.call} ${hit.path.slice(repo.base.length + 1)}`
    context.case({ fault, operation: operation.name, at, where, code, blocked: after.blocked, wrong, stderr })
    if (wrong.length > 0) found.push(`${at}${where ? ` (${where})` : ''}: ${wrong.join('; ')}`)
  }
  const blocked = blocks > 0 ? `${blocks} times a git that was killed left its own lock` : ''
  context.row(fault, operation.name, cases.length, found, blocked)
}
