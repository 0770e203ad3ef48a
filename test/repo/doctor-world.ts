import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Finding } from '../../src/doctor/checks.ts'
import { type CliOptions, type CliResult, cli } from './cli.ts'
import { prepared, type TempRepo } from './make-repo.ts'
import { AGENT, made, usual } from './usual.ts'

/** Programs that a command of `doctor` may name; agents and other handoffs of this machine are none of them. */
const TOOLS = [
  'git',
  'sh',
  'sed',
  'mv',
  'rm',
  'chmod',
  'mkdir',
  'dirname',
  'cat',
  'xargs',
  'tail',
  'tr',
  'env',
  'sleep',
  'node',
]

/** The same repository on a machine that has these programs and no others, `handoff` installed beside it. */
export function onPlainMachine<T extends TempRepo>(repo: T): T {
  const bin = join(repo.base, 'bin')
  mkdirSync(bin)
  // Whatever lies above is of this machine.
  writeFileSync(join(repo.base, 'package.json'), '{}')
  for (const tool of TOOLS) {
    const path = execFileSync('/bin/sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).trim()
    symlinkSync(path, join(bin, tool))
  }
  Object.assign(repo.env, { PATH: `${bin}:${join(repo.base, 'global/bin')}` })
  installPackage(repo, join(repo.base, 'global', 'lib'), 'git-handoff')
  link(repo, join(repo.base, 'global', 'bin'), 'git-handoff')
  return repo
}

/** A repository that is set up for Claude Code, with one brief, in which all is well. */
export const healthy = prepared(async () => {
  const repo = onPlainMachine(usual())
  await mend(repo, 'handoff init --agent claude-code --yes')
  repo.commit('set up')
  await made(repo, [], AGENT)
  return repo
})

/** What `npm install` would put there: a package with a program, and the version of this one unless told otherwise. */
export function installPackage(repo: TempRepo, folder: string, name: string, version = own()): void {
  const at = join(folder, 'node_modules', name)
  mkdirSync(join(at, 'bin'), { recursive: true })
  writeFileSync(join(at, 'package.json'), JSON.stringify({ name, version, bin: { handoff: 'bin/x' } }))
  writeFileSync(join(at, 'bin', 'x'), '#!/bin/sh\n', { mode: 0o755 })
  void repo
}

/** Links the program of a package under the name `handoff` into a folder. */
export function link(
  repo: TempRepo,
  folder: string,
  name: string,
  from = join(repo.base, 'global', 'lib'),
): void {
  mkdirSync(folder, { recursive: true })
  symlinkSync(join(from, 'node_modules', name, 'bin', 'x'), join(folder, 'handoff'))
}

const own = (): string =>
  (
    JSON.parse(
      execFileSync('cat', [join(import.meta.dirname, '../../package.json')], { encoding: 'utf8' }),
    ) as { version: string }
  ).version

/** A program on PATH. */
export function putProgram(repo: TempRepo, name: string, script: string): void {
  writeFileSync(join(repo.base, 'bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
}

export interface Doctored extends CliResult {
  /** What is not well. */
  problems: Finding[]
  of: (id: string) => Finding[]
}

export async function doctor(repo: TempRepo, options: CliOptions = {}): Promise<Doctored> {
  const result = await cli(repo, ['doctor', '--json'], options)
  const all = (result.json.checks ?? []) as Finding[]
  const problems = all.filter(({ level }) => level !== 'ok')
  return { ...result, problems, of: (id) => problems.filter((one) => one.id === id) }
}

/** Runs the command of a finding as a person would: ours in this process, anything else in a shell at the top. */
export async function mend(repo: TempRepo, fix: string | null | undefined): Promise<void> {
  if (fix === null || fix === undefined) throw new Error('there is no command')
  const ours = /(?:^|.* && )(?:git handoff|git-handoff|handoff) (.*)$/.exec(fix)?.[1]
  const theirs = ours === undefined ? fix : fix.replace(/(?:^| && )(?:git[ -])?handoff [^&]*$/, '')
  if (theirs !== '') execFileSync('/bin/sh', ['-c', theirs], { cwd: repo.root, env: repo.env, stdio: 'pipe' })
  if (ours === undefined) return
  const { code, stderr } = await cli(repo, ours.split(' '))
  if (code !== 0) throw new Error(`${fix}: exit ${code}: ${stderr}`)
}

/** A path in the git directory. */
export const inGit = (repo: TempRepo, path: string): string => join(repo.root, '.git', path)
/** Makes a file that nobody has touched for a minute. */
export const putOld = (path: string): void => {
  writeFileSync(path, '')
  utimesSync(path, new Date(Date.now() - 60_000), new Date(Date.now() - 60_000))
}
