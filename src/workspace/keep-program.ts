import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFailed } from '../errors/writing.ts'
import type { Repo } from '../git/open-repo.ts'
import { readConfig, writeConfig } from '../git/settings.ts'
import { parseRunner, runnerText } from '../hooks/runner.ts'
import { privateFolder, RUNNER, readPrivate, writePrivate } from '../store/private.ts'
import { packageAround, packageFolder } from './find-program.ts'

/** What a hook, an MCP server and `init` need of the package. */
export const PARTS = ['package.json', 'bin', 'dist', 'hooks', 'templates']
/** The copy in use and the one before it, which a running server may still load parts of. */
const KEPT = 2

/** Where the copies lie, in the private folder. */
export const PROGRAMS = 'program'

/**
 * Copies the running program into the private folder, where no checkout, no `npm ci` and no cache that is emptied can
 * change it; returns the absolute path of the copy's `bin/handoff.cjs`. A copy of the same build is used again. Throws
 * `writeFailed`.
 */
export function keepProgram(privateFolder: string): string {
  const from = packageFolder()
  const programs = join(privateFolder, PROGRAMS)
  const to = join(programs, buildOf(from))
  if (!existsSync(to)) copy(from, to, programs)
  return join(to, 'bin', 'handoff.cjs')
}

/** Version and time of the build, in seconds; a copy keeps both. */
function buildOf(folder: string): string {
  const built = Math.floor(statSync(join(folder, 'dist', 'cli.cjs')).mtimeMs / 1000)
  return `${packageAround(folder)?.version ?? '0'}-${built.toString(36)}`
}

function copy(from: string, to: string, programs: string): void {
  const aside = join(programs, `aside.${process.pid}`)
  try {
    mkdirSync(programs, { recursive: true, mode: 0o700 })
    for (const part of PARTS)
      cpSync(join(from, part), join(aside, part), {
        recursive: true,
        dereference: true,
        preserveTimestamps: true,
      })
    for (const name of copiesOf(programs).slice(KEPT - 1))
      rmSync(join(programs, name), { recursive: true, force: true })
    renameSync(aside, to)
  } catch (cause) {
    rmSync(aside, { recursive: true, force: true })
    if (!existsSync(to)) throw writeFailed(to, cause) // Else another process was faster.
  }
}

/** Newest first. */
const copiesOf = (programs: string): string[] =>
  readdirSync(programs)
    .filter((name) => !name.startsWith('aside.'))
    .map((name) => ({ name, at: statSync(join(programs, name)).ctimeMs }))
    .sort((a, b) => b.at - a.at)
    .map(({ name }) => name)

/**
 * Copies the program, writes the runner that every hook calls, and sets the aliases that call it; the path of the runner. Throws
 * `writeFailed` and what `ensureAliases` throws.
 */
export async function writeRunner(repo: Repo): Promise<string> {
  const { commonDir } = repo
  // A Node that is a package of npm lies where a checkout can change it; the runner looks for another.
  const node = /[/\\]node_modules[/\\]/.test(process.execPath) ? '' : process.execPath
  const program = keepProgram(privateFolder(commonDir))
  const path = await writePrivate(commonDir, RUNNER, runnerText({ node, program }))
  await chmod(path, 0o700)
  await ensureAliases(repo)
  return path
}

/** Lets the hooks of this clone call the version that runs now, if `init` was run here. Throws as `writeRunner`. */
export async function refreshRunner(repo: Repo): Promise<void> {
  const { commonDir } = repo
  const text = await readPrivate(commonDir, RUNNER)
  if (text === null || parseRunner(text)?.program === keepProgram(privateFolder(commonDir))) return
  await writeRunner(repo)
}

/** Runs the private runner, so that `git handoff` is a command that no checkout can change. */
export const RUN_ALIAS = '!sh "$(git rev-parse --git-common-dir)/handoff/hook" - run'

/** The same for a hook. Where the runner is gone it succeeds: agents take a failure for an order to stop what the person asked for. */
export const HOOK_ALIAS = '!h="$(git rev-parse --git-common-dir)/handoff/hook"; [ ! -f "$h" ] || exec sh "$h"'

/** What `init` sets: `git handoff`, and what the hook lines of agents name, which are committed and do nothing without it. */
const OURS: Readonly<Record<string, string>> = {
  'alias.handoff': RUN_ALIAS,
  'alias.handoff-hook': HOOK_ALIAS,
  // Where git runs the alias.
  'handoff.hooks': '.',
}

/** All that `init` sets is set. */
export const hasAliases = async (repo: Repo): Promise<boolean> => {
  const { local } = await readConfig(repo)
  return Object.keys(OURS).every((key) => local(key) !== null)
}

/** Sets what the person has not set otherwise. Throws what `writeConfig` throws. */
async function ensureAliases(repo: Repo): Promise<void> {
  const { local } = await readConfig(repo)
  for (const [key, value] of Object.entries(OURS))
    if (local(key) === null) await writeConfig(repo, [key, value])
}

/** Takes back what is as we set it; true when something was. Throws what `writeConfig` throws. */
export async function removeAliases(repo: Repo): Promise<boolean> {
  const { local } = await readConfig(repo)
  const set = Object.keys(OURS).filter((key) => local(key) === OURS[key])
  for (const key of set) await writeConfig(repo, ['--unset-all', key])
  return set.length > 0
}
