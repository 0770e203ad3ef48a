import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TempRepo } from './make-repo.ts'

/** What a fake agent saw when it was started. */
export interface Seen {
  args: string[]
  stdin: string
  cwd: string
  env: Record<string, string>
  pid: number
}

/**
 * Puts a program of this name before all others on the PATH of a repository: it writes down how it was started, prints `says`, of a
 * list the next each time, and ends with `exit`, or never ends.
 */
export function fakeAgent(
  repo: TempRepo,
  program: string,
  {
    says = 'ok',
    exit = 0,
    hangs = false,
  }: { says?: string | readonly string[]; exit?: number; hangs?: boolean } = {},
): { env: Record<string, string>; seen: () => Seen | null; all: () => Seen[] } {
  const bin = join(repo.base, 'agents')
  const log = join(repo.base, `${program}.json`)
  mkdirSync(bin, { recursive: true })
  // Whatever the temporary folder lies in says nothing of the kind of module it is.
  writeFileSync(join(bin, 'package.json'), '{}')
  const path = join(bin, program)
  writeFileSync(
    path,
    `#!${process.execPath}
const { appendFileSync, readFileSync, writeFileSync } = require('node:fs')
let stdin = ''
try { stdin = readFileSync(0, 'utf8') } catch {}
const { env } = process
const log = ${JSON.stringify(log)}
const seen = JSON.stringify({ args: process.argv.slice(2), stdin, cwd: process.cwd(), env, pid: process.pid })
writeFileSync(log, seen)
appendFileSync(log + 'l', seen + '\\n')
const says = ${JSON.stringify(typeof says === 'string' ? [says] : says)}
const runs = readFileSync(log + 'l', 'utf8').trim().split('\\n').length
console.log(says[Math.min(runs, says.length) - 1])
${hangs ? 'setInterval(() => {}, 1000)' : `process.exitCode = ${exit}`}
`,
  )
  chmodSync(path, 0o755)
  return {
    env: { PATH: `${bin}:${repo.env.PATH}` },
    seen: () => (existsSync(log) ? (JSON.parse(readFileSync(log, 'utf8')) as Seen) : null),
    all: () =>
      existsSync(`${log}l`)
        ? readFileSync(`${log}l`, 'utf8')
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line) as Seen)
        : [],
  }
}
