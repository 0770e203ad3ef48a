/**
 * Programs of others beside ours, where they are on PATH (bench/peers.md tells what each is for): how long each takes to start, and its command
 * that is nearest to `create --dry-run`, on the same session of 4 MB, in turn with ours and with `node -e 0`. Part of `npm run bench`; alone:
 *
 *   node bench/peers.mjs [--runs <n>] [--json]
 *
 * What they do differs, so no goal hangs on it. A command that fails is told and not measured. Nothing is installed and nothing fetched.
 */
import { spawnSync } from 'node:child_process'
import {
  accessSync,
  constants,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { conditions, HANDOFF, median, ratioTo, runInTurn, timed } from './runs.mjs'
import { makePlace } from './speed-place.mjs'
import { printTable } from './speed-table.mjs'

/** `like`: the nearest command, of the session `id`, with a file to write to; none where a hook does the work. */
const PEERS = [
  { name: 'continues', like: (id, out) => ['inspect', id, '--write-md', out] },
  { name: 'deja', like: (id) => ['handoff', '--to', 'codex', id] },
  { name: 'casr', like: (id) => ['cod', 'resume', id, '--dry-run'] },
  { name: 'entire' },
]

/** A table of those that are here, `rows` null without any, and `notes` on all others. */
export function measurePeers(folder, { rounds = 15, path = process.env.PATH ?? '' } = {}) {
  const found = PEERS.map((peer) => ({ ...peer, program: onPath(peer.name, path) }))
  const here = found.filter(({ program }) => program !== null)
  const notes = found.flatMap(({ name, program }) => (program === null ? [`${name}: not installed`] : []))
  if (here.length === 0) return { rows: null, notes }
  const place = makePlace(join(folder, 'peers'), { name: '4 MB', bytes: 4e6 })
  const id = nameSession(place)
  const goal = 'make the logout test pass without a global, keep the public API'
  const node = (name, ...args) => ({ name, program: process.execPath, args, place })
  const floor = node('node -e 0', '-e', '0')
  const wanted = [
    floor,
    node('handoff --version', HANDOFF, '--version'),
    ...here.map(({ name, program }) => ({ name: `${name} --version`, program, args: ['--version'], place })),
    node('handoff create --dry-run', HANDOFF, 'create', goal, '--dry-run'),
    ...here.flatMap(({ name, program, like }) => {
      if (like === undefined) return []
      const args = like(id, join(folder, `${name}.md`))
      return [{ name: `${name} ${args.slice(0, args.indexOf(id)).join(' ')}`, program, args, place }]
    }),
  ]
  const cases = wanted.filter((one) => works(one, notes))
  for (const { name, program } of here) notes.push(`${name}: ${versionOf(program, place)}`)
  runInTurn(cases, rounds)
  const rows = cases.map((one) => ({
    name: one.name,
    median: median(one.times),
    least: Math.min(...one.times),
    ratio: ratioTo(one, floor),
  }))
  return { ...conditions(), rounds, rows, notes }
}

export function printPeers(report) {
  console.log('\nBeside others:')
  if (report.rows !== null) printTable(report)
  for (const note of report.notes) console.log(note)
}

function onPath(name, path) {
  for (const folder of path.split(delimiter).filter(isAbsolute)) {
    try {
      accessSync(join(folder, name), constants.X_OK)
      return join(folder, name)
    } catch {
      // Not in this folder.
    }
  }
  return null
}

/** Gives the session file the name that Claude Code gives it, by which others find it: its id. */
function nameSession({ repo, home }) {
  const folder = join(home, '.claude', 'projects', repo.replace(/[^a-zA-Z0-9]/g, '-'))
  const [file] = readdirSync(folder)
  const [, id] = /"sessionId":"([^"]+)"/.exec(readFileSync(join(folder, file), 'utf8'))
  renameSync(join(folder, file), join(folder, `${id}.jsonl`))
  return id
}

/** A fast failure is no figure. */
function works(one, notes) {
  try {
    timed(one)
    return true
  } catch (error) {
    notes.push(`${one.name}: failed, not measured (${error.message.split('\n')[0].slice(0, 160)})`)
    return false
  }
}

/** A name can be a stranger's: what it says of itself stands under the table. */
const versionOf = (program, { repo, home }) =>
  spawnSync(program, ['--version'], {
    cwd: repo,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: home },
  }).stdout?.split('\n')[0] ?? ''

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: { runs: { type: 'string' }, json: { type: 'boolean', default: false } },
  })
  const rounds = Number(values.runs ?? 15)
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--runs takes a whole number from 1 upwards')
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'handoff-peers-')))
  try {
    const report = measurePeers(folder, { rounds })
    if (values.json) console.log(JSON.stringify(report, null, 2))
    else printPeers(report)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
