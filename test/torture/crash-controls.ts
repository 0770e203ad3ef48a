import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { auditNow } from './audit.ts'
import { type Bench, type Operation, operations } from './operations.ts'
import type { Context } from './part.ts'
import { prepare } from './prepared.ts'
import { plantDefect } from './program.ts'
import { CHANGING, runWithSteps, type Step } from './steps.ts'
import { tellPlanted } from './tell.ts'

/** Defects planted on purpose: when one of them is not found, the suite is blind. */
export async function controls(context: Context, library: string): Promise<void> {
  await refFirst(context, library)
  await tornBrief(context, library)
  await commitOnly(context, library)
}

function firstOne(): Operation {
  const [operation] = operations
  if (operation === undefined) throw new Error('there is no operation')
  return operation
}

/** The branch moves before the index: a kill between the two leaves the deletion of the brief staged. */
async function refFirst(context: Context, library: string): Promise<void> {
  const pattern =
    /(if\([\w$]+!==null\)\{await [\w$]+\([\w$]+,[\w$]+\);for\(let\{path:.{1,120}?\)\})(let [\w$]+=\[\{ref:.{1,60}?\}\];)return (.{1,120}?await [\w$]+\([\w$]+,[\w$]+,[\w$]+\)),(\{state:"committed")/
  const instead = '$2$3;$1return $4'
  const isNear = ({ path }: Step) =>
    /refs\/heads\/main|HEAD\.lock|logs\/HEAD|\.git\/index(?:\.lock)?$/.test(path)
  await control(context, library, 'ref before index', pattern, instead, isNear, /staged deletion/)
}

/** A brief written straight to its final name: a kill in the middle of the write leaves half of it. */
async function tornBrief(context: Context, library: string): Promise<void> {
  const pattern = /([\w$]+)\(([\w$]+),([\w$]+)\);try\{\(0,([\w$]+)\.linkSync\)\(\2,([\w$]+)\)/
  const instead = '$1($2,$3);try{(0,$4.writeFileSync)($5,$3)'
  const isNear = ({ path }: Step) => path.includes('/.handoff/briefs/')
  await control(context, library, 'brief written in place', pattern, instead, isNear, /partial brief/)
}

async function control(
  context: Context,
  library: string,
  name: string,
  pattern: RegExp,
  instead: string,
  isNear: (step: Step) => boolean,
  expected: RegExp,
): Promise<void> {
  const operation = firstOne()
  const { bench, reference } = await prepare(context, operation)
  const planted = plantDefect(context.scratch('planted'), 'dist/cli.cjs', pattern, instead)
  const how = { library, program: planted, under: bench.under }
  bench.rewind()
  const { steps } = await runWithSteps(how, bench.repo, operation.args, { act: 'record', kinds: CHANGING })
  const near = steps.flatMap((step, at) => (isNear(step) ? [at + 1] : []))
  // The harm is done near the end. What git does meanwhile may bring a step a few earlier or later in another run.
  const late = [...near].reverse()
  const around = [1, 2, 3].flatMap((off) => late.flatMap((at) => [at, at - off, at + off]))
  const points = context.long ? near : [...late, ...around, ...around].filter((at) => at > 0)
  let caught = 0
  let count = 0
  for (const at of points) {
    bench.rewind()
    await runWithSteps(how, bench.repo, operation.args, { act: 'kill all', at, kinds: CHANGING })
    const wrong = auditNow(bench, reference)
    if (wrong.some((one) => expected.test(one))) caught++
    count++
    context.case({ control: name, at, wrong })
    if (caught > 0 && !context.long) break
  }
  tellPlanted(context, `planted: ${name}`, operation.name, count, caught, 'times')
}

/** What others do: `git add` and `git commit --only`. A kill leaves an index.lock that blocks everybody. */
async function commitOnly(context: Context, library: string): Promise<void> {
  const { bench } = await prepare(context, firstOne())
  const program = join(context.scratch('only'), 'commit-only.cjs')
  writeFileSync(
    program,
    `const { execFileSync } = require('node:child_process')
require('node:fs').writeFileSync('brief.md', 'a brief')
for (const args of [['add', 'brief.md'], ['commit', '-q', '-m', 'brief', '--only', 'brief.md']])
  execFileSync('git', args, { stdio: 'ignore' })`,
  )
  const how = { library, program, under: bench.under }
  bench.rewind()
  const { steps } = await runWithSteps(how, bench.repo, [], { act: 'record', kinds: CHANGING })
  const points = steps.flatMap(({ path }, at) => (/index\.lock$|next-index/.test(path) ? [at + 1] : []))
  let count = 0
  let caught = 0
  for (const at of points) {
    bench.rewind()
    await runWithSteps(how, bench.repo, [], { act: 'kill all', at, kinds: CHANGING })
    const isDead = isBlocked(bench)
    if (isDead) caught++
    count++
    context.case({ control: 'commit --only', at, isDead })
    if (caught > 0 && !context.long) break
  }
  tellPlanted(context, 'planted: git commit --only', 'commit', count, caught, 'times')
}

/** The same again does not help, nor does the user's own commit. */
const isBlocked = ({ repo }: Bench): boolean =>
  repo.tryGit(['add', 'brief.md']).status !== 0 &&
  repo.tryGit(['commit', '-q', '-m', 'By the user']).status !== 0
