import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, openSync, readFileSync, readSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * A shell that starts git for the tests of this worker. To fork a process of Node takes 8 to 25 ms, to fork a shell takes 1 ms, and most
 * of what a test with a repository takes is starts of git.
 */
interface Shell {
  folder: string
  ask: number
  answer: number
}
let shell: Shell | null = null
let asked = 0

/** Each line that it reads names a script, which runs in a process of its own. It ends with the worker, which has the other end. */
const LOOP = 'exec 3<ask 4>answer; while read -r name <&3; do (. "$PWD/$name"); echo $? >&4; done'

function openShell(): Shell {
  const folder = mkdtempSync(join(tmpdir(), 'handoff-git-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const [ask, answer] = [join(folder, 'ask'), join(folder, 'answer')]
  execFileSync('mkfifo', [ask, answer])
  spawn('sh', ['-c', LOOP], { cwd: folder, env: {}, stdio: 'ignore' }).unref()
  return { folder, ask: openSync(ask, 'w'), answer: openSync(answer, 'r') }
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** As `execFileSync('git', …)` with text: returns what it prints, and throws with `status`, `stdout` and `stderr` when it fails. */
export function runGit(
  args: readonly string[],
  { cwd, env, input }: { cwd: string; env: Record<string, string>; input: string },
): string {
  shell ??= openShell()
  const { folder } = shell
  const name = `${asked++}`
  const at = (end: string): string => join(folder, name + end)
  writeFileSync(at('.in'), input)
  const variables = Object.entries(env).map(([key, value]) => `export ${key}=${quoted(value)}`)
  const files = `<${quoted(at('.in'))} >${quoted(at('.out'))} 2>${quoted(at('.err'))}`
  const lines = [...variables, `cd ${quoted(cwd)}`, `exec git ${args.map(quoted).join(' ')} ${files}`]
  writeFileSync(at(''), `${lines.join('\n')}\n`)
  writeSync(shell.ask, `${name}\n`)
  let code = ''
  const part = Buffer.alloc(16)
  while (!code.endsWith('\n')) code += part.toString('utf8', 0, readSync(shell.answer, part))
  const [stdout, stderr] = ['.out', '.err'].map((end) => readFileSync(at(end), 'utf8'))
  for (const end of ['', '.in', '.out', '.err']) rmSync(at(end), { force: true })
  if (code !== '0\n') {
    const message = `Command failed: git ${args.join(' ')}\n${stderr}`
    throw Object.assign(new Error(message), { status: Number(code), stdout, stderr })
  }
  return stdout ?? ''
}
