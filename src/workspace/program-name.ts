import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path'
import { orNull } from '../errors/handoff-error.ts'
import { isWithin } from '../hooks/target.ts'
import { RUNNER } from '../store/private.ts'
import { typedWord } from '../text/shell-word.ts'
import { isOfRegistry, packageFolder } from './find-program.ts'
import { RUN_ALIAS } from './keep-program.ts'

/** How our texts call this program; where that would not run, `typedProgram` says what stands in its place. */
export const PROGRAM = 'git handoff'

/** Folders that npx, pnpm and yarn put on PATH for what they run; the next line that is typed knows none of them. */
const PASSING = /[/\\]node_modules[/\\]\.bin[/\\]?$/

/** What calls of this program depend on besides the folder. `running`: the folder of its package. */
interface Surroundings {
  env: Readonly<Record<string, string | undefined>>
  version: string
  running?: string
}

/**
 * How a person in `folder` calls this program so that nothing of a checkout can take its place: `git handoff`, where this clone has the
 * alias that `init` set or git finds the program on PATH; else by the path of its own clone, or through npx in the top folder, where it reads
 * no `.npmrc`, package or program of a branch.
 */
export function typedProgram(
  folder: string,
  { env, version, running = packageFolder() }: Surroundings,
): string {
  const here = clonedAt(folder)
  const isOfCheckout = (path: string): boolean => here !== null && isWithin(here.top, path)
  if ((here !== null && hasAlias(here.commonDir)) || isOnPath(env, isOfCheckout)) return PROGRAM
  if (!isOfRegistry(running) && !isOfCheckout(running))
    return `${typedWord(process.execPath)} ${typedWord(join(running, 'bin', 'handoff.cjs'))}`
  return `cd / && npx --yes git-handoff@${version} --cwd ${typedWord(folder)}`
}

/** The work tree around a folder and the git directory that its worktrees share, read without git: a text waits for it. */
function clonedAt(folder: string): { top: string; commonDir: string } | null {
  for (let top = folder; ; top = dirname(top)) {
    const dotGit = join(top, '.git')
    if (existsSync(dotGit)) {
      const real = orNull(() => realpathSync(top)) ?? top
      if (statSync(dotGit).isDirectory()) return { top: real, commonDir: dotGit }
      const gitDir = resolve(
        top,
        readFileSync(dotGit, 'utf8')
          .replace(/^gitdir: /, '')
          .trimEnd(),
      )
      const common = orNull(() => readFileSync(join(gitDir, 'commondir'), 'utf8').trimEnd()) ?? '.'
      return { top: real, commonDir: resolve(gitDir, common) }
    }
    if (top === dirname(top)) return null
  }
}

/** The alias stands in the configuration as git writes it, and what it calls is there. */
function hasAlias(commonDir: string): boolean {
  const text = orNull(() => readFileSync(join(commonDir, 'config'), 'utf8')) ?? ''
  const value = RUN_ALIAS.replaceAll('"', '\\"')
  return text.includes(`handoff = ${value}\n`) && existsSync(join(commonDir, 'handoff', RUNNER))
}

/** Absolute folders of PATH as the person's next line finds them. */
export const foldersOnPath = (env: Surroundings['env']): string[] =>
  (env.PATH ?? '')
    .split(delimiter)
    .filter((one) => isAbsolute(one) && !PASSING.test(one) && one !== env.BERRY_BIN_FOLDER)

/** Git finds `git-handoff` in a folder of PATH that no checkout brings. */
function isOnPath(env: Surroundings['env'], isOfCheckout: (path: string) => boolean): boolean {
  const found = foldersOnPath(env)
    .map((one) => join(one, 'git-handoff'))
    .find((path) => existsSync(path))
  return found !== undefined && !isOfCheckout(realpathSync(found))
}
