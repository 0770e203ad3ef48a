import { spawn, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { TempRepo } from '../repo/make-repo.ts'
import { collect, type Ended } from './collect.ts'
import { compiledBy } from './program.ts'

/** Kinds of file operations, as steps.c has them. */
export const KINDS = {
  openToRead: 1,
  openToWrite: 2,
  read: 4,
  write: 8,
  sync: 16,
  rename: 32,
  link: 64,
  unlink: 128,
  mkdir: 256,
  mode: 512,
} as const
/** Everything there is. */
export const ALL = Object.values(KINDS).reduce((all, one) => all | one, 0)
/** Everything that changes a disk. */
export const CHANGING =
  KINDS.openToWrite |
  KINDS.write |
  KINDS.sync |
  KINDS.rename |
  KINDS.link |
  KINDS.unlink |
  KINDS.mkdir |
  KINDS.mode

/** What happens at the chosen step, as steps.c has it. */
const ACTS = { record: 0, 'kill one': 1, 'kill all': 2, 'fail once': 3, 'fail on': 4 } as const

export interface Plan {
  /** `kill one`: the process that gets there; `kill all`: parent and children; `fail on`: from that step to the end. */
  act: keyof typeof ACTS
  /** Which step, from 1. */
  at?: number
  /** Number of the errno. */
  error?: number
  /** Which steps count. */
  kinds: number
}

/** One file operation that the program or a child of it was about to do. */
export interface Step {
  /** One of KINDS. */
  kind: number
  pid: number
  program: string
  call: string
  path: string
  /** It is the one that was hit. */
  isHit: boolean
}

export interface Run extends Ended {
  ms: number
  steps: Step[]
}

/** The library that counts, compiled into a folder; a sentence that says why not, when that cannot be done. */
export function compileSteps(folder: string): { library: string } | { missing: string } {
  if (process.platform !== 'linux') return { missing: 'no LD_PRELOAD outside Linux' }
  const library = join(folder, 'steps.so')
  if (existsSync(library)) return { library }
  const source = fileURLToPath(new URL('steps.c', import.meta.url))
  const made = spawnSync('cc', ['-shared', '-fPIC', '-O1', '-w', '-o', library, source, '-ldl'], {
    encoding: 'utf8',
  })
  if (made.error) return { missing: 'no C compiler (cc)' }
  return made.status === 0 ? { library } : { missing: `cc: ${made.stderr.split('\n')[0]}` }
}

/** Bytes of the shared memory: seven numbers and the processes, as in steps.c. */
export const SHARED = 4 * (7 + 4096)
/** Ms that a child may go on after its parent was killed; it has some to do, on a machine with more to do than cores. */
const STRAY = 60_000
/** Ms after which a run counts as hanging. */
const LIMIT = 120_000

/**
 * Runs the program in a repository with a fault planned, and waits for the end of every process of it. `through`: a program and its
 * words that is to run it.
 */
export async function runWithSteps(
  { library, program, under }: { library: string; program: string; under: string },
  repo: Pick<TempRepo, 'root' | 'env'>,
  args: readonly string[],
  { act, at = 0, error = 0, kinds }: Plan,
  through: readonly string[] = [],
): Promise<Run> {
  const file = `${under}.steps`
  const log = `${under}.log`
  const shared = Buffer.alloc(SHARED)
  for (const [place, value] of [0, at, ACTS[act], error, kinds].entries())
    shared.writeUInt32LE(value, 4 * place)
  writeFileSync(file, shared)
  rmSync(log, { force: true })
  const counting = { LD_PRELOAD: library, STEPS_FILE: file, STEPS_UNDER: under, STEPS_LOG: log }
  const bin = `${under}.bin`
  writeGit(bin, counting, repo.env.PATH ?? '')
  const run = await runProgram(program, repo, args, { ...counting, PATH: `${bin}:${repo.env.PATH}` }, through)
  await allEnded(file)
  return { ...run, steps: existsSync(log) ? readSteps(readFileSync(log, 'utf8')) : [] }
}

/** A `git` that counts as well: the program hands its children an environment of listed names, which does not hold ours. */
export function writeGit(bin: string, counting: Record<string, string>, path: string): void {
  const words = Object.entries(counting).map(([name, value]) => `${name}='${value}'`)
  writeShim(bin, `${words.join(' ')} exec '${realGit(path)}' "$@"`)
}

/** A `git` that is a line of shell. */
export function writeShim(bin: string, script: string): void {
  mkdirSync(bin, { recursive: true })
  writeFileSync(join(bin, 'git'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
}

/** Where the git of a PATH stands. */
export function realGit(path: string): string {
  const real = path
    .split(':')
    .map((folder) => join(folder, 'git'))
    .find((one) => existsSync(one))
  if (real === undefined) throw new Error('there is no git on PATH')
  return real
}

/** Runs the program to its end. */
export async function runProgram(
  program: string,
  { root, env }: Pick<TempRepo, 'root' | 'env'>,
  args: readonly string[],
  extra: Record<string, string> = {},
  through: readonly string[] = [],
): Promise<Omit<Run, 'steps'>> {
  const begun = performance.now()
  const [file = '', ...words] = [...through, process.execPath, program, ...args]
  const child = spawn(file, words, {
    cwd: root,
    env: { ...compiledBy(program), ...env, ...extra },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let seen = ''
  const timer = setTimeout(() => {
    // Who hangs, and on what, is gone with the process.
    seen = `\nstill running after ${LIMIT} ms:\n${processesIn(root)}`
    child.kill('SIGKILL')
  }, LIMIT)
  try {
    const ended = await collect(child)
    return { ...ended, stderr: ended.stderr + seen, ms: performance.now() - begun }
  } finally {
    clearTimeout(timer)
  }
}

/** What runs in a repository, each with its state and what it waits for in the kernel. */
function processesIn(root: string): string {
  const { stdout } = spawnSync('ps', ['-eo', 'pid,ppid,stat,wchan:20,etimes,args'], { encoding: 'utf8' })
  return (stdout ?? '')
    .split('\n')
    .filter((line) => line.includes(root) || cwdOf(line.trim().split(/ +/)[0] ?? '').startsWith(root))
    .map((line) => line.slice(0, 300))
    .join('\n')
}

function cwdOf(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return '' // Over, or the head of the table.
  }
}

/** Runs the program in a process group of its own, which is killed after `delay` ms (never, when null). */
export function runKilled(
  program: string,
  { root, env }: Pick<TempRepo, 'root' | 'env'>,
  args: readonly string[],
  delay: number | null,
): Promise<Omit<Run, 'steps'>> {
  const begun = performance.now()
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [program, ...args], {
      cwd: root,
      env: { ...compiledBy(program), ...env },
      stdio: 'ignore',
      detached: true,
    })
    const end = () => child.pid !== undefined && process.kill(-child.pid, 'SIGKILL')
    const timer = delay === null ? undefined : setTimeout(end, delay)
    child.on('error', fail)
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      done({ code, signal, stdout: '', stderr: '', ms: performance.now() - begun })
    })
  })
}

