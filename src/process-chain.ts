import { readFile } from 'node:fs/promises'
import { run } from './programs.ts'

/** Processes looked at; a hook manager adds a few. */
const MAX_PARENTS = 12

/** A process and those that called it, the nearest first; ends where nothing can be read of them, as on Windows. */
export async function* processChain(first: number): AsyncGenerator<Process> {
  for (let pid = first, step = 0; pid > 1 && step < MAX_PARENTS; step++) {
    const found = (await fromProc(pid)) ?? (await fromPs(pid))
    if (found === null) return
    yield found
    pid = found.parent
  }
}

interface Process {
  pid: number
  parent: number
  words: string[]
}

async function fromProc(pid: number): Promise<Process | null> {
  const [status, line] = await Promise.all([
    readFile(`/proc/${pid}/status`, 'utf8').catch(() => null),
    readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => null),
  ])
  const parent = status === null ? undefined : /^PPid:\s*(\d+)/m.exec(status)?.[1]
  return parent === undefined || line === null
    ? null
    : { pid, parent: Number(parent), words: line.split('\0') }
}

/** Systems without /proc. */
async function fromPs(pid: number): Promise<Process | null> {
  const found = await run('ps', ['-o', 'ppid=,args=', '-p', String(pid)], {}).catch(() => null)
  const [parent, ...words] = found?.stdout.toString('utf8').trim().split(/\s+/) ?? []
  return parent === undefined || parent === '' ? null : { pid, parent: Number(parent), words }
}
