import { constants, existsSync, readFileSync, realpathSync } from 'node:fs'
import { access } from 'node:fs/promises'
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path'
import { orNull } from '../errors/handoff-error.ts'

/** The file that a name means on PATH, by its absolute folders; null when there is none that may be run. */
export async function findProgram(name: string, path: string): Promise<string | null> {
  for (const folder of path.split(delimiter).filter(isAbsolute)) {
    const file = join(folder, name)
    const isThere = await access(file, constants.X_OK).then(
      () => true,
      () => false, // Not there, or not for us to run: both mean that it cannot be started.
    )
    if (isThere) return file
  }
  return null
}

/** A package by its package.json. */
export interface PackageOf {
  folder: string
  name: string | null
  version: string | null
}

/** The package that a program belongs to, links and the scripts of pnpm followed; null when it lies in none. */
export function packageOf(program: string): PackageOf | null {
  const real = orNull(() => realpathSync(program))
  return real === null ? null : packageAround(dirname(targetOf(real) ?? real))
}

/** The innermost package around a folder. */
export function packageAround(from: string): PackageOf | null {
  for (let folder = from; ; folder = dirname(folder)) {
    const file = join(folder, 'package.json')
    const value = existsSync(file) ? orNull(() => JSON.parse(readFileSync(file, 'utf8')) as Named) : null
    if (value !== null) return { folder, name: textOrNull(value.name), version: textOrNull(value.version) }
    if (folder === dirname(folder)) return null
  }
}

interface Named {
  name?: unknown
  version?: unknown
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** Where links are not to be had, managers write scripts that name the real program from their own folder. */
function targetOf(script: string): string | null {
  const text = orNull(() => readFileSync(script, 'utf8').slice(0, 4096)) ?? ''
  const inner = /"\$basedir\/([^"$]+\.[cm]?js)"/.exec(text)?.[1]
  return inner === undefined ? null : orNull(() => realpathSync(resolve(dirname(script), inner)))
}

/** Top folder of the installed package, real path: that of `dist/` when built, of `src/` in the tests. */
export function packageFolder(from: string = __dirname): string {
  for (let folder = from; folder !== dirname(folder); folder = dirname(folder)) {
    const file = join(folder, 'package.json')
    if (existsSync(file) && /"name":\s*"git-handoff"/.test(readFileSync(file, 'utf8'))) return folder
  }
  throw new Error(`${from} lies in no package of handoff`)
}

/** False for a checkout of git, and where npm wrote down that the package came from one or from a file. */
export function isOfRegistry(folder: string): boolean {
  if (existsSync(join(folder, '.git'))) return false
  const { resolved } = lockedIn(folder)
  return typeof resolved !== 'string' || /^https?:/.test(resolved)
}

/** What npm wrote down when it put the package into a folder. */
export function lockedIn(folder: string): { resolved?: unknown; integrity?: unknown } {
  const lock = join(folder, '..', '.package-lock.json')
  const text = existsSync(lock) ? readFileSync(lock, 'utf8') : '{}'
  return JSON.parse(text).packages?.['node_modules/git-handoff'] ?? {}
}

/** A text of `templates/agents/`. */
export const agentTemplate = (name: string): string =>
  readFileSync(join(packageFolder(), 'templates', 'agents', name), 'utf8')
