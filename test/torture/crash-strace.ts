import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench } from './operations.ts'
import type { Context } from './part.ts'
import { CHANGING, runWithSteps, type Step } from './steps.ts'

const FAULT = 'no step goes unseen (strace)'

/** Every call that changes a disk, as the kernel has them, and the kind that the library counts it as. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  open: ['open', 'openat', 'openat2', 'creat'],
  write: ['write', 'pwrite64', 'writev', 'pwritev', 'sendfile', 'copy_file_range', 'truncate', 'ftruncate'],
  sync: ['fsync', 'fdatasync'],
  rename: ['rename', 'renameat', 'renameat2'],
  link: ['link', 'linkat', 'symlink', 'symlinkat'],
  unlink: ['unlink', 'unlinkat', 'rmdir'],
  mkdir: ['mkdir', 'mkdirat'],
  mode: ['chmod', 'fchmod', 'fchmodat', 'utimensat'],
}

/** The library stands between the program and its C library; the kernel tells whether something passes it by. */
export async function compareWithStrace(context: Context, library: string, bench: Bench): Promise<void> {
  const { operation } = bench
  const row = { fault: FAULT, operation: operation.name }
  const log = join(context.scratch('strace'), 'log')
  const probe = spawnSync('strace', ['-o', '/dev/null', 'true'])
  if (probe.status !== 0) {
    const detail = probe.error ? 'no strace' : 'strace may not look at processes here'
    context.row(row.fault, row.operation, 0, 'not run', detail)
    return
  }
  bench.rewind()
  const names = Object.values(KINDS).flat().join(',')
  const { steps, code } = await runWithSteps(
    { library, program: context.program, under: bench.under },
    bench.repo,
    operation.args,
    { act: 'record', kinds: CHANGING },
    ['strace', '-f', '-qq', '-y', '-s', '4096', '-e', `trace=${names}`, '-e', 'signal=none', '-o', log],
  )
  const kernel = countKernel(readFileSync(log, 'utf8'), bench.under)
  const ours = countSteps(steps)
  const missed = Object.keys(KINDS).filter((kind) => (kernel[kind] ?? 0) > (ours[kind] ?? 0))
  const told = missed.map((kind) => `${kind}: ${kernel[kind]} in the kernel, ${ours[kind] ?? 0} seen`)
  context.case({ ...row, kernel, ours, code })
  const count = Object.values(kernel).reduce((all, one) => all + one, 0)
  const isSound = code === 0 && missed.length === 0 && steps.length > 0
  context.row(row.fault, row.operation, count, isSound, told.join('; '))
}

function countKernel(log: string, under: string): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const line of log.split('\n')) {
    const [, name = '', words = ''] = /^\d+ +(\w+)\((.*)$/.exec(line) ?? []
    const kind = Object.keys(KINDS).find((one) => KINDS[one]?.includes(name))
    if (kind === undefined || !isBelow(name, words, under)) continue
    if (kind === 'open' && !/O_WRONLY|O_RDWR|O_CREAT|O_TRUNC/.test(words)) continue
    counts[kind] = (counts[kind] ?? 0) + 1
  }
  return counts
}

/** The file that is changed lies below the folder; git names files from where it runs, which is there. */
function isBelow(name: string, words: string, under: string): boolean {
  const fds = [...words.matchAll(/\d+<([^>]*)>/g)].map(([, path = '']) => path)
  const paths = [...words.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, path = '']) => path)
  const isOurs = (path: string | undefined) => path?.startsWith(`${under}/`) === true
  if (/^(?:p?write|f(?:data)?sync|ftruncate|fchmod$)/.test(name)) return isOurs(fds[0])
  if (name === 'sendfile') return isOurs(fds[0])
  if (name === 'copy_file_range') return isOurs(fds[1])
  // With a file instead of a path.
  if (name === 'utimensat' && paths.length === 0) return isOurs(fds[0])
  const target = /^(?:rename|link|symlink)/.test(name) ? paths.at(-1) : paths[0]
  return target !== undefined && (isOurs(target) || !target.startsWith('/'))
}

function countSteps(steps: readonly Step[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { call } of steps) {
    const kind = kindOf(call)
    counts[kind] = (counts[kind] ?? 0) + 1
  }
  return counts
}

function kindOf(call: string): string {
  if (/open/.test(call)) return 'open'
  if (/write|sendfile|truncate|syscall/.test(call)) return 'write'
  if (/sync/.test(call)) return 'sync'
  if (/chmod|utime/.test(call)) return 'mode'
  if (call === 'rmdir') return 'unlink'
  if (call === 'symlink') return 'link'
  return call === 'mkdtemp' ? 'mkdir' : call
}
