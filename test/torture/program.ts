import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from '../e2e/build.ts'

/** What the installed package consists of, as far as it runs. */
const SHIPPED = ['bin', 'dist', 'hooks', 'templates', 'package.json']

/** Copies the built package into an empty folder and returns its bin/handoff.cjs. */
export function copyProgram(folder: string): string {
  mkdirSync(folder, { recursive: true })
  for (const name of SHIPPED) cpSync(join(root, name), join(folder, name), { recursive: true })
  return join(folder, 'bin/handoff.cjs')
}

/** Has a copy of the program keep its compiled code beside it, so that a run in a fresh home need not compile it anew. */
export const compiledBy = (program: string): Record<string, string> => ({
  XDG_CACHE_HOME: join(dirname(program), '../compiled'),
})

/**
 * A copy of the program in which one text stands for another: a defect planted on purpose. Throws unless the text is found exactly
 * once, so that a defect cannot go unplanted.
 */
export function plantDefect(folder: string, file: string, found: string | RegExp, instead: string): string {
  const program = copyProgram(folder)
  const path = join(folder, file)
  const text = readFileSync(path, 'utf8')
  const pattern = typeof found === 'string' ? new RegExp(literally(found), 'g') : new RegExp(found, 'g')
  const hits = [...text.matchAll(pattern)].length
  if (hits !== 1) throw new Error(`${String(found)} stands ${hits} times in ${file}, not once`)
  // Without the stamp of the build no compiled code of another copy is used for this one.
  writeFileSync(path, text.replace(new RegExp(pattern.source), instead).replace(/^\/\*[0-9a-f]{16}\*\//, ''))
  return program
}

const literally = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