/**
 * Waits until nothing runs below a folder any more: children in sessions of their own outlive a group that was killed, and write on
 * meanwhile. Without /proc it gives them a third of a second.
 */
export async function nothingRunsIn(folder: string): Promise<void> {
  if (!existsSync('/proc/self/cwd')) return void (await sleep(300))
  const end = Date.now() + STRAY
  const isIn = (pid: string) => isRunning(Number(pid)) && `${cwdOf(pid)}/`.startsWith(`${folder}/`)
  while (readdirSync('/proc').some((name) => /^\d+$/.test(name) && isIn(name))) {
    if (Date.now() > end) throw new Error(`still running after ${STRAY} ms:\n${processesIn(folder)}`)
    await sleep(5)
  }
}

async function allEnded(file: string): Promise<void> {
  const end = Date.now() + STRAY
  const shared = readFileSync(file)
  const processes = Array.from({ length: Math.min(4096, shared.readUInt32LE(24)) }, (_, at) =>
    shared.readInt32LE(28 + 4 * at),
  )
  for (const pid of processes.filter((one) => one > 0)) {
    while (isRunning(pid)) {
      if (Date.now() > end) {
        process.kill(pid, 'SIGKILL')
        throw new Error(`a child was still running ${STRAY} ms after its parent's end`)
      }
      await sleep(5)
    }
  }
}

/** A process whose parent was killed may stay as a zombie where nobody asks for its end. */
function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false // No such process.
  }
}

/** The lines of a log. */
export function readSteps(log: string): Step[] {
  return log
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [, kind, pid, program = '', call = '', path = '', what = ''] = line.split('\t')
      return { kind: Number(kind), pid: Number(pid), program, call, path, isHit: what !== '' }
    })
}
