import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** A build below `to` that is not minified, with its own bin, so that a profile has names and places. Gives its program. */
export function buildReadable(to) {
  cpSync(join(ROOT, 'bin'), join(to, 'bin'), { recursive: true })
  cpSync(join(ROOT, 'package.json'), join(to, 'package.json'))
  for (const name of ['templates', 'docs', 'hooks']) symlinkSync(join(ROOT, name), join(to, name))
  const out = relative(ROOT, join(to, 'dist'))
  const args = [join(ROOT, 'scripts/build.mjs'), out, '--readable']
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' })
  if (status !== 0) throw new Error(`the build ended with ${status}`)
  return join(to, 'bin', 'handoff.cjs')
}

/**
 * Where the lines of a readable program come from, as `{ offset, file }` by line: `src/git/git.ts`, or the name of a package. esbuild puts a
 * comment with the path before the code of a file.
 */
export function originsIn(program) {
  const lines = []
  let file = 'start of the program'
  let offset = 0
  for (const line of readFileSync(join(dirname(program), '..', 'dist', 'cli.cjs'), 'latin1').split('\n')) {
    const found =
      /^ *\/\/ (?:[\w-]+:)?(?:\S*\/)?(?:(src\/[\w./-]+\.ts)$|node_modules\/((?:@[\w.-]+\/)?[\w.-]+))|^\/\/ flat:(\S+)$/.exec(
        line,
      )
    if (found !== null) file = found[1] ?? found[2] ?? found[3]
    lines.push({ offset, file })
    offset += line.length + 1
  }
  return lines
}
