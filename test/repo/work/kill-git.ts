import { spawnSync } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TempRepo } from '../make-repo.ts'

const PROGRAM = join(import.meta.dirname, '../../../bin/handoff.cjs')

/** Runs the built program; its `at`th start of git kills it with SIGKILL instead. Returns how often git was started. */
export function runKilled(
  repo: TempRepo,
  argv: string[],
  at: number,
  extra: Record<string, string> = {},
): { starts: number; code: number | null; said: string } {
  const bin = join(repo.base, 'kill-bin')
  const count = join(repo.base, 'count')
  const pids = join(repo.base, 'pids')
  spawnSync('mkdir', ['-p', bin])
  for (const file of [count, pids]) writeFileSync(file, '')
  const real = spawnSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).stdout.trim()
  const lines = [
    '#!/bin/sh',
    `echo $$ >> "${pids}"`,
    `echo >> "${count}"`,
    `[ "$(wc -l < "${count}")" -eq ${at} ] && { kill -9 $PPID; exit 1; }`,
    `exec "${real}" "$@"`,
  ]
  writeFileSync(join(bin, 'git'), `${lines.join('\n')}\n`)
  chmodSync(join(bin, 'git'), 0o755)
  const env = { ...repo.env, ...extra, PATH: `${bin}:${extra.PATH ?? repo.env.PATH}` }
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...argv], {
    ...{ cwd: repo.root, env, encoding: 'utf8' },
  })
  // What was started last may end after its parent, and late on a busy machine: the next run must not meet it.
  const started = readFileSync(pids, 'utf8').trim().replaceAll('\n', ',')
  for (let turns = 0; turns < MOST_TURNS && isAnyAlive(started); turns++) spawnSync('sleep', ['0.05'])
  return { starts: readFileSync(count, 'utf8').length, code: status, said: stdout + stderr }
}

const MOST_TURNS = 600

/** Nobody may wait for a process whose parent was killed: it stays as a zombie then. */
const isAnyAlive = (pids: string): boolean =>
  /^[^Z\s]/m.test(spawnSync('ps', ['-o', 'stat=', '-p', pids], { encoding: 'utf8' }).stdout)
