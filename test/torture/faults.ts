import { constants, cpus } from 'node:os'
import { auditAfter, auditNow, type Reference, readReference } from './audit.ts'
import { clockFaults } from './faults-clock.ts'
import { diskFaults } from './faults-disk.ts'
import { gitFaults } from './faults-git.ts'
import { judge } from './judge.ts'
import { type Bench, openBench, operations } from './operations.ts'
import type { Context, Part } from './part.ts'
import { sample } from './random.ts'
import { compileSteps, KINDS, runWithSteps } from './steps.ts'

const { openToRead, openToWrite, read, write, sync, rename, link, unlink, mkdir, mode } = KINDS

/** Which calls fail with which error. */
const ERRORS = {
  EIO: openToRead | openToWrite | read | write | sync | rename | link | unlink | mkdir | mode,
  ENOSPC: openToWrite | write | sync | rename | link | mkdir,
  EROFS: openToWrite | rename | link | unlink | mkdir | mode,
  EACCES: openToRead | openToWrite | rename | link | unlink | mkdir | mode,
  EMFILE: openToRead | openToWrite,
} as const
type Code = keyof typeof ERRORS

/** Cases of one error in one command, in the long form. */
const LONG = 25

/** Errors of the system at every file operation, of the parent and of git; then git itself, the clock and the disk. */
export const part: Part = {
  name: 'faults',
  async run(context) {
    const compiled = compileSteps(context.scratch('library'))
    const library = 'library' in compiled ? compiled.library : null
    if ('missing' in compiled)
      context.row({
        fault: 'an error of every call',
        operation: 'every command',
        count: 0,
        result: 'not run',
        detail: compiled.missing,
      })
    const waiting = library === null ? [] : operations.map((operation, at) => ({ operation, at }))
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const bench = openBench(context.scratch('bench'), next.operation, context.program)
        const reference = await readReference(bench, context.program)
        // The short form takes two of the errors for each command, so that every error meets three.
        const all = Object.keys(ERRORS) as Code[]
        const at = 2 * next.at
        const codes = context.long ? all : [0, 1].flatMap((more) => all[(at + more) % all.length] ?? [])
        for (const code of codes) await failAtSteps(context, library ?? '', bench, reference, code)
      }
    }
    await Promise.all(Array.from({ length: Math.min(2, cpus().length) }, work))
    await gitFaults(context)
    await clockFaults(context, library)
    await diskFaults(context)
  },
}

async function failAtSteps(
  context: Context,
  library: string,
  bench: Bench,
  reference: Reference,
  code: Code,
): Promise<void> {
  const { operation, repo } = bench
  const how = { library, program: context.program, under: bench.under }
  const kinds = ERRORS[code]
  bench.rewind()
  const { steps } = await runWithSteps(how, repo, operation.args, { act: 'record', kinds })
  const points = sample(
    steps.map((_, at) => at + 1),
    context.long ? LONG : 1,
    context.random,
  )
  const found: string[] = []
  let failures = 0
  for (const [number, at] of points.entries()) {
    bench.rewind()
    // A disk that is full or read-only stays so; a file that cannot be read may be one of many.
    const act = context.random() < 0.5 ? 'fail once' : 'fail on'
    const run = await runWithSteps(how, repo, operation.args, {
      act,
      at,
      error: constants.errno[code],
      kinds,
    })
    const hit = run.steps.find(({ isHit }) => isHit)
    const judged = judge(bench, reference, run)
    if (run.code !== 0) failures++
    const now = auditNow(bench, judged.reference)
    const after = await auditAfter(bench, judged.reference, context.program, number % 2 === 1, run.stderr)
    const wrong = [...judged.wrong, ...now, ...after.wrong]
    const where = hit && `${hit.program} ${hit.call} ${hit.path.slice(repo.base.length + 1)}`
    context.case({
      fault: code,
      act,
      operation: operation.name,
      at,
      where,
      code: run.code,
      wrong,
      stderr: run.stderr,
    })
    if (wrong.length > 0) found.push(`${act} at ${at}${where ? ` (${where})` : ''}: ${wrong.join('; ')}`)
  }
  context.row({
    fault: `${code} of any call`,
    operation: operation.name,
    count: points.length,
    result: found.length === 0 ? 'ok' : 'FAILED',
    detail:
      found.length > 0
        ? `${found.length} wrong, first ${found[0]}`
        : `${failures} clear errors, the rest done`,
  })
}
