/**
 * The script `prepare`, which npm runs after an install in a clone and before it packs one: hooks of git for those who work here, and
 * the program.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

// For `npm install --global git+…`, as pre-commit does, npm 11 leaves out what the build needs (github.com/npm/cli/issues/8440).
if (!existsSync(`${root}node_modules/esbuild`)) {
  const args = [process.env.npm_execpath, 'ci', '--no-global', '--include=dev', '--ignore-scripts']
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
  if (status !== 0) process.exit(status ?? 1)
}
const { default: husky } = await import('husky')
const said = husky()
if (said !== '') console.error(said)
await import('./build.mjs')
