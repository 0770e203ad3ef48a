import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** One start of git: its arguments, and the names and values that it found in its environment. */
export interface GitCall {
  args: string[]
  env: Record<string, string>
}

/** A program `git` that writes down how it was started and then is the real one. */
export interface WatchedGit {
  /** A folder for the front of PATH. */
  bin: string
  /** What was started since the last question. */
  calls(): GitCall[]
}

export function watchGit(folder: string): WatchedGit {
  const bin = join(folder, 'bin')
  const log = join(folder, 'calls')
  mkdirSync(bin, { recursive: true })
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
  // One file for each call: several run at a time. The shell adds PWD, OLDPWD, SHLVL and _ of its own.
  const script = `#!/bin/sh
f=$(mktemp '${log}.XXXXXX')
{ printf '%s\\0' "$@"; printf '\\1\\0'; cat /proc/$$/environ; } > "$f"
exec '${real}' "$@"
`
  writeFileSync(join(bin, 'git'), script)
  chmodSync(join(bin, 'git'), 0o755)
  return { bin, calls: () => readCalls(folder) }
}

function readCalls(folder: string): GitCall[] {
  const names = execFileSync('find', [folder, '-maxdepth', '1', '-name', 'calls.*'], { encoding: 'utf8' })
  return names
    .split('\n')
    .filter((path) => path !== '' && existsSync(path))
    .map((path) => {
      const [args = '', env = ''] = readFileSync(path, 'utf8').split('\u0001\0')
      rmSync(path)
      return {
        args: args.split('\0').slice(0, -1),
        env: Object.fromEntries(
          env
            .split('\0')
            .filter((entry) => entry.includes('='))
            .map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
        ),
      }
    })
}

/** Arguments in which git could take `word` for an option: where nothing before it says that options are over. */
export const asOption = (calls: readonly GitCall[], word: string): string[] =>
  calls.flatMap(({ args }) => {
    const end = args.findIndex((arg) => arg === '--' || arg === '--end-of-options')
    // It is asked of full names alone, also of the branch that stands beside the word.
    if (args.at(-2) === 'check-ref-format' && args.at(-1)?.startsWith('refs/heads/')) return []
    const before = end === -1 ? args : args.slice(0, end)
    return before.some((arg) => arg.startsWith(word)) ? [args.join(' ').slice(0, 300)] : []
  })
