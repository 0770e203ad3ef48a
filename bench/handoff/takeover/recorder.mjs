/**
 * `./do <command>`: runs one command of a successor in its work folder and records it. It is copied beside the play folders and needs
 * nothing else. Arguments: the play folder, the log, the largest number of calls, and the command (`-`: from standard input).
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { appendFileSync, closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'

const MOST = 30_000
const [folder, log, limit, ...words] = process.argv.slice(2)
const command = words.join(' ') === '-' ? readFileSync(0, 'utf8') : words.join(' ')
const work = join(folder, 'work')
mkdirSync(dirname(log), { recursive: true })
const calls = existsSync(log) ? readFileSync(log, 'utf8').split('\n').filter(Boolean).length : 0
if (calls >= Number(limit)) {
  console.log(`The ${limit} calls are used up. Write DONE and stop.`)
  process.exit(1)
}
if (!command.trim()) {
  console.log('Say a command: ./do ls, or ./do - with a script on standard input.')
  process.exit(1)
}
const env = {
  ...process.env,
  PYTHONDONTWRITEBYTECODE: '1',
  PYTEST_ADDOPTS: '-p no:cacheprovider',
  NO_COLOR: '1',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
}
const before = stateOf()
const start = Date.now()
const printed = `${log}.out`
const out = openSync(printed, 'w')
const done = spawnSync('bash', ['-c', command], {
  cwd: work,
  env,
  stdio: ['ignore', out, out],
  timeout: 300_000,
})
closeSync(out)
const whole = readFileSync(printed, 'utf8')
rmSync(printed)
const output = whole.length > MOST ? `${whole.slice(0, MOST)}\n[cut after ${MOST} characters]\n` : whole
const after = stateOf()
const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
  (p) => before.get(p) !== after.get(p),
)
const record = {
  time: new Date(start).toISOString(),
  command,
  exit: done.status ?? 124,
  ms: Date.now() - start,
  bytes: Buffer.byteLength(output),
  changed,
  output,
}
appendFileSync(log, `${JSON.stringify(record)}\n`)
process.stdout.write(output)
process.exitCode = record.exit

/** What differs from the last commit, by content, and that commit. */
function stateOf() {
  const git = (...args) => spawnSync('git', args, { cwd: work, encoding: 'utf8' }).stdout
  const state = new Map([['HEAD', git('rev-parse', 'HEAD')]])
  for (const path of git('ls-files', '-m', '-o', '-d', '--exclude-standard', '-z')
    .split('\0')
    .filter(Boolean)) {
    const file = join(work, path)
    const text = existsSync(file) ? readFileSync(file) : ''
    state.set(path, createHash('sha1').update(text).digest('hex'))
  }
  return state
}
