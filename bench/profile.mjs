/**
 * Where each millisecond of `create --dry-run` goes: V8's profile of a readable build, self time by room and by library, the
 * middle of several runs. Sampling slows a run by some percent; the first row is the wall time without it.
 *
 *   node bench/profile.mjs [--size "4 MB"] [--runs <n>]
 */
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildReadable, originsIn } from './readable.mjs'
import { median, timed } from './runs.mjs'
import { GOAL, makePlace, SIZES } from './speed-place.mjs'

/** Between two samples, in µs. */
const INTERVAL = 100

const { values } = parseArgs({
  options: { size: { type: 'string', default: '4 MB' }, runs: { type: 'string', default: '9' } },
})
const size = SIZES.find(({ name }) => name === values.size)
const rounds = Number(values.runs)
if (size === undefined || !Number.isInteger(rounds) || rounds < 1)
  throw new Error(
    `--size takes one of ${SIZES.map(({ name }) => `"${name}"`).join(', ')}, --runs a whole number`,
  )

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'handoff-profile-')))
try {
  const program = buildReadable(join(folder, 'program'))
  const place = await makePlace(join(folder, 'place'), size.bytes)
  const origins = originsIn(program)
  const roomOf = (line) => roomName((origins[line] ?? origins.at(-1)).file)
  const one = {
    name: 'create --dry-run',
    program: process.execPath,
    args: [program, 'create', GOAL, '--dry-run'],
    place,
  }
  const floor = { ...one, name: 'node -e 0', args: ['-e', '0'] }
  const plain = Array.from({ length: rounds + 2 }, () => [timed(floor), timed(one)]).slice(2)
  const profiles = Array.from({ length: rounds }, (_, n) =>
    profile(one, join(folder, `profile-${n}`), roomOf),
  )
  const names = [...new Set(profiles.flatMap((found) => [...found.keys()]))]
  const rows = names.map((name) => [name, median(profiles.map((found) => found.get(name) ?? 0))])
  console.log(`create --dry-run, ${size.name}, Node ${process.version}, ${rounds} runs\n`)
  tell('whole run, not sampled', median(plain.map(([, ms]) => ms)))
  tell('node -e 0', median(plain.map(([ms]) => ms)))
  console.log('\nof the sampled run, from the first line of the program:')
  for (const [name, ms] of rows.sort((a, b) => b[1] - a[1])) if (ms >= 0.2) tell(name, ms)
  tell(
    'sum',
    rows.reduce((sum, [, ms]) => sum + ms, 0),
  )
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function tell(name, ms) {
  console.log(`${name.padEnd(44)}${ms.toFixed(1).padStart(8)} ms`)
}

/** `src/git/` of a file in a room; a package, or a file in none, stays as it is. */
function roomName(file) {
  return file.replace(/^(src\/[\w-]+\/).*/, '$1')
}

/** Ms of self time by room. */
function profile(one, out, roomOf) {
  timed({
    ...one,
    args: ['--cpu-prof', `--cpu-prof-interval=${INTERVAL}`, `--cpu-prof-dir=${out}`, ...one.args],
  })
  // The program itself is the profile with the most in it; a thread has its own.
  const all = readdirSync(out).map((name) => JSON.parse(readFileSync(join(out, name), 'utf8')))
  const { nodes, samples, timeDeltas } = all.sort((a, b) => b.samples.length - a.samples.length)[0]
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame, roomOf)]))
  const sums = new Map()
  for (const [at, id] of samples.entries()) {
    const name = names.get(id) ?? '?'
    sums.set(name, (sums.get(name) ?? 0) + (timeDeltas[at + 1] ?? 0) / 1000)
  }
  return sums
}

function nameOf({ functionName, url, lineNumber }, roomOf) {
  if (url.endsWith('dist/cli.cjs')) return roomOf(lineNumber)
  if (url.startsWith('node:')) return `Node: ${/^node:(internal\/)?([\w-]+)/.exec(url)?.[2] ?? url}`
  if (functionName.startsWith('RegExp: ')) return 'regular expressions, compiled'
  if (url !== '') return url.replace(/^.*\/(?=[\w.-]+$)/, '')
  return functionName === '(idle)' ? 'waiting, mostly for git' : `V8: ${functionName}`
}
