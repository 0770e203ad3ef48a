import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, dirname, join } from 'node:path'
import { orNull } from '../errors/handoff-error.ts'
import { PROVIDERS } from '../model/provider-names.ts'
import type { Place } from '../types/place.ts'
import { findProgram, packageAround, packageFolder, packageOf } from '../workspace/find-program.ts'
import { installLine } from '../workspace/install-line.ts'
import { foldersOnPath } from '../workspace/program-name.ts'
import { type Installed, PACKAGE } from './installed.ts'

type Where = Pick<Place, 'root' | 'home' | 'env'>

/** What both names of ours mean on PATH; null: nothing. */
export async function lookOnPath({ env }: Where) {
  const folders = foldersOnPath(env).join(delimiter)
  const find = async (name: string): Promise<Installed | null> => {
    const path = await findProgram(name, folders)
    return path === null ? null : installed(path)
  }
  return { handoff: await find('handoff'), gitHandoff: await find('git-handoff') }
}

/** Yarn knows this package here and has no folder for it in which npx would look (Plug'n'Play, Yarn 4). */
function isPlugged(root: string): boolean {
  const file = [...foldersAbove(root)]
    .map((folder) => join(folder, '.pnp.cjs'))
    .find((path) => existsSync(path))
  return file !== undefined && (orNull(() => readFileSync(file, 'utf8'))?.includes(`"${PACKAGE}"`) ?? false)
}

function installed(path: string): Installed {
  const found = packageOf(path)
  return { path, name: found?.name ?? null, version: found?.version ?? null }
}

/**
 * What `npx handoff` would run, in the order in which npm 11 looks (`libnpmexec`): a program of the package around the folder, the
 * nearest `node_modules/.bin`, the global programs, and then the registry; `yarn`: the registry, though Yarn has ours.
 */
export function askNpx({ root, home, env }: Where, top: string) {
  const [from, found] = findNpx(root, join(globalPrefix(home, env), 'bin', 'handoff'))
  // A manifest above the folder is npm's to find, but not ours to name.
  return { from, installed: found, hasManifest: existsSync(join(top, 'package.json')) }
}

function findNpx(
  root: string,
  globalPath: string,
): ['local' | 'global' | 'registry' | 'yarn', Installed | null] {
  const around = packageAround(root)
  if (around !== null && hasBin(around.folder))
    return ['local', { path: around.folder, name: around.name, version: around.version }]
  const local = [...foldersAbove(root)]
    .map((folder) => join(folder, 'node_modules', '.bin', 'handoff'))
    .find((path) => existsSync(path))
  if (local !== undefined) return ['local', installed(local)]
  if (existsSync(globalPath)) return ['global', installed(globalPath)]
  return [isPlugged(root) ? 'yarn' : 'registry', null]
}

/** The folder itself first. */
function* foldersAbove(folder: string): Generator<string> {
  yield folder
  if (folder !== dirname(folder)) yield* foldersAbove(dirname(folder))
}

function hasBin(folder: string): boolean {
  const text = orNull(() => readFileSync(join(folder, 'package.json'), 'utf8')) ?? '{}'
  const value = orNull(() => JSON.parse(text) as { name?: unknown; bin?: unknown })
  if (typeof value?.bin === 'string') return value.name === 'handoff'
  return typeof value?.bin === 'object' && value.bin !== null && 'handoff' in value.bin
}

/** Where npm puts what is installed for all: its setting, else beside Node. */
function globalPrefix(home: string, env: Place['env']): string {
  const own = orNull(() => readFileSync(join(home, '.npmrc'), 'utf8')) ?? ''
  const [, set] = /^\s*prefix\s*=\s*(\S.*?)\s*$/m.exec(own) ?? []
  return (
    env.npm_config_prefix || set?.replace(/^~(?=\/)|^\$\{HOME\}/, home) || dirname(dirname(process.execPath))
  )
}

/** Packages that extraction by a model loads, when it is asked for. */
const MODEL_PACKAGES = ['ai', ...PROVIDERS.map((name) => `@ai-sdk/${name}`)]

/** Which of them can be loaded from here, and the command that installs the missing ones. Nothing is loaded. */
export function lookForModels(top: string): { found: string[]; missing: string[]; install: string } {
  const { resolve } = createRequire(join(packageFolder(), 'package.json'))
  const isThere = (name: string): boolean => {
    try {
      resolve(name)
      return true
    } catch (error) {
      // A package for `import` alone is there as well.
      return (error as NodeJS.ErrnoException).code === 'ERR_PACKAGE_PATH_NOT_EXPORTED'
    }
  }
  const found = MODEL_PACKAGES.filter(isThere)
  const missing = MODEL_PACKAGES.filter((name) => !found.includes(name))
  return { found, missing, install: installLine(missing, top) }
}
