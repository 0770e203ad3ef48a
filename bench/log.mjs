/**
 * Speed of what reads the chain, on 10,000 briefs in 10,000 commits: ratios to `git log` over the same paths, which walks
 * and compares the same trees. The cases are run in turn, round after round; a ratio is the median of those of the rounds.
 *
 *   node bench/log.mjs [--briefs <n>] [--runs <n>] [--json] [--check]
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { makeChain } from './log-place.mjs'
import { printTable } from './speed-table.mjs'

/** Goals: ratios to `git log`, for 10,000 briefs; with fewer the start of Node is most of it. */
const GOALS = { log: 2 }
const FULL = 10_000
const HANDOFF = fileURLToPath(new URL('../bin/handoff.cjs', import.meta.url))
const USAGE = fileURLToPath(new URL('own-usage.cjs', import.meta.url))
const FLOOR = 'git log -- .handoff/briefs'

/** Medians, least, ratios, processor time and peak memory of each case. `folder` may be written to. */
export async function measureLog(folder, { briefs = FULL, rounds = 5 } = {}) {
  const place = await makeChain(join(folder, 'chain'), briefs)
  const cases = casesOf(place).map((one) => ({ ...one, times: [] }))
  for (let round = -1; round < rounds; round++) {
    for (const one of cases) {
      const ms = timed(one, place)
      if (round >= 0) one.times.push(ms)
    }
  }
  const rows = cases.map(({ name, program, times, args, goal }) => {
    const ratio = median(times.map((ms, round) => ms / cases[0].times[round]))
    const usage =
      program === 'git' ? {} : usageOf({ name, program, args }, place, join(folder, 'chain-usage'))
    const met = goal === undefined || briefs < FULL ? {} : { goal: `≤ ${goal} ×`, met: ratio <= goal }
    return { name, median: median(times), least: Math.min(...times), ratio, ...usage, ...met }
  })
  return {
    node: process.version,
    git: spawnSync('git', ['--version'], { encoding: 'utf8' }).stdout.trim(),
    cpu: `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}`,
    rounds,
    briefs,
    floor: `${FLOOR} (${briefs} briefs)`,
    rows,
  }
}

function casesOf({ ids }) {
  const git = (name, ...args) => ({ name, program: 'git', args: [...args, '--', '.handoff/briefs'] })
  const handoff = (name, args, goal) => ({ name, program: process.execPath, args: [HANDOFF, ...args], goal })
  return [
    git(FLOOR, 'log', '--all', '--format=%H'),
    git('git log --name-only -- …', 'log', '--all', '--format=%H', '--name-only'),
    handoff('log --all --limit 1', ['log', '--all', '--limit', '1'], GOALS.log),
    handoff('log --all --json', ['log', '--all', '--json'], GOALS.log),
    handoff('log --all --graph', ['log', '--all', '--graph'], GOALS.log),
    handoff('show', ['show']),
    handoff('show <id of this branch>', ['show', ids.near]),
    handoff('show <id of another branch>', ['show', ids.aside]),
    handoff('show <id in history alone>', ['show', ids.past]),
    handoff('check --range HEAD~3..HEAD', ['check', '--range', 'HEAD~3..HEAD']),
  ]
}

/** Wall time in ms. Throws when the command fails: a fast failure is no figure. */
function timed({ name, program, args }, { repo, home }, env = {}) {
  const start = process.hrtime.bigint()
  const done = spawnSync(program, args, {
    cwd: repo,
    env: { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8', GIT_CONFIG_NOSYSTEM: '1', ...env },
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
  const ms = Number(process.hrtime.bigint() - start) / 1e6
  if (done.status !== 0) throw new Error(`${name} ended with ${done.status}: ${done.stderr}${done.stdout}`)
  return ms
}

/** Peak memory in MB and processor time in ms of the process itself, without git. */
function usageOf(one, place, out) {
  timed(one, place, { NODE_OPTIONS: `--require ${JSON.stringify(USAGE)}`, HANDOFF_BENCH_USAGE: out })
  const { peakKb, cpuMs } = JSON.parse(readFileSync(out, 'utf8'))
  return { peakMb: peakKb / 1024, cpuMs }
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      briefs: { type: 'string', default: String(FULL) },
      runs: { type: 'string', default: '5' },
      json: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
    },
  })
  const [briefs, rounds] = [Number(values.briefs), Number(values.runs)]
  if (!(Number.isInteger(briefs) && briefs >= 100 && Number.isInteger(rounds) && rounds >= 1))
    throw new Error('--briefs takes a whole number from 100 upwards, --runs one from 1 upwards')
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'handoff-bench-')))
  try {
    const report = await measureLog(folder, { briefs, rounds })
    if (values.json) console.log(JSON.stringify(report, null, 2))
    else printTable(report)
    if (values.check && report.rows.some(({ met }) => met === false)) process.exitCode = 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
