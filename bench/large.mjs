/**
 * Speed of `create` in repositories of 250, 10,000 and 100,000 files and commits, with sessions of 50 KB to 200 MB, against the
 * least that could be done (bench/floor.cjs), and of `ask` on 200 MB. In turn, round after round. Takes minutes to set up, and 1 GB.
 *
 *   node bench/large.mjs [--files <n>[,<n>]] [--runs <n>] [--json] [--check]
 */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { makeLarge } from './large-place.mjs'
import { conditions, HANDOFF, median, ratioTo, runInTurn, timed, usageOf } from './runs.mjs'
import { SIZES } from './speed-place.mjs'
import { printTable } from './speed-table.mjs'

/** Ratio to the floor; ms of wall time with 200 MB, and that a commit adds, in 100,000 files; MB. */
const GOALS = { floor: 1.3, largest: 1200, committed: 600, memory: 150 }
const FLOOR = fileURLToPath(new URL('floor.cjs', import.meta.url))
const GOAL = 'make the logout test pass without a global, keep the public API'

const { values } = parseArgs({
  options: {
    files: { type: 'string', default: '250,10000,100000' },
    runs: { type: 'string', default: '7' },
    json: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
  },
})
const [counts, rounds] = [values.files.split(',').map(Number), Number(values.runs)]
if (![...counts, rounds].every((n) => Number.isInteger(n) && n > 0))
  throw new Error('--files and --runs take whole numbers')

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'handoff-bench-')))
try {
  const sizes = Object.fromEntries(SIZES.map(({ name, bytes }) => [name, bytes]))
  const rows = []
  for (const files of counts) {
    const place = await makeLarge(join(folder, String(files)), { files, commits: files }, sizes)
    rows.push(...measure(files, place))
    rmSync(join(folder, String(files)), { recursive: true, force: true })
  }
  const report = { ...conditions(), rounds, floor: 'the least of the same session and repository', rows }
  if (values.json) console.log(JSON.stringify(report, null, 2))
  else printTable(report)
  if (values.check && rows.some(({ met }) => met === false)) process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function measure(files, { homes }) {
  const node = (name, place, args) => ({ name, program: process.execPath, args, place })
  const of = `${files.toLocaleString('en')} files`
  const pairs = Object.entries(homes).map(([size, place]) => [
    node(`least, ${size}, ${of}`, place, [FLOOR, place.session]),
    node(`create --dry-run, ${size}, ${of}`, place, [HANDOFF, 'create', GOAL, '--dry-run']),
  ])
  const largest = Object.values(homes).at(-1)
  const ask = node(`ask, ${Object.keys(homes).at(-1)}, ${of}`, largest, [
    HANDOFF,
    'ask',
    'which file must never be touched?',
  ])
  const cases = [...pairs.flat()]
  runInTurn(cases, rounds)
  const out = join(folder, 'usage')
  const rows = pairs.flatMap(([floor, one]) => [
    {
      name: floor.name,
      median: median(floor.times),
      least: Math.min(...floor.times),
      ratio: 1,
      ...usageOf(floor, out),
    },
    rowOf(one, ratioTo(one, floor), usageOf(one, out), files),
  ])
  return [...rows, ...committed(of, files, Object.values(homes)[0], ask)]
}

function rowOf({ name, times }, ratio, usage, files) {
  const isLargest = name.includes('200 MB') && files >= 100_000
  const met =
    ratio <= GOALS.floor && usage.peakMb < GOALS.memory && (!isLargest || median(times) <= GOALS.largest)
  const goal = `≤ ${GOALS.floor} ×, < ${GOALS.memory} MB${isLargest ? `, ≤ ${GOALS.largest} ms` : ''}`
  return { name, median: median(times), least: Math.min(...times), ratio, ...usage, goal, met }
}

/** What a commit adds to a dry run with the same goal, and then, upon that brief, what a question to its session takes. */
function committed(of, files, place, ask) {
  const dry = []
  const wet = []
  for (let round = -1; round < rounds; round++) {
    const args = [HANDOFF, 'create', `${GOAL}, attempt ${round + 2}`]
    const one = { name: 'create', program: process.execPath, place, args }
    const [a, b] = [timed({ ...one, args: [...args, '--dry-run'] }), timed(one)]
    if (round >= 0) dry.push(a)
    if (round >= 0) wet.push(b)
  }
  const added = median(wet.map((ms, round) => ms - dry[round]))
  const isLarge = files >= 100_000
  const goal = isLarge ? { goal: `≤ ${GOALS.committed} ms`, met: added <= GOALS.committed } : {}
  timed({ ...ask, args: [HANDOFF, 'create', `${GOAL}, to be asked`] })
  runInTurn([ask], rounds)
  return [
    { name: `a commit adds, ${of}`, median: added, ...goal },
    {
      name: ask.name,
      median: median(ask.times),
      least: Math.min(...ask.times),
      ...usageOf(ask, join(folder, 'usage')),
    },
  ]
}
