import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gitEnv } from '../repository.mjs'

const MEASURED = fileURLToPath(new URL('measured.cjs', import.meta.url))

/**
 * Runs a Node program in a repository, with a home of its own and without a terminal. Gives its output and what it used: wall time, and
 * processor time and largest memory without its children. `program` is a path from where the benchmark runs. `node` is the Node that it
 * runs with, if it needs another one than this. Throws with what the program said when it ends with another code than 0.
 */
export function runNode(program, args, { repo, home, env = {}, node = process.execPath }) {
  const used = join(home, 'used')
  rmSync(used, { force: true })
  const start = process.hrtime.bigint()
  const done = spawnSync(node, [resolve(program), ...args], {
    cwd: repo,
    env: {
      ...gitEnv(home),
      XDG_CONFIG_HOME: join(home, '.config'),
      XDG_DATA_HOME: join(home, '.local/share'),
      XDG_CACHE_HOME: join(home, '.cache'),
      NODE_OPTIONS: `--require ${JSON.stringify(MEASURED)}`,
      HANDOFF_BENCH_USED: used,
      ...env,
    },
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
  const ms = Number(process.hrtime.bigint() - start) / 1e6
  if (done.status !== 0)
    throw new Error(`${program} ${args[0]} ended with ${done.status}: ${reasonIn(done.stderr + done.stdout)}`)
  return { stdout: done.stdout, used: { ms, ...JSON.parse(readFileSync(used, 'utf8')) } }
}

/** Node says the place first, and then the error. */
const reasonIn = (said) => said.slice(Math.max(0, said.search(/^\w*Error\b/m)))

/** What a Node program says its version is. */
export const versionOf = (program, node = process.execPath) =>
  execFileSync(node, [program, '--version'], { encoding: 'utf8' }).trim()
