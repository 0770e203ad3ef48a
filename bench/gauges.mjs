/**
 * What `create --dry-run` does, counted instead of timed, so that a busy machine changes nothing: regular expressions compiled and modules
 * evaluated with a session of 50 KB, and the files of src that a line of a session passes.
 *
 *   npm run bench:gauges -- [--node <node>] [--beside <label>=<handoff.cjs>]… [--list]
 *
 * A line passes a file if a function of it is called more often with a session that is twice as long. --list prints these files with the most
 * calls that a function has more. `npm run gates -- --only gauges` compares with the goals.
 */

import { execFileSync } from 'node:child_process'
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { buildReadable, originsIn } from './readable.mjs'
import { OPTIONS, printTable, programsFrom } from './runs.mjs'
import { GOAL, makePlace, SIZES } from './speed-place.mjs'

const COVERAGE = fileURLToPath(new URL('coverage.cjs', import.meta.url))
/** What Node puts before a CommonJS file; ranges of functions count it. */
const WRAPPER = '(function (exports, require, module, __filename, __dirname) {'.length
let folder = ''
let node = process.execPath

/** Patterns and modules by program, and the files that a line passes in this checkout, each with the most calls more. */
export async function measureGauges(programs, onNode = process.execPath) {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'handoff-gauges-')))
  node = onNode
  try {
    const small = await makePlace(join(folder, 'small'), SIZES[0].bytes)
    const counts = programs.map(({ label, path }, n) => ({
      label,
      patterns: patternsCompiled(path, small),
      modules: modulesEvaluated(path, small, join(folder, `copy-${n}`)),
    }))
    return { counts, files: await filesPassed() }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What the program prints. Compiled code of an earlier run would hide what a run needs. */
function create(program, { repo, home }, flags = [], env = {}) {
  return execFileSync(node, [...flags, program, 'create', GOAL, '--dry-run', '--json'], {
    cwd: repo,
    env: { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8', HANDOFF_NO_CACHE: '1', ...env },
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
}

function patternsCompiled(program, place) {
  return create(program, place, ['--trace-regexp-tier-up']).match(/ bytecode size: /g)?.length ?? 0
}

/** In a copy of the program whose two loaders of esbuild count. */
function modulesEvaluated(program, place, copy) {
  const root = join(dirname(program), '..')
  for (const name of ['bin', 'dist', 'package.json'])
    cpSync(join(root, name), join(copy, name), { recursive: true })
  for (const name of readdirSync(root))
    if (/^(?:templates|docs|hooks)$/.test(name)) symlinkSync(join(root, name), join(copy, name))
  const file = join(copy, 'dist', 'cli.cjs')
  const text = readFileSync(file, 'utf8')
  const counted = text
    .replace(
      /return e&&\(t=e\(e=0\)\),t/,
      'return e&&(globalThis.handoffEvaluated=(globalThis.handoffEvaluated??0)+1,t=e(e=0)),t',
    )
    .replace(
      /return t\|\|e\(\(t=\{exports:\{\}\}\)\.exports,t\)/,
      'return t||(globalThis.handoffEvaluated=(globalThis.handoffEvaluated??0)+1,e((t={exports:{}}).exports,t))',
    )
  if (counted.match(/handoffEvaluated\?\?/g)?.length !== 2)
    throw new Error(`no loaders of esbuild in ${program}`)
  writeFileSync(file, counted)
  return coverageOf(join(copy, 'bin', 'handoff.cjs'), place).evaluated
}

function coverageOf(program, place) {
  const out = join(folder, 'coverage.json')
  create(program, place, ['--require', COVERAGE], { HANDOFF_BENCH_COVERAGE: out })
  return JSON.parse(readFileSync(out, 'utf8'))
}

/** Files of src with a function that is called more often with 400 KB than with 200, and by how much. */
async function filesPassed() {
  const program = buildReadable(join(folder, 'readable'))
  const origins = originsIn(program)
  const callsWith = async (bytes) => {
    const place = await makePlace(join(folder, String(bytes)), bytes)
    const { scripts } = coverageOf(program, place)
    const { functions } = scripts.find(({ url }) => url.endsWith('cli.cjs'))
    return new Map(functions.map(({ ranges: [{ startOffset, count }] }) => [startOffset - WRAPPER, count]))
  }
  const short = await callsWith(200_000)
  const long = await callsWith(400_000)
  const passed = new Map()
  for (const [offset, count] of long) {
    const { file } = origins.findLast((line) => line.offset <= offset) ?? origins[0]
    const more = count - (short.get(offset) ?? 0)
    // One call more is another block of what git printed.
    if (more > 1 && file.startsWith('src/')) passed.set(file, Math.max(more, passed.get(file) ?? 0))
  }
  return [...passed].sort((a, b) => b[1] - a[1])
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { runs: _, check: __, ...options } = OPTIONS
  const { values } = parseArgs({ options: { ...options, list: { type: 'boolean', default: false } } })
  const { counts, files } = await measureGauges(programsFrom(values.beside), resolve(values.node))
  printTable(
    ['create --dry-run, 50 KB', ...counts.map(({ label }) => label)],
    [
      ['regular expressions compiled', ...counts.map(({ patterns }) => String(patterns))],
      ['modules evaluated', ...counts.map(({ modules }) => String(modules))],
      ['files that a line passes', String(files.length), ...counts.slice(1).map(() => '')],
    ],
  )
  if (values.list) for (const [file, calls] of files) console.log(`${String(calls).padStart(8)}  ${file}`)
}
