/**
 * Speed and memory of the built program: one table, medians, ratios to `node -e 0`. All cases are run in turn, round
 * after round, so that a slow minute of the machine hits every case alike.
 *
 *   npm run bench -- [--quick] [--runs <n>] [--json] [--check]
 *
 * A second table measures the chain of 10,000 briefs (bench/log.mjs, which can be run alone); 1,000 with --quick. A third has programs of
 * others beside ours, where some are installed (bench/peers.mjs).
 * --quick leaves out the two largest sessions and runs fewer rounds; --json prints one object for machines; --check
 * exits 1 when a goal is missed. NODE_EXTRA_CA_CERTS is unset for every run: with it every Node 20 start costs 60 to
 * 100 ms more.
 */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { measureLog } from './log.mjs'
import { measurePeers, printPeers } from './peers.mjs'
import { conditions, HANDOFF, median, runInTurn, usageOf } from './runs.mjs'
import { gitHookOf, makePlace, runnerOf, SIZES } from './speed-place.mjs'
import { printTable } from './speed-table.mjs'

/** Goals: ratios to `node -e 0`, added ms, and peak memory in MB. */
const GOALS = {
  '--version': 1.6,
  '4 MB': 8,
  '44 MB': 20,
  committed: 100,
  memory: 150,
  // One that starts node is above 1.
  'hook, idle': 0.5,
  'hook, briefed': 3,
}
/** Goals in ms of wall time for hooks of git. */
const MOST_MS = { idle: 10, briefed: 400 }

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    runs: { type: 'string' },
    json: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
  },
})
const rounds = Number(values.runs ?? (values.quick ? 5 : 15))
if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--runs takes a whole number from 1 upwards')

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'handoff-bench-')))
try {
  const sizes = SIZES.filter(({ large }) => !(values.quick && large))
  const report = measure(sizes.map((size) => ({ ...size, ...makePlace(folder, size) })))
  const chain = await measureLog(folder, values.quick ? { briefs: 1000, rounds: 3 } : {})
  const peers = measurePeers(folder, { rounds })
  if (values.json) console.log(JSON.stringify({ ...report, chain, peers }, null, 2))
  else {
    for (const one of [report, chain]) printTable(one)
    printPeers(peers)
  }
  const rows = [...report.rows, ...chain.rows]
  if (values.check && rows.some(({ met }) => met === false)) process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** Every case in turn, `rounds` times after one round for the disk cache, then each again for its memory. */
function measure(places) {
  const cases = [...floors(places[0]), ...commands(places)]
  runInTurn(cases, rounds)
  for (const one of cases) Object.assign(one, usageOf(one, join(folder, 'usage'), rounds + 1, 3))
  const floor = median(cases[0].times)
  const rows = cases.map((one) => rowOf(one, floor))
  const committed = cases.find(({ name }) => name.startsWith('create, committed'))
  const dry = cases.find(({ name }) => name.startsWith('create --dry-run, same'))
  const added = median(committed.times.map((ms, round) => ms - dry.times[round]))
  rows.push({
    name: 'a commit adds',
    median: added,
    goal: `≤ ${GOALS.committed} ms`,
    met: added <= GOALS.committed,
  })
  return { ...conditions(), rounds, rows }
}

function floors(place) {
  return [
    { name: 'node -e 0', program: process.execPath, args: () => ['-e', '0'], place },
    { name: 'git --version', program: 'git', args: () => ['--version'], place },
    { name: 'git status', program: 'git', args: () => ['status', '--porcelain=v2', '-z', '--branch'], place },
    { name: 'git log', program: 'git', args: () => ['log', '-50', '--name-status', '-z'], place },
    { name: 'git ls-files', program: 'git', args: () => ['ls-files', '-z'], place },
  ]
}

function commands(places) {
  const handoff = (name, place, args, goal) => ({
    name,
    program: process.execPath,
    args: (round) => [HANDOFF, ...args(round)],
    place,
    goal,
  })
  // As the agent calls it: a shell, the runner of the clone, and node only when there is something to say.
  const hook = (name, place, goal) => ({
    name,
    program: 'sh',
    args: () => [runnerOf(place), 'claude-code', 'session-start'],
    input: JSON.stringify({ session_id: 'bench', cwd: place.repo, source: 'startup' }),
    place,
    goal,
  })
  // As git calls it, at the top of the work tree and with the index that it commits from.
  const gitHook = (name, place, event, args, mostMs) => ({
    name,
    program: gitHookOf(place, event),
    args: () => args,
    env: { GIT_INDEX_FILE: '.git/index' },
    input: '',
    place,
    mostMs,
  })
  const fixed = 'make the logout test pass without a global, keep the public API'
  // A goal of its own for every round: the same input twice makes no second commit.
  const fresh = (round) => `${fixed}, attempt ${round + 2}`
  const [small] = places
  return [
    handoff('handoff --version', small, () => ['--version'], GOALS['--version']),
    handoff('handoff --help', small, () => ['--help']),
    ...places.map((place) =>
      handoff(
        `create --dry-run, ${place.name}`,
        place,
        () => ['create', fixed, '--dry-run'],
        GOALS[place.name],
      ),
    ),
    // The exact tokenizer has a row of its own; the goals are for the estimate.
    handoff('create --dry-run --exact, 50 KB', small, () => ['create', fixed, '--dry-run', '--exact']),
    handoff('create --dry-run, same place', small.committing, (round) => [
      'create',
      fresh(round),
      '--dry-run',
    ]),
    handoff('create, committed', small.committing, (round) => ['create', fresh(round)]),
    hook('session-start hook, nothing to say', small.idle, GOALS['hook, idle']),
    hook('session-start hook, with a brief', small.briefed, GOALS['hook, briefed']),
    gitHook('pre-commit, nothing concerned', small.idle, 'pre-commit', [], MOST_MS.idle),
    gitHook('pre-commit, a brief staged', small.briefed, 'pre-commit', [], MOST_MS.briefed),
    gitHook('post-checkout, nothing concerned', small.idle, 'post-checkout', ['1', '2', '1'], MOST_MS.idle),
    gitHook('post-checkout, a brief here', small.briefed, 'post-checkout', ['1', '2', '1'], MOST_MS.briefed),
  ]
}

function rowOf({ name, times, goal, mostMs, peakMb, cpuMs }, floor) {
  const ratio = median(times) / floor
  const isCreate = name.startsWith('create') && !name.includes('--exact')
  const met = [
    goal === undefined || ratio <= goal,
    mostMs === undefined || median(times) <= mostMs,
    !isCreate || peakMb < GOALS.memory,
  ]
  return {
    name,
    median: median(times),
    least: Math.min(...times),
    ratio,
    cpuMs,
    peakMb,
    goal: [goal && `≤ ${goal} ×`, mostMs && `≤ ${mostMs} ms`, isCreate && `< ${GOALS.memory} MB`]
      .filter(Boolean)
      .join(', '),
    met: goal !== undefined || mostMs !== undefined || isCreate ? met.every(Boolean) : undefined,
  }
}
