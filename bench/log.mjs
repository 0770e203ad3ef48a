/**
 * Speed of what reads the chain, on 10,000 briefs in 10,000 commits: ratios to `git log` over the same paths, which walks
 * and compares the same trees. The cases are run in turn, round after round; a ratio is the median of those of the rounds.
 *
 *   node bench/log.mjs [--briefs <n>] [--plain <n>] [--runs <n>] [--json] [--check]
 *
 * --plain puts so many commits without a brief between two: with 9 the chain stands in 100,000 commits.
 */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { makeChain } from './log-place.mjs'
import { conditions, HANDOFF, median, ratioTo, runInTurn, usageOf } from './runs.mjs'
import { printTable } from './speed-table.mjs'

/** Goals: ratios to `git log`, for 10,000 briefs; with fewer the start of Node is most of it. */
const GOALS = { log: 2 }
const FULL = 10_000
const FLOOR = 'git log -- .handoff/briefs'

/** Medians, least, ratios, processor time and peak memory of each case. `folder` may be written to. */
export async function measureLog(folder, { briefs = FULL, plain = 0, rounds = 5 } = {}) {
  const place = await makeChain(join(folder, 'chain'), briefs, plain)
  const cases = casesOf(place)
  runInTurn(cases, rounds)
  const rows = cases.map((one) => {
    const { name, times, goal } = one
    const ratio = ratioTo(one, cases[0])
    const met = goal === undefined || briefs < FULL ? {} : { goal: `≤ ${goal} ×`, met: ratio <= goal }
    const usage = usageOf(one, join(folder, 'chain-usage'))
    return { name, median: median(times), least: Math.min(...times), ratio, ...usage, ...met }
  })
  const commits = briefs * (plain + 1)
  return { ...conditions(), rounds, briefs, floor: `${FLOOR} (${briefs} briefs, ${commits} commits)`, rows }
}

function casesOf(place) {
  const { ids } = place
  const git = (name, ...args) => ({ name, program: 'git', args: [...args, '--', '.handoff/briefs'], place })
  const handoff = (name, args, goal) => ({
    name,
    program: process.execPath,
    args: [HANDOFF, ...args],
    place,
    goal,
  })
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
    handoff('check --range, 100 commits', ['check', '--range', 'HEAD~100..HEAD']),
  ]
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      briefs: { type: 'string', default: String(FULL) },
      plain: { type: 'string', default: '0' },
      runs: { type: 'string', default: '5' },
      json: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
    },
  })
  const [briefs, plain, rounds] = [Number(values.briefs), Number(values.plain), Number(values.runs)]
  if (![briefs, plain, rounds].every(Number.isInteger) || briefs < 100 || plain < 0 || rounds < 1)
    throw new Error('whole numbers: --briefs from 100 upwards, --plain from 0, --runs from 1')
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'handoff-bench-')))
  try {
    const report = await measureLog(folder, { briefs, plain, rounds })
    if (values.json) console.log(JSON.stringify(report, null, 2))
    else printTable(report)
    if (values.check && report.rows.some(({ met }) => met === false)) process.exitCode = 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
