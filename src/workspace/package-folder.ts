import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Top folder of the installed package, real path: that of `dist/` when built, of `src/` in the tests. */
export function packageFolder(from: string = __dirname): string {
  for (let folder = from; folder !== dirname(folder); folder = dirname(folder)) {
    const file = join(folder, 'package.json')
    if (existsSync(file) && /"name":\s*"git-handoff"/.test(readFileSync(file, 'utf8'))) return folder
  }
  throw new Error(`${from} lies in no package of handoff`)
}

/** A text of `templates/agents/`. */
export const agentTemplate = (name: string): string =>
  readFileSync(join(packageFolder(), 'templates', 'agents', name), 'utf8')
