import { constants } from 'node:os'
import { auditAfter, auditNow } from './audit.ts'
import { clockFaults } from './faults-clock.ts'
import { diskFaults } from './faults-disk.ts'
import { gitFaults } from './faults-git.ts'
import { openExcuses } from './faults-itself.ts'
import { judge, SILENT } from './judge.ts'
import { operations, readers } from './operations.ts'
import type { Context, Part } from './part.ts'
import { eachOf, libraryOf, type Prepared } from './prepared.ts'
import { sample } from './random.ts'
import { KINDS, runWithSteps } from './steps.ts'

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
    const { library = null, missing } = libraryOf(context)
    if (missing !== undefined) context.row('an error of every call', 'every command', 0, 'not run', missing)
    await eachOf(context, operations, async (prepared, random, at) => {
      if (library !== null)
        for (const [number, code] of (Object.keys(ERRORS) as Code[]).entries()) {
          // In CI each command meets one of the errors, and each error a command.
          if (context.form === 'ci' && (number + at) % Object.keys(ERRORS).length !== 0) continue
          // What comes after takes as long as the error itself: the short form looks at that twice for each command.
          const isFollowed = context.long || (number - at) % 3 === 0
          await failAtSteps(context, library, prepared, code, random, isFollowed)
        }
      await gitFaults(context, prepared, random, at)
    })
    await eachOf(context, readers, async (prepared, random, at) => {
      // What only reads is fit to be sampled.
      if (context.form !== 'ci' || at % 2 === 0) await gitFaults(context, prepared, random, at)
    })
    await clockFaults(context, library)
    await diskFaults(context)
  },
}

async function failAtSteps(
  context: Context,
  library: string,
  prepared: Prepared,
  code: Code,
  random: () => number,
  isFollowed: boolean,
): Promise<void> {
  const { bench, reference } = prepared
  const { operation, repo } = bench
  const how = { library, program: context.program, under: bench.under }
  const kinds = ERRORS[code]
  const count = prepared.steps.filter(({ kind }) => (kind & kinds) !== 0).length
  const every = Array.from({ length: count }, (_, at) => at + 1)
  const points = sample(every, context.long ? LONG : 1, random)
  const found: string[] = []
  const excuse = openExcuses(context, library, constants.errno[code])
  const excused = new Map<string, number>()
  let failures = 0
  for (const [number, at] of points.entries()) {
    bench.rewind()
    // A disk that is full or read-only stays so; a file that cannot be read may be one of many.
    const act = random() < 0.5 ? 'fail once' : 'fail on'
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
    const after = isFollowed
      ? await auditAfter(bench, judged.reference, context.program, number % 2 === 1, run.stderr)
      : { wrong: [] }
    const all = [...judged.wrong, ...now, ...after.wrong]
    const git = all.includes(SILENT) && act === 'fail once' ? excuse(hit, repo.base) : null
    if (git !== null) excused.set(git, (excused.get(git) ?? 0) + 1)
    const wrong = all.filter((one) => git === null || one !== SILENT)
    const where = hit && `${hit.program} ${hit.call} ${hit.path.slice(repo.base.length + 1)}`
    context.case({
      fault: code,
      act,
      operation: operation.name,
      at,
      where,
      code: run.code,
      ...(git === null ? {} : { git }),
      wrong,
      stderr: run.stderr,
    })
    if (wrong.length > 0) found.push(`${act} at ${at}${where ? ` (${where})` : ''}: ${wrong.join('; ')}`)
  }
  context.row(
    `${code} of any call`,
    operation.name,
    points.length,
    found,
    `${failures} clear errors, the rest done`,
  )
  // Given up, and counted: no caller of git can tell.
  for (const [git, count] of excused) context.row(`${code}: ${git}`, operation.name, count, true)
}
