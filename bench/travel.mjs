/**
 * Time that uncommitted work takes to travel: `push --work` and `open` against `git stash create`, push, fetch and checkout of as much, turn
 * and turn about; 100 files of 10 MB in all, every line changed. `node bench/travel.mjs [rounds] [program]`
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeDice } from './dice.mjs'

const [rounds = 5, program = join(import.meta.dirname, '../bin/handoff.cjs')] = process.argv.slice(2)
const base = mkdtempSync(join(tmpdir(), 'travel-'))
const [ann, bob, hub] = ['ann', 'bob', 'hub.git'].map((name) => join(base, name))
const env = {
  ...process.env,
  HOME: base,
  XDG_CONFIG_HOME: '',
  HANDOFF_NONINTERACTIVE: '1',
  GIT_CONFIG_NOSYSTEM: '1',
}
const spent = new Map()

/** Runs a program, and notes wall and processor time, children included, in ms. */
function run(name, cwd, ...argv) {
  const from = performance.now()
  const script = 'TIMEFORMAT="%U %S"; { time "$@" 2>&3; } 3>/dev/null'
  const { status, stdout, stderr } = spawnSync('bash', ['-c', script, 'run', ...argv], {
    cwd,
    env,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`${argv.join(' ')}: ${status}`)
  const cpu = stderr
    .trim()
    .split(' ')
    .reduce((sum, seconds) => sum + Number(seconds) * 1000, 0)
  if (name !== null) spent.set(name, [...(spent.get(name) ?? []), { wall: performance.now() - from, cpu }])
  return stdout.trim()
}
const git = (cwd, ...args) => run(null, cwd, 'git', ...args)
const handoff = (name, cwd, ...args) => run(name, cwd, process.execPath, program, ...args)

const dice = makeDice(7)
const WORDS =
  'const return import value index queue worker await string error while if else switch default'.split(' ')
function change() {
  for (let file = 0; file < 100; file++) {
    let text = ''
    while (text.length < 100_000)
      text += `${dice.pick(WORDS)} ${dice.pick(WORDS)} = ${dice.between(0, 1e9)}\n`
    writeFileSync(join(ann, `f${file}.ts`), text)
  }
}

try {
  mkdirSync(ann)
  for (const [key, value] of [
    ['user.name', 'Ann'],
    ['user.email', 'ann@example.com'],
    ['init.defaultBranch', 'main'],
  ])
    git(base, 'config', '--global', key, value)
  git(ann, 'init', '-q')
  change()
  git(ann, 'add', '-A')
  git(ann, 'commit', '-qm', 'work begins')
  git(base, 'clone', '-q', '--bare', ann, hub)
  git(ann, 'remote', 'add', 'origin', `file://${hub}`)
  git(ann, 'switch', '-qc', 'feature/x')
  handoff(null, ann, 'create', 'finish the queue and document its limits', '--from', 'git')
  handoff(null, ann, 'push')
  git(base, 'clone', '-q', `file://${hub}`, bob)
  handoff(null, bob, 'open', 'feature/x')
  const clean = () => [git(bob, 'reset', '-q', '--hard'), git(bob, 'clean', '-qfd')]
  for (let round = 0; round < rounds; round++) {
    change()
    const kept = run('git: stash create', ann, 'git', 'stash', 'create')
    run('git: push', ann, 'git', 'push', '-q', 'origin', `${kept}:refs/kept/${round}`)
    run('git: fetch', bob, 'git', 'fetch', '-q', 'origin', `refs/kept/${round}:refs/kept/${round}`)
    run('git: checkout', bob, 'git', 'checkout', '-q', `refs/kept/${round}`, '--', '.')
    clean()
    change()
    handoff('handoff: push --work', ann, 'push', '--work')
    handoff('handoff: open', bob, 'open', 'feature/x')
    clean()
    // What both take without any work.
    handoff('alone: push', ann, 'push', '--no-work')
    handoff('alone: open', bob, 'open', 'feature/x')
  }
  const median = (name, kind) =>
    spent
      .get(name)
      .map((one) => one[kind])
      .sort((a, b) => a - b)[rounds >> 1]
  for (const kind of ['wall', 'cpu']) {
    const sums = {}
    for (const name of spent.keys())
      sums[name.split(':')[0]] = (sums[name.split(':')[0]] ?? 0) + median(name, kind)
    for (const name of spent.keys())
      console.log(`${kind}  ${name.padEnd(22)}${median(name, kind).toFixed(0)} ms`)
    const ratio = (sums.handoff / sums.git).toFixed(2)
    console.log(
      `${kind}  ${ratio} times git; ${((sums.handoff - sums.alone) / sums.git).toFixed(2)} times beyond what both take without work`,
    )
  }
} finally {
  rmSync(base, { recursive: true, force: true })
}
