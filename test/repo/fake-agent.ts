import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { wholeLines } from '../whole-lines.ts'
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
 * list the next each time and with the id of the request for `REQUEST-ID`, and ends with `exit`, or never ends.
 */
export function fakeAgent(
  repo: TempRepo,
  program: string,
  {
    says = 'ok',
    exit = 0,
    hangs = false,
    complains = '',
    leaves = null,
    isDeaf = false,
  }: {
    says?: string | readonly string[]
    exit?: number
    hangs?: boolean
    /** On standard error, after what it says; `$NAME` is a variable of its own. */
    complains?: string
    /** A process that it leaves behind with its output open, in its own group or in another. */
    leaves?: 'in-group' | 'apart' | null
    /** It goes on when it is asked to end. */
    isDeaf?: boolean
  } = {},
): {
  env: Record<string, string>
  seen: () => Seen | null
  all: () => Seen[]
  /** The process that it left behind. */
  left: () => number
} {
  const bin = join(repo.base, 'agents')
  const log = join(repo.base, `${program}.jsonl`)
  mkdirSync(bin, { recursive: true })
  // Whatever the temporary folder lies in says nothing of the kind of module it is.
  writeFileSync(join(bin, 'package.json'), '{}')
  const path = join(bin, program)
  writeFileSync(
    path,
    `#!${process.execPath}
const { appendFileSync, readFileSync, writeFileSync } = require('node:fs')
${isDeaf ? "process.on('SIGTERM', () => {})" : ''}
let stdin = ''
try { stdin = readFileSync(0, 'utf8') } catch {}
const { env } = process
const log = ${JSON.stringify(log)}
const seen = JSON.stringify({ args: process.argv.slice(2), stdin, cwd: process.cwd(), env, pid: process.pid })
appendFileSync(log, seen + '\\n')
const says = ${JSON.stringify(typeof says === 'string' ? [says] : says)}
const runs = readFileSync(log, 'utf8').trim().split('\\n').length
const id = /<reply-([0-9a-f]+)>/.exec(stdin)?.[1]
console.log(says[Math.min(runs, says.length) - 1].replaceAll('REQUEST-ID', id))
process.stderr.write(${JSON.stringify(complains)}.replace(/\\$(\\w+)/g, (_, name) => env[name] ?? ''))
const leaves = ${JSON.stringify(leaves)}
if (leaves !== null) {
  const { spawn } = require('node:child_process')
  const left = spawn('sleep', ['120'], { stdio: 'inherit', detached: leaves === 'apart' })
  left.unref()
  writeFileSync(log + '.left', String(left.pid))
}
${hangs ? 'setInterval(() => {}, 1000)' : `process.exitCode = ${exit}`}
`,
  )
  chmodSync(path, 0o755)
  const all = (): Seen[] => wholeLines(log).map((line) => JSON.parse(line))
  return {
    env: { PATH: `${bin}:${repo.env.PATH}` },
    seen: () => all().at(-1) ?? null,
    left: () => Number(readFileSync(`${log}.left`, 'utf8')),
    all,
  }
}
