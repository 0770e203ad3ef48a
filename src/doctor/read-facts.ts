import { accessSync, constants, existsSync, readFileSync } from 'node:fs'
import { delimiter, isAbsolute, join, parse } from 'node:path'
import { callerOf } from '../agents/caller.ts'
import { adapters } from '../agents/table.ts'
import type { Invocation } from '../command.ts'
import { defaultConfig, envName, keys } from '../config/keys.ts'
import { loadConfig, ownFolder } from '../config/load.ts'
import { noOwnSettings } from '../config/own.ts'
import { isHandoffError, orNull } from '../errors/handoff-error.ts'
import { gitVersion, openRepo, type Repo } from '../git/open-repo.ts'
import { listWorktrees } from '../git/refs.ts'
import { parseRunner, runnerText } from '../hooks/runner.ts'
import { lookForAgents, pickAgents, setupPlace } from '../init/init-agents.ts'
import { GIT, type GitHookSetup, planGitHooks } from '../init/init-git-hooks.ts'
import { ownersInWorktree, planSetUp } from '../init/init-plan.ts'
import { readSetupRecord } from '../init/init-record.ts'
import { nameOf } from '../init/init-tell.ts'
import { isOff, privateFolder, RUNNER, readPrivate } from '../store/private.ts'
import type { Adapter } from '../types/agent.ts'
import type { Config, Place } from '../types/config.ts'
import { findProgram, packageAround, packageFolder, packageOf } from '../workspace/find-program.ts'
import { hasAliases, PROGRAMS } from '../workspace/keep-program.ts'
import { foldersOnPath } from '../workspace/program-name.ts'
import { timeLimit } from '../workspace/time-limit.ts'
import { waitingIn, warnClosed } from '../workspace/workspace.ts'
import { asFinding, lookAtRepository } from './read-repo.ts'

/** Everything that the checks judge, read once, so that a check is a pure look at it. */
export type Facts = Awaited<ReturnType<typeof gatherFacts>>['facts']
export type RepoFacts = NonNullable<Facts['repo']>
export type Latest = RepoFacts['latest']
export type AgentFacts = Facts['agents'][number]

/** Reads everything that is judged. Nothing is written and nothing asks the network. `root` is null outside of a repository. */
export async function gatherFacts({ place, out, version }: Invocation) {
  const [git, onPath, { repo, noRepo }] = await Promise.all([
    gitVersion(parse(process.execPath).root, place.env, place.signal),
    lookOnPath(place),
    open(place, waitingIn({ out })),
  ])
  if (repo !== null) warnClosed({ out }, repo)
  const root = repo?.root ?? null
  const name = nameOf(root ?? place.root, place.home)
  const { config, facts, rows } = await lookAtConfig(place, root, name)
  if (repo !== null) repo.trunks = config.trunk
  const roots = repo === null ? [] : await listWorktrees(repo)
  const setup = repo === null ? null : await lookAtSetup({ place, repo, roots, name }, config, version)
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
      /** Where no hook speaks: `HANDOFF=0` in the environment, or `handoff off`. */
      off: place.env.HANDOFF === '0' ? 'shell' : repo !== null && isOff(repo.commonDir) ? 'clone' : null,
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
    ...{ unknown: [], ownFile: join(ownFolder(place), 'config.yaml') },
  }
  let problem: string | null = null
  const asked = loadConfig(place, { root, isPi: callerOf(place.env)?.agent === 'pi' })
  const { config, origins, own, unknown, ownFile } = await asked.catch((error: unknown) => {
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
    /** The person's own file, as people write it. */
    ownFile: name(ownFile),
  }
  /** `from`: `default`, a file as people write it, a variable of the environment, or the command line. */
  return { config, facts, rows: [...ofKeys, ...ofOwn] }
}

const valueAt = (config: object, path: string): unknown =>
  path.split('.').reduce<unknown>((value, part) => (value as Record<string, unknown>)[part], config)

