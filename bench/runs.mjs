/** What every bench does alike: cases in turn, round after round, their times, their own memory, and the conditions. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'

/** The built program. */
export const HANDOFF = fileURLToPath(new URL('../bin/handoff.cjs', import.meta.url))
const USAGE = fileURLToPath(new URL('own-usage.cjs', import.meta.url))

/**
 * @typedef {{
 *   name: string, program: string, args: string[] | ((round: number) => string[]),
 *   place: { repo: string, home: string }, input?: string, env?: Record<string, string>,
 *   goal?: number, mostMs?: number, times?: number[]
 * }} Case
 */

/** Gives each case its `times` in ms, one of each round, after one round for the disk cache. @param {Case[]} cases */
export function runInTurn(cases, rounds) {
  for (const one of cases) one.times = []
  for (let round = -1; round < rounds; round++) {
    for (const one of cases) {
      const ms = timed(one, round)
      if (round >= 0) one.times.push(ms)
    }
  }
}

/** Wall time in ms. Throws when the command fails: a fast failure is no figure. @param {Case} one */
export function timed({ name, program, args, place, input, env: own = {} }, round = 0, env = {}) {
  const start = process.hrtime.bigint()
  const done = spawnSync(program, typeof args === 'function' ? args(round) : args, {
    cwd: place.repo,
    env: {
      PATH: process.env.PATH,
      HOME: place.home,
      LANG: 'C.UTF-8',
      GIT_CONFIG_NOSYSTEM: '1',
      ...own,
      ...env,
    },
    input,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
  const ms = Number(process.hrtime.bigint() - start) / 1e6
  if (done.status !== 0) throw new Error(`${name} ended with ${done.status}: ${done.stderr}${done.stdout}`)
  return ms
}

/**
 * Largest peak memory in MB and least processor time in ms of the process itself, without its children, of `runs` runs, the
 * first of which has the number `round`. Nothing for what is not Node. @param {Case} one
 */
export function usageOf(one, out, round = 0, runs = 1) {
  if (one.program !== process.execPath) return {}
  const found = Array.from({ length: runs }, (_, n) => {
    timed(one, round + n, { NODE_OPTIONS: `--require ${JSON.stringify(USAGE)}`, HANDOFF_BENCH_USAGE: out })
    return JSON.parse(readFileSync(out, 'utf8'))
  })
  return {
    peakMb: Math.max(...found.map(({ peakKb }) => peakKb)) / 1024,
    cpuMs: Math.min(...found.map(({ cpuMs }) => cpuMs)),
  }
}

/** The middle of the ratios of each round to that of the same round of `floor`. @param {Case} one @param {Case} floor */
export const ratioTo = (one, floor) => median(one.times.map((ms, round) => ms / floor.times[round]))

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2
}

/** What a table says of where it was measured. */
export const conditions = () => ({
  node: process.version,
  git: spawnSync('git', ['--version'], { encoding: 'utf8' }).stdout.trim(),
  cpu: `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}`,
  extraCaCerts: 'unset',
})
