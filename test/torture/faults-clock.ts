import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { USUAL, writeClaudeSession } from '../repo/claude-session.ts'
import { atFolder, makeEnv, type TempRepo } from '../repo/make-repo.ts'
import type { Context } from './part.ts'
import { type Run, runProgram, writeGit } from './steps.ts'
import { openWorld } from './world.ts'

const HOUR = 3600
const FILES = { 'src/queue.ts': 'x\n', 'src/api.ts': 'y\n' }

/** A clock that goes backwards between two briefs, and two clones whose clocks differ. */
export async function clockFaults(context: Context, library: string | null): Promise<void> {
  const { row } = context
  if (library === null) {
    row('clocks', 'create', 0, 'not run', 'no library to put the clock off')
    return
  }
  const back = context.long ? [1, 60, HOUR, 24 * HOUR, 400 * 24 * HOUR] : [HOUR]
  const skews = context.long ? [-2 * HOUR, 2 * HOUR, -30 * 24 * HOUR] : [-2 * HOUR]
  await each(context, 'clock goes backwards', back, (seconds) => backwards(context, library, seconds))
  await each(context, 'two clocks', skews, (seconds) => twoClocks(context, library, seconds))
}

async function each(
  { row, case: tell }: Context,
  fault: string,
  cases: readonly number[],
  run: (seconds: number) => Promise<string[]>,
): Promise<void> {
  const found: string[] = []
  for (const seconds of cases) {
    const wrong = await run(seconds)
    tell({ fault, seconds, wrong })
    if (wrong.length > 0) found.push(`by ${seconds} s: ${wrong.join('; ')}`)
  }
  row(fault, 'create', cases.length, found)
}

type Call = (repo: TempRepo, offset: number, ...args: string[]) => Promise<Omit<Run, 'steps'>>

/** Runs the program, and git, with the clock off by so many seconds. */
const caller =
  ({ program }: Context, library: string): Call =>
  (repo, offset, ...args) => {
    const off = { LD_PRELOAD: library, CLOCK_OFFSET: String(offset) }
    const bin = `${repo.root}.clock`
    writeGit(bin, off, repo.env.PATH ?? '')
    return runProgram(program, repo, args, { ...off, PATH: `${bin}:${repo.env.PATH}` })
  }

async function backwards(context: Context, library: string, seconds: number): Promise<string[]> {
  const call = caller(context, library)
  const repo = openWorld(context.scratch('clock'), 'repo', FILES)
  const wrong: string[] = []
  const first = await make(call, repo, 0, 1, wrong)
  const second = await make(call, repo, -seconds, 2, wrong)
  const third = await make(call, repo, 0, 3, wrong)
  if (!(first < second && second < third))
    wrong.push(`ids do not follow each other: ${first}, ${second}, ${third}`)
  await isCurrent(call, repo, third, wrong)
  return wrong
}

async function twoClocks(context: Context, library: string, seconds: number): Promise<string[]> {
  const call = caller(context, library)
  const folder = context.scratch('clocks')
  const ours = openWorld(join(folder, 'ours'), 'repo', FILES)
  const wrong: string[] = []
  const origin = join(folder, 'origin.git')
  execFileSync('git', ['init', '-q', '--bare', '-b', 'main', origin], { env: ours.env })
  ours.git(['remote', 'add', 'origin', origin])
  const first = await make(call, ours, 0, 1, wrong)
  ours.git(['push', '-q', '-u', 'origin', 'main'])
  const root = join(folder, 'theirs/repo')
  const theirs = atFolder(join(folder, 'theirs'), root, makeEnv(join(folder, 'theirs/home')))
  execFileSync('git', ['clone', '-q', origin, root], { env: theirs.env })
  const second = await make(call, theirs, seconds, 2, wrong)
  theirs.git(['push', '-q'])
  ours.git(['pull', '-q', '--ff-only'])
  await isCurrent(call, ours, second, wrong)
  const third = await make(call, ours, 0, 3, wrong)
  if (!(first < second && second < third))
    wrong.push(`ids do not follow each other: ${first}, ${second}, ${third}`)
  await isCurrent(call, ours, third, wrong)
  return wrong
}

/** A brief of a session that ended a moment ago, by the clock of that machine; its id. */
async function make(
  call: Call,
  repo: TempRepo,
  offset: number,
  number: number,
  wrong: string[],
): Promise<string> {
  const id = `${String(number).repeat(8)}-2222-4333-8444-555555555555`
  writeClaudeSession(repo, USUAL, { id, end: new Date(Date.now() + offset * 1000 - 5000) })
  repo.write('src/queue.ts', `x${number}\n`)
  const { code, stdout, stderr } = await call(
    repo,
    offset,
    'create',
    `finish part ${number} of the queue`,
    '--session',
    id,
    '--json',
  )
  if (code !== 0) wrong.push(`create failed: ${stdout.slice(0, 300)}${stderr.slice(0, 300)}`)
  return (JSON.parse(stdout) as { id?: string }).id ?? ''
}

async function isCurrent(call: Call, repo: TempRepo, id: string, wrong: string[]): Promise<void> {
  const { stdout } = await call(repo, 0, 'show', '--json')
  const shown = (JSON.parse(stdout) as { id?: string }).id
  if (shown !== id) wrong.push(`${shown} is current instead of ${id}`)
}
