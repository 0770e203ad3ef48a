import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path'
import { orNull } from '../errors/handoff-error.ts'
import { isWithin } from '../hooks/target.ts'
import { RUNNER } from '../store/private.ts'
import { typedWord } from '../text/safe-text.ts'
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
  // In the clone of this package what the next line runs is what runs now.
  const isOwnClone = here !== null && here.top === orNull(() => realpathSync(running))
  if (!isOfRegistry(running) && (isOwnClone || !isOfCheckout(running)))
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

type Env = Readonly<Record<string, string | undefined>>

/** What npm 11 sets for the programs that it starts, besides `npm_*`. */
const SET_BY_NPM: ReadonlySet<string> = new Set(['INIT_CWD', 'NODE', 'COLOR'])
/** What npm sets where a setting says so, which the `.npmrc` of a checkout can. */
const SET_BY_SETTING: Readonly<Record<string, string>> = {
  NODE_OPTIONS: 'npm_config_node_options',
  EDITOR: 'npm_config_editor',
}
/** Folders that npm puts before PATH: the programs of the checkout's packages, and its own. */
const OF_NPM = /[\\/]node_modules[\\/](?:\.bin|@npmcli[\\/]run-script[\\/].*)$/

/**
 * The environment as it was in the shell that called `npx`, `npm`, `pnpm` or `yarn`: without their variables, and without the programs of
 * the checkout on PATH. Unchanged where none of them started this process.
 */
export function withoutNpm<E extends Env>(env: E): E {
  if (env.npm_execpath === undefined && env.npm_config_user_agent === undefined) return env
  const isTheirs = (name: string, value: string | undefined): boolean =>
    name.startsWith('npm_') ||
    SET_BY_NPM.has(name) ||
    (Object.hasOwn(SET_BY_SETTING, name) && value === env[SET_BY_SETTING[name] ?? ''])
  const entries = Object.entries(env).filter(([name, value]) => !isTheirs(name, value))
  return Object.fromEntries(
    entries.map(([name, value]) => [
      name,
      name.toUpperCase() === 'PATH'
        ? value
            ?.split(delimiter)
            .filter((one) => !OF_NPM.test(one))
            .join(delimiter)
        : value,
    ]),
  ) as E
}

/** Versions that this program was tried with. */
const MAJOR: Readonly<Record<string, number>> = { ai: 6 }
const OTHERS = 3

/** The private folder around the copy that `git handoff` runs; null for every other installation. */
const privateHome = (folder: string): string | null =>
  /^(.*[/\\]handoff)[/\\]program[/\\]/.exec(folder)?.[1] ?? null

/**
 * The command that puts packages where this program finds them, which depends on how it was installed itself: for one clone, for one call of
 * npx, or for all of this machine. npm reads nothing of the checkout for it.
 */
export function installLine(
  packages: readonly string[],
  root: string,
  folder: string = packageFolder(),
): string {
  const specs = packages.map((name) => `${name}@${MAJOR[name] ?? OTHERS}`)
  const home = privateHome(folder)
  if (home !== null) return `npm install --prefix ${typedWord(home)} ${specs.join(' ')}`
  if (/[\\/]_npx[\\/]/.test(folder))
    return `cd / && npx --yes ${['git-handoff', ...specs].map((spec) => `-p ${spec}`).join(' ')} git-handoff --cwd ${typedWord(root)} create …`
  const isHere = folder.startsWith(`${root}/`)
  return `npm install --global ${[...(isHere ? ['git-handoff'] : []), ...specs].join(' ')}`
}

/** A package is there for this program. The private copy lies in a work tree, whose packages are a branch's. */
export function canLoad(name: string, folder: string = packageFolder()): boolean {
  const home = privateHome(folder)
  if (home !== null) return existsSync(join(home, 'node_modules', name, 'package.json'))
  try {
    createRequire(join(folder, 'package.json')).resolve(name)
    return true
  } catch (error) {
    // A package for `import` alone is there as well.
    return (error as NodeJS.ErrnoException).code === 'ERR_PACKAGE_PATH_NOT_EXPORTED'
  }
}