const NOT_SET_UP = { state: 'none' as 'done' | 'partly' | 'none', missing: [] as string[] }

/** Ms that an agent has to tell its sessions, where it must be asked: OpenCode takes two to start, and more in a large database. */
const SESSIONS_LIMIT = 10_000
interface Where {
  place: Place
  repo: Repo
  roots: string[]
  /** A path as people write it. */
  name: (path: string) => string
}

/** Every agent that is more than a format: its program, its sessions here, and what `init` has made of it. */
export async function lookAtAgents(
  { place, repo, roots, name: named }: Omit<Where, 'repo'> & { repo: Repo | null },
  setups: Awaited<ReturnType<typeof lookAtSetup>>['agents'] | undefined,
) {
  const root = repo?.root ?? place.root
  const able = adapters.filter(({ isNamed }) => isNamed !== true)
  return Promise.all(
    able.map(async (adapter) => {
      const name = adapter.launch?.program ?? adapter.program
      const [program, sessions, trust] = await Promise.all([
        name === undefined ? null : findProgram(name, place.env.PATH ?? ''),
        countSessions(place, adapter, repo === null ? null : roots),
        repo === null ? null : adapter.trust?.(setupPlace(place, root, adapter.id)),
      ])
      const home = adapter.traces?.({ ...place, root }).home ?? []
      return {
        id: adapter.id as string,
        label: adapter.label,
        /** Absolute path; null: not on PATH. */
        program,
        /** It has left its folder at home. */
        hasRun: home.some((path) => existsSync(path)),
        ...sessions,
        /** Null for one that cannot be set up, or outside of a repository. */
        setup:
          setups === undefined || adapter.setup === undefined ? null : (setups.get(adapter.id) ?? NOT_SET_UP),
        /** A skill or command of the person's own that wins over that of `init`, as people write it. */
        shadow: adapter.shadow?.(place)?.replace(place.home, '~') ?? null,
        /** What it must be told itself before it runs hooks; null where nobody can say. */
        trust: trust ? { ...trust, where: named(trust.where) } : null,
      }
    }),
  )
}

/** Sessions of this repository; null outside of one, or where they cannot be read, `sessionsProblem` then. */
async function countSessions(
  place: Place,
  adapter: Adapter,
  roots: readonly string[] | null,
): Promise<{ sessions: number | null; sessionsProblem: string | null }> {
  if (roots === null) return { sessions: null, sessionsProblem: null }
  const limit = timeLimit(SESSIONS_LIMIT, place.signal)
  try {
    const found = await adapter.find({ ...place, signal: limit.signal }, [...roots])
    return { sessions: found.length, sessionsProblem: null }
  } catch (error) {
    place.signal?.throwIfAborted()
    const { message } = error as Error
    const why = isHandoffError(error) ? `${message} ${error.hint}` : message
    const isLate = limit.isOver()
    return { sessions: null, sessionsProblem: isLate ? `no answer within ${SESSIONS_LIMIT / 1000} s` : why }
  }
}

