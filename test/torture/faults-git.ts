import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { auditAfter, auditNow, type Reference } from './audit.ts'
import { judge } from './judge.ts'
import type { Bench } from './operations.ts'
import type { Context } from './part.ts'
import type { Prepared } from './prepared.ts'
import { compiledBy } from './program.ts'
import { sample } from './random.ts'
import { type Run, realGit, runProgram, writeShim } from './steps.ts'

/** One fault of git in one command. */
type Fault = (context: Context, prepared: Prepared, random: () => number) => Promise<void>

const FAULTS: readonly Fault[] = [
  without,
  tooOld,
  failing('git fails at one call', "echo 'fatal: planted failure' >&2; exit 128"),
  failing('git is killed at one call', 'kill -9 $$'),
  hanging,
]

/** Git missing, too old, failing and hanging. The short form: all of them in one command, one of them in each other; CI: each once. */
export async function gitFaults(
  context: Context,
  prepared: Prepared,
  random: () => number,
  at: number,
): Promise<void> {
  const isWhole =
    context.long || (context.form === 'short' && prepared.bench.operation.name === 'create, next')
  if (context.form === 'ci' && at >= FAULTS.length) return
  const one = FAULTS[at % FAULTS.length]
  for (const fault of isWhole ? FAULTS : one ? [one] : []) await fault(context, prepared, random)
}

async function without(context: Context, { bench, reference }: Prepared): Promise<void> {
  const bin = `${bench.under}.none`
  mkdirSync(bin, { recursive: true })
  bench.rewind()
  const run = await runWith(context, bench, { PATH: bin })
  await tell(context, bench, reference, 'git missing', [
    { run, expected: /git.*(?:not found|not installed|PATH)/is },
  ])
}

async function tooOld(context: Context, { bench, reference }: Prepared): Promise<void> {
  const bin = `${bench.under}.old`
  // As old gits do: options that they do not know are printed as they are.
  writeShim(
    bin,
    `for word in "$@"; do case "$word" in
  version|--version) echo 'git version 2.20.1'; exit 0;;
  --show-object-format|--path-format=*) echo "$word"; exit 0;;
esac; done
exec '${realGit(bench.repo.env.PATH ?? '')}' "$@"`,
  )
  bench.rewind()
  const run = await runWith(context, bench, pathWith(bench, bin))
  await tell(context, bench, reference, 'git 2.20', [{ run, expected: /2\.20/ }])
}

/** The shim of a git that does something else at its `at`-th call; calls are counted by folders, which two cannot make. */
function shimAt(bench: Bench, at: number, deed: string): string {
  const bin = `${bench.under}.shim`
  rmSync(bin, { recursive: true, force: true })
  mkdirSync(join(bin, 'calls'), { recursive: true })
  writeShim(
    bin,
    `n=1; while ! mkdir '${bin}/calls/'$n 2>/dev/null; do n=$((n+1)); done
if [ $n -eq ${at} ]; then ${deed}; fi
exec '${realGit(bench.repo.env.PATH ?? '')}' "$@"`,
  )
  return bin
}

/** Runs the command with this in its environment. What a command finds that only reads stands in its result. */
async function runWith({ program }: Context, { repo, operation }: Bench, extra: Record<string, string>) {
  const run = await runProgram(program, repo, operation.args, extra)
  return operation.isReading ? { ...run, stderr: run.stderr + run.stdout } : run
}

const pathWith = ({ repo }: Bench, bin: string) => ({ PATH: `${bin}:${repo.env.PATH}` })

/** Numbers of the calls of git that a command makes. */
async function callsOf(context: Context, bench: Bench): Promise<number[]> {
  const bin = shimAt(bench, 0, 'true')
  bench.rewind()
  await runProgram(context.program, bench.repo, bench.operation.args, pathWith(bench, bin))
  return readdirSync(join(bin, 'calls')).map((_, at) => at + 1)
}

function failing(fault: string, deed: string): Fault {
  return async (context, { bench, reference }, random) => {
    const calls = await callsOf(context, bench)
    for (const at of context.long ? calls : sample(calls, 1, random)) {
      const bin = shimAt(bench, at, deed)
      bench.rewind()
      const run = await runWith(context, bench, pathWith(bench, bin))
      await check(context, bench, reference, fault, at, run)
    }
    flush(context, bench, fault)
  }
}

/** Ms until the program must have said what it waits for, which it does 10 s after it began to wait. */
const TOLD = 90_000

