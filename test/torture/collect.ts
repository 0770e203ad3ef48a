import type { ChildProcessByStdio } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'

/** How a process ended, and all it said. */
export interface Ended {
  code: number | null
  signal: string | null
  stdout: string
  stderr: string
}

/** Ms after its end for which the streams of a child are read on: what it started may hold them open, and would be waited for without end. */
const HELD = 60_000

/** What a child says until it has closed its streams, as text: a character may come in two pieces. Throws when it cannot be started. */
export function collect(child: ChildProcessByStdio<Writable | null, Readable, Readable>): Promise<Ended> {
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      said[name] += text
    })
  return new Promise((done, fail) => {
    let timer: NodeJS.Timeout | undefined
    child.once('error', fail)
    child.once('exit', () => {
      timer = setTimeout(() => {
        child.stdout.destroy()
        child.stderr.destroy()
      }, HELD)
    })
    child.once('close', (code, signal) => {
      clearTimeout(timer)
      done({ code, signal, ...said })
    })
  })
}
