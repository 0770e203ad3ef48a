/**
 * How long `create --dry-run` takes and how much memory, on generated sessions of 50 KB to 200 MB: this checkout, other builds of it, and
 * `continues`, on one and the same node. All cases run in turn, round after round, so that a slow minute of the machine hits all alike;
 * a ratio is the median of those of the rounds.
 *
 *   npm run bench -- [--node <node>] [--beside <label>=<handoff.cjs>]… [--continues <its dist/cli.js>]
 *                    [--sizes "50 KB,4 MB"] [--files <n>] [--runs 9] [--check]
 *
 * --files puts the sessions into a repository of that many files and commits. --check exits 1 when a goal is missed. bench/speed.md holds
 * the figures by date. bench/chain.mjs measures what reads many briefs, bench/gauges.mjs counts what needs no clock.
 */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import {
  conditions,
  median,
  OPTIONS,
  printTable,
  programsFrom,
  ratioTo,
  roundsFrom,
  runInTurn,
  shown,
} from './runs.mjs'
import { GOAL, makeHooked, makePlace, SIZES } from './speed-place.mjs'

/** At most so many times `node -e 0`; at least so many times as fast as continues; at most that share of its memory. */
const GOALS = {
  node: { '50 KB': 5.6, '4 MB': 8, '44 MB': 22 },
  continues: { '50 KB': 1.4, '4 MB': 1.25, '44 MB': 1.5 },
  memory: { '44 MB': 0.5 },
}
/** At most so many ms of wall time, for hooks that git or an agent waits for and that have nothing to do. */
const IDLE_MS = 15

const { values } = parseArgs({
  options: {
    ...OPTIONS,
    continues: { type: 'string' },
    sizes: { type: 'string', default: SIZES.map(({ name }) => name).join(',') },
    files: { type: 'string', default: '0' },
  },
})
const rounds = roundsFrom(values.runs)
const node = resolve(values.node)
const programs = programsFrom(values.beside)
const sizes = values.sizes.split(',').map((name) => SIZES.find((size) => size.name === name.trim()))
if (sizes.includes(undefined))
  throw new Error(`--sizes takes some of ${SIZES.map(({ name }) => name).join(', ')}`)

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'handoff-bench-')))
try {
  console.log(`${conditions(node, rounds)}\n`)
  const missed = []
  for (const size of sizes) missed.push(...(await measureSize(size)))
  missed.push(...(await measureRest()))
  for (const one of missed) console.log(`missed: ${one}`)
  if (values.check && missed.length > 0) process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** One table. Gives what missed its goal. */
async function measureSize({ name, bytes }) {
  const place = await makePlace(join(folder, name.replace(' ', '-')), bytes, Number(values.files))
  const run = (label, ...args) => ({ name: label, program: node, args, place, isNode: true })
  const floor = run('node -e 0', '-e', '0')
  const create = ['create', GOAL, '--dry-run', '--json']
  const own = programs.map(({ label, path }) => run(label, path, ...create))
  const other =
    values.continues === undefined
      ? null
      : run('continues', resolve(values.continues), 'inspect', place.id, '--write-md', join(folder, 'out.md'))
  const cases = [floor, ...own, ...(other === null ? [] : [other])]
  runInTurn(cases, rounds, join(folder, 'usage'))
  const rows = cases.map((one) => [
    one.name,
    ...[median(one.times), Math.min(...one.times), one.cpuMs, one.peakMb].map((figure) => shown(figure)),
    shown(ratioTo(one, floor), 1),
    other === null || one === floor ? '' : shown(ratioTo(other, one), 2),
  ])
  console.log(`create --dry-run, ${name}`)
  printTable(['', 'median ms', 'least', 'CPU ms', 'peak MB', '÷ node', 'as fast as continues'], rows)
  console.log()
  rmSync(place.home, { recursive: true, force: true })
  return [
    [ratioTo(own[0], floor) <= (GOALS.node[name] ?? Infinity), `÷ node ≤ ${GOALS.node[name]}`],
    [
      other === null || ratioTo(other, own[0]) >= (GOALS.continues[name] ?? 0),
      `continues ≥ ${GOALS.continues[name]}`,
    ],
    [
      other === null || own[0].peakMb <= (GOALS.memory[name] ?? Infinity) * other.peakMb,
      `memory ≤ ${GOALS.memory[name]} of continues`,
    ],
  ].flatMap(([isMet, goal]) => (isMet ? [] : [`${name}: ${goal}`]))
}

/** What a commit takes, by program, and the hooks of this checkout. */
async function measureRest() {
  const fresh = (round) => `${GOAL}, attempt ${round + 3}`
  const commits = []
  for (const { label, path } of programs) {
    const place = await makePlace(join(folder, `commit-${label}`), SIZES[0].bytes, Number(values.files))
    // A goal of its own for every round: the same input twice makes no second commit.
    const args = (round) => [path, 'create', fresh(round)]
    commits.push({ name: `create, committed, 50 KB: ${label}`, program: node, args, place, isNode: true })
  }
  const { path } = programs[0]
  const { idle, briefed } = await makeHooked(join(folder, 'hooked'), path)
  const floor = { name: 'node -e 0', program: node, args: ['-e', '0'], place: idle, isNode: true }
  const gitFloor = { name: 'git --version', program: 'git', args: ['--version'], place: idle }
  // As the agent calls it: a shell, the runner of the clone, and node only when there is something to say.
  const agentHook = (name, place) => ({
    name: `session-start, ${name}`,
    program: 'sh',
    args: [join(place.repo, '.git', 'handoff', 'hook'), 'claude-code', 'session-start'],
    input: (round) => JSON.stringify({ session_id: `bench-${round}`, cwd: place.repo, source: 'startup' }),
    place,
  })
  // As git calls it, at the top of the work tree and with the index that it commits from.
  const gitHook = (event, name, place, ...args) => ({
    name: `${event}, ${name}`,
    program: join(place.repo, '.git', 'hooks', event),
    args,
    env: { GIT_INDEX_FILE: '.git/index' },
    input: '',
    place,
  })
  const version = {
    name: 'handoff --version',
    program: node,
    args: [path, '--version'],
    place: idle,
    isNode: true,
  }
  const quiet = [
    agentHook('nothing to say', idle),
    gitHook('pre-commit', 'nothing concerned', idle),
    gitHook('post-checkout', 'nothing concerned', idle, '1', '2', '1'),
  ]
  const loud = [
    agentHook('with a brief', briefed),
    gitHook('pre-commit', 'a brief staged', briefed),
    gitHook('post-checkout', 'a brief here', briefed, '1', '2', '1'),
  ]
  const cases = [floor, gitFloor, version, ...commits, ...quiet, ...loud]
  runInTurn(cases, rounds, join(folder, 'usage'))
  printTable(
    ['', 'median ms', 'least', 'CPU ms', 'peak MB', '÷ node'],
    cases.map((one) => [
      one.name,
      ...[median(one.times), Math.min(...one.times), one.cpuMs, one.peakMb].map((figure) => shown(figure)),
      shown(ratioTo(one, floor), 1),
    ]),
  )
  console.log()
  return quiet.filter(({ times }) => median(times) > IDLE_MS).map(({ name }) => `${name}: ≤ ${IDLE_MS} ms`)
}
