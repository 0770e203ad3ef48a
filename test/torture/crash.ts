import { cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { auditAfter, auditNow, type Reference, readReference } from './audit.ts'
import { controls } from './crash-controls.ts'
import { compareWithStrace } from './crash-strace.ts'
import { type Bench, openBench, operations } from './operations.ts'
import type { Context, Part } from './part.ts'
import { sample } from './random.ts'
import { CHANGING, compileSteps, type Plan, type Run, runKilled, runWithSteps } from './steps.ts'
import { unsynced } from './unsynced.ts'

const ALL = 'kill -9 of every process, before each call'
const ONE = 'kill -9 of one process, before each call'
const RANDOM = 'kill -9 of the group, at random'

/** Kills at every step of every writing command, and at random: SPEC §8, RELIABILITY §2.3. */
export const part: Part = {
  name: 'crash',
  async run(context) {
    const { long, row } = context
    const compiled = compileSteps(context.scratch('library'))
    const library = 'library' in compiled ? compiled.library : null
    if ('missing' in compiled)
      for (const fault of [ALL, ONE])
        row({ fault, operation: 'every command', count: 0, result: 'not run', detail: compiled.missing })
    const waiting = [...operations]
    const work = async (): Promise<void> => {
      for (let operation = waiting.shift(); operation !== undefined; operation = waiting.shift()) {
        const bench = openBench(context.scratch('bench'), operation, context.program)
        const reference = await readReference(bench, context.program)
        const isShown = long || operation.name === 'create, first'
        if (library !== null && isShown) await compareWithStrace(context, library, bench)
        if (library !== null) await killAtSteps(context, library, bench, reference)
        if (long || operation.name === 'create, next') await killAtRandom(context, bench, reference)
      }
    }
    await Promise.all(Array.from({ length: Math.min(2, cpus().length) }, work))
    if (library !== null) await controls(context, library)
  },
}

async function killAtSteps(
  context: Context,
  library: string,
  bench: Bench,
  reference: Reference,
): Promise<void> {
  const { operation } = bench
  const how = { library, program: context.program, under: bench.under }
  bench.rewind()
  const { steps } = await runWithSteps(how, bench.repo, operation.args, { act: 'record', kinds: CHANGING })
  const bare = unsynced(steps)
  context.row({
    fault: 'fsync before the name',
    operation: operation.name,
    count: steps.filter(({ call }) => call === 'fsync').length,
    result: bare.length === 0 ? 'ok' : 'FAILED',
    ...(bare.length === 0 ? {} : { detail: `not synced: ${bare.slice(0, 3).join(', ')}` }),
  })
  const every = steps.map((_, at) => at + 1)
  for (const act of ['kill all', 'kill one'] as const) {
    // A parent killed alone is what the children survive; children killed alone are what the parent must tell.
    const points = context.long ? every : sample(every, 1, context.random)
    const cases = points.map((at) => ({
      at,
      run: () => runWithSteps(how, bench.repo, operation.args, { act, at, kinds: CHANGING } satisfies Plan),
    }))
    await killEach(context, bench, reference, act === 'kill all' ? ALL : ONE, cases)
  }
}

async function killAtRandom(context: Context, bench: Bench, reference: Reference): Promise<void> {
  bench.rewind()
  const { ms } = await runKilled(context.program, bench.repo, bench.operation.args, null)
  const cases = Array.from({ length: context.long ? 25 : 3 }, () => Math.round(context.random() * ms)).map(
    (at) => ({
      at,
      run: async () => {
        const run = await runKilled(context.program, bench.repo, bench.operation.args, at)
        // Children of their own session outlive the group by some ms.
        await sleep(100)
        return { ...run, steps: [] }
      },
    }),
  )
  await killEach(context, bench, reference, RANDOM, cases)
}

async function killEach(
  context: Context,
  bench: Bench,
  reference: Reference,
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
    const after = await auditAfter(bench, reference, context.program, number % 2 === 1, stderr)
    const wrong = [...now, ...after.wrong]
    if (after.blocked) blocks++
    const where = hit && `${hit.program} ${hit.call} ${hit.path.slice(repo.base.length + 1)}`
    context.case({ fault, operation: operation.name, at, where, code, blocked: after.blocked, wrong, stderr })
    if (wrong.length > 0) found.push(`${at}${where ? ` (${where})` : ''}: ${wrong.join('; ')}`)
  }
  const blocked =
    blocks > 0 ? `${blocks} times the user's commit met a lock that the next command took away` : ''
  context.row({
    fault,
    operation: operation.name,
    count: cases.length,
    result: found.length === 0 ? 'ok' : 'FAILED',
    detail: found.length > 0 ? `${found.length} wrong, first ${found[0]}` : blocked,
  })
}
