import { delimiter, join } from 'node:path'
import { callerOf } from '../agents/caller.ts'
import type { Invocation } from '../command.ts'
import { defaultConfig, envName, keys } from '../config/keys.ts'
import { loadConfig, ownFolder } from '../config/load.ts'
import { noOwnSettings } from '../config/own.ts'
import { gitVersion, openRepo } from '../git/open-repo.ts'
import { listWorktrees } from '../git/refs.ts'
import { nameOf } from '../init/init-tell.ts'
import type { Place } from '../types/config.ts'
import { findProgram, packageAround, packageFolder, packageOf } from '../workspace/find-program.ts'
import { foldersOnPath } from '../workspace/program-name.ts'
import { waitingIn, warnClosed } from '../workspace/workspace.ts'
import { lookAtAgents, lookAtSetup, OUTSIDE } from './read-agents.ts'
import { asFinding, lookAtRepository } from './read-repo.ts'

/** Everything that the checks judge, read once, so that a check is a pure look at it. */
export type Facts = Awaited<ReturnType<typeof gatherFacts>>['facts']
export type RepoFacts = NonNullable<Facts['repo']>
export type Latest = RepoFacts['latest']
export type AgentFacts = Facts['agents'][number]

/** Reads everything that is judged. Nothing is written and nothing asks the network. `root` is null outside of a repository. */
export async function gatherFacts({ place, out, version }: Invocation) {
  const [git, onPath, { repo, noRepo }] = await Promise.all([
    gitVersion(OUTSIDE, place.env, place.signal),
    lookOnPath(place),
    open(place, waitingIn({ out })),
  ])
  if (repo !== null) warnClosed({ out }, repo)
  const root = repo?.root ?? null
  const name = nameOf(root ?? place.root, place.home)
  const { config, facts, rows } = await lookAtConfig(place, root, name)
  if (repo !== null) repo.trunks = config.trunk
  const roots = repo === null ? [] : await listWorktrees(repo)
  const setup = repo === null ? null : await lookAtSetup({ place, repo, roots, name }, config)
  const [agents, inRepo] = await Promise.all([
    lookAtAgents({ place, repo, roots, name }, setup?.agents),
    repo === null ? null : lookAtRepository(repo, config, name),
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
      agents,
      repo: inRepo === null || setup === null ? null : { ...inRepo, ...setup.here },
      /** Why there is no repository; null when there is one, or simply none here. */
      noRepo,
    },
  }
}

/** A missing git, one that is too old, and no repository at all are told elsewhere; anything else git has against this one is told. */
async function open({ root, env, signal }: Place, slow: (command: string) => void) {
  try {
    return { repo: await openRepo(root, { env, slow, ...(signal && { signal }) }), noRepo: null }
  } catch (error) {
    const { code, message, hint } = asFinding(error)
    if (code === 'E_NO_FOLDER') throw error
    const isTold = ['E_NO_REPOSITORY', 'E_GIT_MISSING', 'E_GIT_TOO_OLD'].includes(code)
    return { repo: null, noRepo: isTold ? null : { message, hint } }
  }
}

/** What both names of ours mean on PATH: a program and the package that it belongs to; null: nothing. */
async function lookOnPath({ env }: Place) {
  const folders = foldersOnPath(env).join(delimiter)
  const find = async (program: string) => {
    const path = await findProgram(program, folders)
    if (path === null) return null
    const { name, version } = packageOf(path) ?? { name: null, version: null }
    return { path, name, version, isOurs: name === 'git-handoff' }
  }
  return { handoff: await find('handoff'), gitHandoff: await find('git-handoff') }
}

/** What is configured here and where each value came from. A configuration that cannot be used is a fact; then the defaults hold. */
async function lookAtConfig(place: Place, root: string | null, name: (path: string) => string) {
  const none = {
    ...{ config: defaultConfig(), origins: new Map(), own: noOwnSettings() },
    ...{ unknown: [], refusedCode: null, ownFile: join(ownFolder(place), 'config.yaml') },
  }
  let problem: string | null = null
  const asked = loadConfig(place, { root, isPi: callerOf(place.env)?.agent === 'pi' })
  const { config, origins, own, unknown, refusedCode, ownFile } = await asked.catch((error: unknown) => {
    // A message begins with the file that it is about.
    problem = asFinding(error).message.replace(/^(\/[^:]+)(?=:)/, (path) => name(path))
    return none
  })
  // The variable that decided: of several names of a key the last that is set.
  const variable = (names: readonly string[]): string | undefined =>
    names.map(envName).findLast((one) => (place.env[one] ?? '') !== '')
  const ofKeys = keys.map(({ path, aliases }) => {
    const origin = origins.get(path)?.where ?? 'default'
    const from = origin === 'environment' ? variable([path, ...aliases]) : name(origin)
    return { key: path, value: valueAt(config, path), from: from ?? origin }
  })
  const ofOwn = Object.entries(own).map(([key, value]: [string, unknown]) => {
    const isSet = JSON.stringify(value) !== JSON.stringify(valueAt(none.own, key))
    return { key, value, from: isSet ? name(ownFile) : 'default' }
  })
  const facts = {
    problem: problem as string | null,
    unknown: unknown.map((one) => ({ ...one, where: name(one.where) })),
    /** An executable file of the repository that was left alone. */
    refusedCode,
    /** The person's own file, as people write it. */
    ownFile: name(ownFile),
  }
  /** `from`: `default`, a file as people write it, a variable of the environment, or the command line. */
  return { config, facts, rows: [...ofKeys, ...ofOwn] }
}

const valueAt = (config: object, path: string): unknown =>
  path.split('.').reduce<unknown>((value, part) => (value as Record<string, unknown>)[part], config)