/** What `init` did here, as far as it is still there: what its plan would still write is missing, and nothing is written. */
export async function lookAtSetup(where: Where, config: Config, version: string) {
  const { place, repo, roots, name } = where
  const { record, isLost } = await readSetupRecord(repo.commonDir)
  const here = { repo, root: repo.root, roots, loaded: { config } }
  const before = await ownersInWorktree({ place }, here)
  const wanted = pickAgents(await lookForAgents(place, repo.root), undefined, before)
  const hooks = await planGitHooks(repo, config, { asked: undefined, marks: record.marks })
  let problem: string | null = null
  const plan = await planSetUp({ place, version, out: { warn: () => {} } }, here, {
    ...{ agents: wanted, gitHooks: undefined, ci: undefined },
  }).then(
    (planned) => planned.plan,
    (error: unknown) => {
      problem = asFinding(error).message
      return null
    },
  )
  const changed = new Set(plan?.changes.map(({ path }) => path))
  /** Files that serve an owner, and whether they serve nobody else. */
  const filesOf = (owner: string) =>
    Object.entries(plan?.record.files ?? {}).flatMap(([path, { edits }]) => {
      const owners = new Set(edits.flatMap((one) => one.owners))
      return owners.has(owner) ? { path, isSole: owners.size === 1 } : []
    })
  const agents = wanted.map(({ adapter }) => {
    const files = filesOf(adapter.id)
    const missing = files.flatMap(({ path }) => (changed.has(path) ? name(path) : []))
    const isBegun = before.has(adapter.id) || files.some(({ path, isSole }) => isSole && !changed.has(path))
    const state: (typeof NOT_SET_UP)['state'] =
      files.length > 0 && missing.length === 0 ? 'done' : isBegun ? 'partly' : 'none'
    return [adapter.id as string, { ...NOT_SET_UP, state, missing }] as const
  })
  const isOfHooks = (path: string): boolean => hooks.edits.some((edit) => edit.path === path)
  const left = (plan?.left ?? []).map((one) => ({
    ...one,
    isOfHooks: isOfHooks(one.path),
    path: name(one.path),
  }))
  const hook = (event: string): string => join(hooks.folder ?? '', event)
  const isOurs = hooks.manager === 'plain'
  const { events } = hooks
  return {
    agents: new Map(agents),
    here: {
      runner: await lookAtRunner(where),
      /** Agents that `init` set up in this clone, by id; null when its record cannot be read. */
      setUp: isLost ? null : [...before].filter((id) => adapters.some((adapter) => adapter.id === id)),
      /** Why `init` would stop before it writes anything. */
      problem: problem as string | null,
      /** What `init` would leave alone. */
      left: left.flatMap(({ isOfHooks: isHook, ...one }) => (isHook ? [] : one)),
      gitHooks: {
        ...{ manager: hooks.manager as string, warnings: hooks.warnings, activate: hooks.activate },
        where: hooks.where && name(hooks.where),
        missing: filesOf(GIT).flatMap(({ path }) => (changed.has(path) ? name(path) : [])),
        left: left.flatMap(({ isOfHooks: isHook, ...one }) => (isHook ? one : [])),
        /** Somebody asked for none. */
        isUnwanted: record.marks.includes('git-hooks=none'),
        /** Events that git does not call, though they are configured. */
        uncalled: isOurs ? [] : events.filter((event) => !calls(hook(event), hooks)),
        /** Files of hooks that are not executable. */
        closed: (isOurs ? events.map(hook) : [])
          .filter((path) => existsSync(path) && !isProgram(path))
          .map(name),
      },
    },
  }
}

/** The installation that the hooks of this clone call. */
async function lookAtRunner({ repo, name }: Where) {
  const text = await readPrivate(repo.commonDir, RUNNER)
  if (text === null) return null
  const { node, program } = parseRunner(text) ?? { node: '', program: '' }
  const folder = privateFolder(repo.commonDir)
  return {
    path: name(join(folder, RUNNER)),
    node: { path: node, isThere: node === '' || isProgram(node) },
    program: {
      path: program,
      isThere: existsSync(program),
      version: packageOf(program)?.version ?? null,
      /** It lies in the private folder, where no checkout can change it. */
      isCopy: program.startsWith(join(folder, PROGRAMS)),
    },
    /** It says what this version would write. */
    isCurrent: text === runnerText({ node, program }),
    /** Git knows here what `init` sets. */
    hasAliases: await hasAliases(repo),
  }
}

/** Whether the hook that git runs is that of the manager; husky is active or not as a whole. */
function calls(path: string, { manager, activate }: GitHookSetup): boolean {
  if (manager === 'husky') return activate === null
  return orNull(() => readFileSync(path, 'utf8'))?.includes(manager) === true
}

const isProgram = (path: string): boolean =>
  isAbsolute(path) && orNull(() => accessSync(path, constants.X_OK)) !== null
