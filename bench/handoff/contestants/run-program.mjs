import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gitEnv } from '../repository.mjs'

const MEASURED = fileURLToPath(new URL('measured.cjs', import.meta.url))

/**
 * Runs a Node program in a repository, with a home of its own and without a terminal. Gives its output and what it used: wall time, and
 * processor time and largest memory without its children. `node` is the Node that it runs with, if it needs another one than this.
 */
export function runNode(program, args, { repo, home, env = {}, node = process.execPath }) {
  const used = join(home, 'used')
  rmSync(used, { force: true })
  const start = process.hrtime.bigint()
  const done = spawnSync(node, [program, ...args], {
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
    throw new Error(`${program} ${args[0]} ended with ${done.status}: ${done.stderr}${done.stdout}`)
  return { stdout: done.stdout, used: { ms, ...JSON.parse(readFileSync(used, 'utf8')) } }
}

/** What a Node program says its version is. */
export const versionOf = (program, node = process.execPath) =>
  execFileSync(node, [program, '--version'], { encoding: 'utf8' }).trim()
