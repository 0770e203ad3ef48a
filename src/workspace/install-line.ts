import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { typedWord } from '../text/shell-word.ts'
import { packageFolder } from './find-program.ts'

/** Versions that this program was tried with. */
const MAJOR: Readonly<Record<string, number>> = { ai: 6 }
const OTHERS = 3

/**
 * The command that puts packages where this program finds them, which depends on how it was installed itself: with the repository, for
 * one call of npx, or for all of this machine.
 */
export function installLine(
  packages: readonly string[],
  root: string,
  folder: string = packageFolder(),
): string {
  const specs = packages.map((name) => `${name}@${MAJOR[name] ?? OTHERS}`)
  if (/[\\/]_npx[\\/]/.test(folder))
    return `cd / && npx --yes ${['git-handoff', ...specs].map((spec) => `-p ${spec}`).join(' ')} git-handoff --cwd ${typedWord(root)} create …`
  const isHere = folder.startsWith(`${root}/`)
  if (!isHere) return `npm install --global ${specs.join(' ')}`
  const [, how] =
    [
      ['pnpm-lock.yaml', 'pnpm add -D'],
      ['yarn.lock', 'yarn add -D'],
    ].find(([lock = '']) => existsSync(join(root, lock))) ?? []
  return `${how ?? 'npm install --save-dev'} ${specs.join(' ')}`
}
