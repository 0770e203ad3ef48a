import { delimiter, join, relative } from 'node:path'
import { callerOf } from '../agents/caller.ts'
import type { Invocation } from '../command.ts'
import { defaultConfig, envName, keys } from '../config/keys.ts'
import { type LoadedConfig, loadConfig, ownFolder } from '../config/load.ts'
import { noOwnSettings } from '../config/own.ts'
import { gitVersion, openRepo, type Repo } from '../git/open-repo.ts'
import { listWorktrees } from '../git/refs.ts'
import { isWithin } from '../hooks/target.ts'
import { nameOf } from '../init/init-tell.ts'
import type { Config } from '../types/config.ts'
import type { Place } from '../types/place.ts'
import { findProgram, packageAround, packageFolder, packageOf } from '../workspace/find-program.ts'
import { foldersOnPath } from '../workspace/program-name.ts'
import { waitingIn, warnClosed } from '../workspace/workspace.ts'
import { lookAtAgents, OUTSIDE } from './read-agents.ts'
import { asFinding, lookAtRepository } from './read-repo.ts'
import { lookAtSetup } from './read-setup.ts'

/** Everything that the checks judge, read once, so that a check is a pure look at it. */
export type Facts = Awaited<ReturnType<typeof gatherFacts>>['facts']
export type RepoFacts = NonNullable<Facts['repo']>
export type { AgentFacts } from './read-agents.ts'

/** Reads everything that is judged. Nothing is written and nothing asks the network. `root` is null outside of a repository. */
export async function gatherFacts({ place, out, version }: Invocation) {
  const [git, onPath, { repo, noRepo }] = await Promise.all([
    gitVersion(OUTSIDE, place.env, place.signal),
    lookOnPath(place),
    open(place, waitingIn({ out })),
  ])
  if (repo !== null) warnClosed({ out }, repo)
  const root = repo?.root ?? null
  const top = root ?? place.root
  const name = nameOf(top, place.home)
  // What a command is told must not be a home directory in quotation marks.
  const local = (path: string): string => (isWithin(top, path) ? relative(top, path) : path)
  const { config, facts, rows } = await lookAtConfig(place, root, name)
  if (repo !== null) repo.trunks = config.trunk
  const roots = repo === null ? [] : await listWorktrees(repo)
  const setup = repo === null ? null : await lookAtSetup({ place, repo, roots, name, local }, config)
  const [agents, inRepo] = await Promise.all([
    lookAtAgents(place, repo, roots, setup?.agents),
    repo === null ? null : lookAtRepository({ repo, local }, config),
  ])
  return {
    root,
    config: rows,
    facts: {
      // Of the package, as that of every other installation is read.
      version: packageAround(packageFolder())?.version ?? version,
      node: process.versions.node as string,
      /** What a command begins with so that it reaches this handoff from here. */
      call: out.named('git handoff'),
      /** Null when there is no git on PATH; empty when it did not say its version. */
      git,
      onPath,
      /** `HANDOFF=0` stands in the environment. */
      isOff: place.env.HANDOFF === '0',
      config: facts,
      agents: agents.map((one) => ({
        ...one,
        trust: one.trust === null ? null : { ...one.trust, where: name(one.trust.where) },
      })),
      repo: inRepo === null || setup === null ? null : { ...inRepo, ...setup.here },
      /** Why there is no repository; null when there is one, or simply none here. */
      noRepo,
    },
  }
}

/** A missing git, one that is too old, and no repository at all are told elsewhere; anything else git has against this one is told. */
async function open(
  { root, env, signal }: Place,
  slow: (command: string) => void,
): Promise<{ repo: Repo | null; noRepo: { message: string; hint: string } | null }> {
  try {
    return { repo: await openRepo(root, { env, slow, ...(signal && { signal }) }), noRepo: null }
  } catch (error) {
    const { code, message, hint } = asFinding(error)
    if (code === 'E_NO_FOLDER') throw error
    const isTold = ['E_NO_REPOSITORY', 'E_GIT_MISSING', 'E_GIT_TOO_OLD'].includes(code)
    return { repo: null, noRepo: isTold ? null : { message, hint } }
  }
}

/** A program and the package that it belongs to; null where that cannot be told. */
interface Installed {
  path: string
  name: string | null
  version: string | null
  isOurs: boolean
}

/** What both names of ours mean on PATH; null: nothing. */
async function lookOnPath({ env }: Place) {
  const folders = foldersOnPath(env)
  const find = async (program: string): Promise<Installed | null> => {
    const file = await findProgram(program, folders.join(delimiter))
    return file === null ? null : installed(file)
  }
  return { handoff: await find('handoff'), gitHandoff: await find('git-handoff') }
}

function installed(path: string): Installed {
  const { name, version } = packageOf(path) ?? { name: null, version: null }
  return { path, name, version, isOurs: name === 'git-handoff' }
}

/** One effective key. */
export interface ConfigRow {
  key: string
  value: unknown
  /** `default`, a file as people write it, a variable of the environment, or the command line. */
  from: string
}

/** What is configured here and where each value came from. A configuration that cannot be used is a fact; then the defaults hold. */
async function lookAtConfig(place: Place, root: string | null, name: (path: string) => string) {
  try {
    const loaded = await loadConfig(place, { root, isPi: callerOf(place.env)?.agent === 'pi' })
    const { config, unknown, refusedCode, ownFile } = loaded
    const facts = {
      problem: null as string | null,
      unknown: unknown.map((one) => ({ ...one, where: name(one.where) })),
      /** An executable file of the repository that was left alone. */
      refusedCode,
      /** The person's own file, as people write it. */
      ownFile: name(ownFile),
    }
    return { config, facts, rows: rowsOf(place, loaded, name) }
  } catch (error) {
    const config = defaultConfig()
    // A message begins with the file that it is about.
    const problem = asFinding(error).message.replace(/^(\/[^:]+)(?=:)/, (path) => name(path))
    const ownFile = name(join(ownFolder(place), 'config.yaml'))
    const rows = keys.map(({ path }) => ({ key: path, value: at(config, path), from: 'default' }))
    return { config, facts: { problem, unknown: [], refusedCode: null, ownFile }, rows }
  }
}

function rowsOf({ env }: Place, loaded: LoadedConfig, name: (path: string) => string): ConfigRow[] {
  const { config, origins, own, ownFile } = loaded
  const none: Readonly<Record<string, unknown>> = { ...noOwnSettings() }
  // The variable that decided: of several names of a key the last that is set.
  const variable = (names: readonly string[]): string | undefined =>
    names.map(envName).findLast((one) => (env[one] ?? '') !== '')
  return [
    ...keys.map(({ path, aliases }) => {
      const origin = origins.get(path)?.where ?? 'default'
      const from = origin === 'environment' ? variable([path, ...aliases]) : name(origin)
      return { key: path, value: at(config, path), from: from ?? origin }
    }),
    ...Object.entries(own).map(([key, value]) => ({
      key,
      value,
      from: JSON.stringify(value) === JSON.stringify(none[key]) ? 'default' : name(ownFile),
    })),
  ]
}

const at = (config: Config, path: string): unknown =>
  path.split('.').reduce<unknown>((value, part) => (value as Record<string, unknown>)[part], config)
