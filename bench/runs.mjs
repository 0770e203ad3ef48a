/** What every bench of time does alike: cases in turn, round after round, their times, their own memory, and one table. */
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The built program. */
export const HANDOFF = fileURLToPath(new URL('../bin/handoff.cjs', import.meta.url))
const USAGE = fileURLToPath(new URL('own-usage.cjs', import.meta.url))

/** Options of every bench of time, for `parseArgs`. */
export const OPTIONS = {
  node: { type: 'string', default: process.execPath },
  beside: { type: 'string', multiple: true, default: [] },
  runs: { type: 'string', default: '9' },
  check: { type: 'boolean', default: false },
}

/**
 * This checkout and, from `--beside <label>=<handoff.cjs>`, other builds. @param {string[]} beside
 * @returns {{ label: string, path: string }[]}
 */
export const programsFrom = (beside) => [
  { label: 'this', path: HANDOFF },
  ...beside.map((one) => {
    const [, label, path] = /^([^=]+)=(.+)$/.exec(one) ?? []
    if (path === undefined) throw new Error(`--beside takes <label>=<path of handoff.cjs>, not ${one}`)
    return { label, path: resolve(path) }
  }),
]

/** @param {string} runs */
export function roundsFrom(runs) {
  const rounds = Number(runs)
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--runs takes a whole number from 1 upwards')
  return rounds
}

/**
 * @typedef {{
 *   name: string, program: string, args: string[] | ((round: number) => string[]),
 *   place: { repo: string, home: string }, input?: string | ((round: number) => string), env?: Record<string, string>,
 *   isNode?: boolean, times?: number[], peakMb?: number, cpuMs?: number
 * }} Case
 */

/**
 * Gives each case its `times` in ms, one of each round, after two rounds for the disk cache and the compiled code. With a file `usage` also
 * the least processor time and the largest peak memory of three further runs. @param {Case[]} cases
 */
export function runInTurn(cases, rounds, usage) {
  for (const one of cases) one.times = []
  for (let round = -2; round < rounds; round++)
    for (const one of cases) {
      const ms = timed(one, round)
      if (round >= 0) one.times.push(ms)
    }
  if (usage !== undefined)
    for (const one of cases) if (one.isNode) Object.assign(one, usageOf(one, usage, rounds, 3))
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
    input: typeof input === 'function' ? input(round) : input,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
  const ms = Number(process.hrtime.bigint() - start) / 1e6
  if (done.status !== 0) throw new Error(`${name} ended with ${done.status}: ${done.stderr}${done.stdout}`)
  return ms
}

/** Of the process itself, without its children; a thread of it counts. @param {Case} one */
function usageOf(one, out, round, runs) {
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

/** Where and how it was measured, in one line. */
export function conditions(node, rounds) {
  const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()
  const git = execFileSync('git', ['--version'], { encoding: 'utf8' }).trim()
  const load = loadavg()
    .slice(0, 2)
    .map((one) => one.toFixed(1))
    .join(', ')
  return `Node ${version}, ${git}, ${cpus().length} processors, load ${load}; ${rounds} rounds in turn; NODE_EXTRA_CA_CERTS unset`
}

/** A table of markdown, to be pasted into a page. @param {string[]} head @param {string[][]} rows */
export function printTable(head, rows) {
  const all = [head, ...rows]
  const widths = head.map((_, at) => Math.max(...all.map((row) => row[at].length)))
  const line = (row) => `| ${row.map((cell, at) => cell.padEnd(widths[at])).join(' | ')} |`
  console.log([line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n'))
}

/** @param {number | undefined} value */
export const shown = (value, digits = 0) =>
  value === undefined || Number.isNaN(value) ? '' : value.toFixed(digits)