async function hanging(
  context: Context,
  { bench, reference }: Prepared,
  random: () => number,
): Promise<void> {
  const fault = 'git hangs at one call, then Ctrl-C'
  const calls = await callsOf(context, bench)
  const some = context.long ? (bench.operation.name === 'create, next' ? calls.length : 3) : 1
  for (const at of sample(calls, some, random)) {
    const bin = shimAt(bench, at, 'exec sleep 300')
    bench.rewind()
    const { isTold, ...run } = await runHanging(context.program, bench, pathWith(bench, bin))
    // A read that is of no use any more may be left behind.
    const own =
      run.code === 0 || run.code === 130 ? [] : [`ended with ${run.code ?? run.signal} after Ctrl-C`]
    if (run.code !== 0 && !isTold && !(bench.operation.isReading && /\bgit\b/.test(run.stdout)))
      own.push('not a word of what is waited for')
    const said = bench.operation.isReading ? { ...run, stderr: run.stderr + run.stdout } : run
    await check(context, bench, reference, fault, at, said, own)
  }
  flush(context, bench, fault)
}

/** Waits for the word that git is slow, then presses Ctrl-C, once and once more. */
function runHanging(
  program: string,
  { repo, operation }: Bench,
  extra: Record<string, string>,
): Promise<Run & { isTold: boolean }> {
  const begun = performance.now()
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [program, ...operation.args], {
      cwd: repo.root,
      env: { ...compiledBy(program), ...repo.env, ...extra },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let [stdout, stderr, isTold] = ['', '', false]
    const interrupt = (): void => {
      child.kill('SIGINT')
      timers.push(
        setTimeout(() => child.kill('SIGINT'), 4000),
        setTimeout(() => child.kill('SIGKILL'), 60_000),
      )
    }
    const timers = [setTimeout(interrupt, TOLD)]
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
      if (isTold || !stderr.includes('Waiting for `git')) return
      isTold = true
      clearTimeout(timers[0])
      interrupt()
    })
    child.on('error', fail)
    // What hangs keeps its ends of the pipes open.
    child.on('exit', (code, signal) => {
      for (const timer of timers) clearTimeout(timer)
      setTimeout(
        () => done({ code, signal, stdout, stderr, ms: performance.now() - begun, steps: [], isTold }),
        100,
      )
    })
  })
}

const found = new Map<string, { count: number; wrong: string[] }>()

async function check(
  context: Context,
  bench: Bench,
  reference: Reference,
  fault: string,
  at: number,
  run: Omit<Run, 'steps'>,
  own: readonly string[] = [],
): Promise<void> {
  // Whoever pressed Ctrl-C twice needs no word of it.
  const judged = run.code === 130 ? { wrong: [], reference } : judge(bench, reference, { ...run, steps: [] })
  const now = auditNow(bench, judged.reference)
  // A second Ctrl-C ends it as a kill does, and it has said so.
  const isKilled = run.code === 130 && run.stderr.includes('stops at once and leaves it half done')
  const told = isKilled ? null : run.stderr
  const after = await auditAfter(bench, judged.reference, context.program, at % 2 === 1, told)
  const wrong = [...own, ...judged.wrong, ...now, ...after.wrong]
  const { name } = bench.operation
  context.case({ fault, operation: name, at, code: run.code, wrong, stderr: run.stderr })
  const sum = found.get(`${name} ${fault}`) ?? { count: 0, wrong: [] }
  sum.count++
  if (wrong.length > 0) sum.wrong.push(`at ${at}: ${wrong.join('; ')}`)
  found.set(`${name} ${fault}`, sum)
}

function flush({ row }: Context, { operation }: Bench, fault: string): void {
  const { count, wrong } = found.get(`${operation.name} ${fault}`) ?? { count: 0, wrong: [] }
  row(fault, operation.name, count, wrong)
}

async function tell(
  context: Context,
  bench: Bench,
  reference: Reference,
  fault: string,
  cases: { run: Omit<Run, 'steps'>; expected: RegExp }[],
): Promise<void> {
  for (const [at, { run, expected }] of cases.entries()) {
    const own = run.code === 0 ? ['exit 0'] : []
    if (!expected.test(run.stderr)) own.push(`not clear: ${run.stderr.trim().slice(0, 300)}`)
    await check(context, bench, reference, fault, at, run, own)
  }
  flush(context, bench, fault)
}
