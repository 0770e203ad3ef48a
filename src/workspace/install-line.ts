import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { typedWord } from '../text/shell-word.ts'
import { packageFolder } from './find-program.ts'

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
