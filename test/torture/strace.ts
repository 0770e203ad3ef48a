import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** What a program and all it started asked of the system. */
export interface Traced {
  status: number | null
  stdout: string
  /** Programs that were started. */
  started: { path: string; args: string[]; env: Record<string, string> }[]
  /** Addresses outside of this machine's own sockets that somebody tried to reach. */
  connected: string[]
  /** Files and folders that were made, with the rights that were asked for. */
  made: { path: string; mode: number; folder: boolean }[]
}

/** False where there is no strace or it may not trace. */
export const canTrace = (): boolean =>
  spawnSync('strace', ['-f', '-qq', '-o', '/dev/null', 'true']).status === 0

/** Runs a command line under strace, its output kept in `log`. */
export function trace(
  log: string,
  command: readonly string[],
  options: { cwd: string; env: Record<string, string>; input?: string },
): Traced {
  const calls = 'trace=execve,connect,openat,open,creat,mkdir,mkdirat'
  const flags = ['-f', '-qq', '-v', '-s', '4096', '--seccomp-bpf', '-e', calls, '-o', log]
  const { status, stdout } = spawnSync('strace', [...flags, '--', ...command], {
    ...options,
    input: options.input ?? '',
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    timeout: 120_000,
  })
  const found: Traced = { status, stdout, started: [], connected: [], made: [] }
  for (const line of readFileSync(log, 'utf8').split('\n')) read(line, found)
  return found
}

function read(line: string, found: Traced): void {
  const [, call = '', rest = ''] = /^\d+\s+(\w+)\((.*)$/.exec(line) ?? []
  if (call === 'execve') {
    // A folder of PATH without the program.
    if (/= -1 ENOENT/.test(rest)) return
    const [path = [], args = [], env = []] = listsOf(rest)
    found.started.push({
      path: path[0] ?? '',
      args,
      env: Object.fromEntries(
        env.map((entry) => [entry.replace(/=.*$/s, ''), entry.replace(/^[^=]*=/s, '')]),
      ),
    })
  } else if (call === 'connect') {
    if (!/sa_family=AF_(?:UNIX|NETLINK|UNSPEC)/.test(rest)) found.connected.push(rest)
  } else if (call.startsWith('mkdir') || /O_CREAT|^creat$/.test(`${rest}${call}`)) {
    if (/= -1 E/.test(rest)) return
    const mode = /, (0[0-7]*)\)?(?: = \d+.*| <unfinished.*)?$/.exec(rest)?.[1] ?? '0'
    const [[path = ''] = []] = listsOf(rest)
    found.made.push({ path, mode: Number.parseInt(mode, 8), folder: call.startsWith('mkdir') })
  }
}

/** The strings of a call: each one that stands alone, and each list of them. */
function listsOf(text: string): string[][] {
  const lists: string[][] = []
  let inside: string[] | null = null
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|\[|\]/g)) {
    if (token === '[') inside = []
    else if (token === ']') {
      if (inside !== null) lists.push(inside)
      inside = null
    } else {
      const word = token.slice(1, -1).replace(/\\(.)/g, '$1')
      if (inside === null) lists.push([word])
      else inside.push(word)
    }
  }
  return lists
}
