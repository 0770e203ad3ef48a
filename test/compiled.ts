import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import build, { root } from './e2e/build.ts'

/**
 * Global setup of the tests that start the built program, by a hook of git too: builds it, and has all of them share what V8 compiled,
 * which a run in a fresh home makes anew otherwise, for a third of its time.
 */
export default function setup(): (() => void) | undefined {
  build()
  const { env } = process
  if (env.HANDOFF_TEST_CACHE !== undefined) return
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'handoff-compiled-')))
  const [home, cache] = [join(folder, 'home'), join(folder, 'cache')]
  mkdirSync(home)
  const own = { PATH: env.PATH, HOME: home, XDG_CACHE_HOME: cache, GIT_CONFIG_NOSYSTEM: '1' }
  execFileSync('git', ['init', '-q', home], { env: own })
  writeFileSync(join(home, 'a.txt'), 'a\n')
  const program = [
    join(root, 'bin/handoff.cjs'),
    'create',
    'keep what V8 compiles',
    '--from',
    'git',
    '--dry-run',
  ]
  execFileSync(process.execPath, program, { cwd: home, env: own, stdio: ['ignore', 'ignore', 'pipe'] })
  env.HANDOFF_TEST_CACHE = cache
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
}
