import { execFileSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Top level of this repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

/** Global setup of the tests that use the built program: builds it when a source is newer than the build. */
export default function build(): void {
  const built = statSync(join(root, 'dist', 'cli.cjs'), { throwIfNoEntry: false })?.mtimeMs ?? 0
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).map((file) =>
    join('src', file),
  )
  const newest = Math.max(
    ...[...sources, 'scripts/build.mjs', 'package.json'].map((file) => statSync(join(root, file)).mtimeMs),
  )
  if (newest < built) return
  execFileSync(process.execPath, [join(root, 'scripts', 'build.mjs')], { cwd: root, stdio: 'inherit' })
}
