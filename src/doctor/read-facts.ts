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
import { planEdits } from '../hooks/plan.ts'
import type { SetupRecord } from '../hooks/record.ts'
import { parseRunner, runnerText } from '../hooks/runner.ts'
import { setupPlace } from '../init/init-agents.ts'
import { GIT, type GitHookSetup, planGitHooks } from '../init/init-git-hooks.ts'
import { around } from '../init/init-plan.ts'
import { readSetupRecord } from '../init/init-record.ts'
import { nameOf } from '../init/init-tell.ts'
import { privateFolder, RUNNER, readPrivate } from '../store/private.ts'
import type { Adapter, SetupEdit } from '../types/agent.ts'
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

/** Ms that an agent has to tell its sessions, where it must be asked: OpenCode takes two to start, and more in a large database. */
const SESSIONS_LIMIT = 10_000
interface Where {
  place: Place
  repo: Repo
  roots: readonly string[]
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
        setup: setups?.get(adapter.id) ?? null,
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

/** What `init` did here, as far as it is still there: what it would still write is missing, and nothing is written. */
export async function lookAtSetup(where: Where, config: Config) {
  const { place, repo } = where
  const { record, isLost } = await readSetupRecord(repo.commonDir)
  const edits = Object.values(record.files).flatMap((one) => one.edits)
  const owners = new Set(edits.flatMap((one) => one.owners))
  const wishes = adapters.flatMap(({ id, setup }) =>
    setup === undefined ? [] : { owner: id as string, edits: setup(setupPlace(place, repo.root, id)) },
  )
  const agents = wishes.map(async (wish) => {
    // What stands in a file of another agent may be for that one alone.
    const others = wishes.flatMap((one) => (one === wish ? [] : one.edits.map(({ path }) => path)))
    const isKnown = owners.has(wish.owner)
    return [wish.owner, await agentSetup(where, record, { ...wish, isKnown, others })] as const
  })
  const here = {
    runner: await lookAtRunner(where),
    /** Agents that `init` set up in this clone, by id; null when its record cannot be read. */
    setUp: isLost ? null : wishes.flatMap(({ owner }) => (owners.has(owner) ? owner : [])),
    gitHooks: await lookAtGitHooks(where, config, record),
  }
  return { here, agents: new Map(await Promise.all(agents)) }
}

/** What `init` would still write, and what it would leave alone. */
async function missingOf(where: Where, record: SetupRecord, owner: string, edits: SetupEdit[]) {
  const here = around(where, where.repo, where.roots)
  const wish = { wishes: [{ owner, edits }], record, known: [], ...here, looks: owner === GIT }
  const { changes, left, same } = await planEdits(wish)
  const missing = changes.map(({ path }) => where.name(path))
  return { same, missing, left: left.map(({ path, reason }) => ({ path: where.name(path), reason })) }
}

/** What `init` put into the settings of an agent. */
async function agentSetup(
  where: Where,
  record: SetupRecord,
  wish: { owner: string; edits: SetupEdit[]; isKnown: boolean; others: readonly string[] },
) {
  const { owner, edits, isKnown, others } = wish
  const begun = (isBegun: boolean) => (isBegun ? ('partly' as const) : ('none' as const))
  try {
    const { same, missing, left } = await missingOf(where, record, owner, edits)
    const isWhole = missing.length === 0 && left.length === 0
    const state = isWhole ? ('done' as const) : begun(isKnown || same.some((path) => !others.includes(path)))
    return { state, missing, left, problem: null }
  } catch (error) {
    return { state: begun(isKnown), missing: [], left: [], problem: asFinding(error).message }
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

async function lookAtGitHooks(where: Where, config: Config, record: SetupRecord) {
  const { repo, name } = where
  const setup = await planGitHooks(repo, config, { asked: undefined, marks: record.marks })
  const { manager, events, activate, warnings } = setup
  const { missing, left } = await missingOf(where, record, GIT, setup.edits)
  const hook = (event: string): string => join(setup.folder ?? '', event)
  const isOurs = manager === 'plain'
  return {
    ...{ manager: manager as string, missing, left, warnings },
    where: setup.where && name(setup.where),
    /** Somebody asked for none. */
    isUnwanted: record.marks.includes('git-hooks=none'),
    /** Events that git does not call, though they are configured. */
    uncalled: isOurs || manager === 'none' ? [] : events.filter((event) => !calls(hook(event), setup)),
    /** Files of hooks that are not executable. */
    closed: (isOurs ? events.map(hook) : []).filter((path) => existsSync(path) && !isProgram(path)).map(name),
    /** How the manager is told to call them. */
    activate,
  }
}

/** Whether the hook that git runs is that of the manager; husky is active or not as a whole. */
function calls(path: string, { manager, activate }: GitHookSetup): boolean {
  if (manager === 'husky') return activate === null
  return orNull(() => readFileSync(path, 'utf8'))?.includes(manager) === true
}

const isProgram = (path: string): boolean =>
  isAbsolute(path) && orNull(() => accessSync(path, constants.X_OK)) !== null
