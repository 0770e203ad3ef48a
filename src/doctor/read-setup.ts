import { accessSync, constants, existsSync, readFileSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'
import { adapters } from '../agents/table.ts'
import { orNull } from '../errors/handoff-error.ts'
import type { Repo } from '../git/open-repo.ts'
import { type Plan, planEdits } from '../hooks/plan.ts'
import type { SetupRecord } from '../hooks/record.ts'
import { parseRunner, runnerText } from '../hooks/runner.ts'
import { setupPlace } from '../init/init-agents.ts'
import { GIT, type GitHookSetup, planGitHooks } from '../init/init-git-hooks.ts'
import { around } from '../init/init-plan.ts'
import { readSetupRecord } from '../init/init-record.ts'
import { privateFolder, readPrivate } from '../store/private.ts'
import type { SetupEdit } from '../types/agent.ts'
import type { Config } from '../types/config.ts'
import type { Place } from '../types/place.ts'
import { packageOf } from '../workspace/find-program.ts'
import { hasAliases, PROGRAMS } from '../workspace/keep-program.ts'
import { asFinding } from './read-repo.ts'

/** What `init` put into the settings of an agent. */
export interface AgentSetup {
  state: 'done' | 'partly' | 'none'
  missing: string[]
  left: Plan['left']
  problem: string | null
}

interface Where {
  place: Place
  repo: Repo
  roots: readonly string[]
  /** A path as people write it. */
  name: (path: string) => string
  /** The same as a command at the top is told it. */
  local: (path: string) => string
}

/** What `init` did here, as far as it is still there: what it would still write is missing, and nothing is written. */
export async function lookAtSetup(where: Where, config: Config) {
  const { place, repo } = where
  const { record, isLost } = await readSetupRecord(repo.commonDir)
  const owners = new Set(
    Object.values(record.files).flatMap(({ edits }) => edits.flatMap((one) => one.owners)),
  )
  const able = adapters.filter(({ setup }) => setup !== undefined)
  const wishes = able.map(({ id, setup }) => ({
    owner: id,
    edits: setup?.(setupPlace(place, repo.root, id)) ?? [],
  }))
  const agents = wishes.map(async ({ owner, edits }) => {
    const others = wishes.flatMap((one) => (one.owner === owner ? [] : one.edits.map(({ path }) => path)))
    const wish = { owner, edits, isKnown: owners.has(owner), shared: new Set(others) }
    return [owner, await agentSetup(where, record, wish)] as const
  })
  const here = {
    runner: await lookAtRunner(where),
    /** Agents that `init` set up in this clone, by id; null when its record cannot be read. */
    setUp: isLost ? null : able.map(({ id }) => id as string).filter((id) => owners.has(id)),
    gitHooks: await lookAtGitHooks(where, config, record),
  }
  return { here, agents: new Map<string, AgentSetup>(await Promise.all(agents)) }
}

/** What `init` would still write, and what it would leave alone. */
async function missingOf(where: Where, record: SetupRecord, owner: string, edits: SetupEdit[]) {
  const wishes = [{ owner, edits }]
  const here = around(where, where.repo, where.roots)
  const { changes, left, same } = await planEdits({
    wishes,
    record,
    known: [],
    ...here,
    looks: owner === GIT,
  })
  return {
    same,
    missing: changes.map(({ path }) => where.name(path)),
    left: left.map(({ path, reason }) => ({ path: where.name(path), reason })),
  }
}

/** `shared`: paths that other agents have too; what stands there may be for them alone. */
async function agentSetup(
  where: Where,
  record: SetupRecord,
  wish: { owner: string; edits: SetupEdit[]; isKnown: boolean; shared: ReadonlySet<string> },
): Promise<AgentSetup> {
  const { owner, edits, isKnown, shared } = wish
  try {
    const { same, missing, left } = await missingOf(where, record, owner, edits)
    const isWhole = missing.length === 0 && left.length === 0
    return {
      state: isWhole ? 'done' : isKnown || same.some((path) => !shared.has(path)) ? 'partly' : 'none',
      missing,
      left,
      problem: null,
    }
  } catch (error) {
    const { message } = asFinding(error)
    return { state: isKnown ? 'partly' : 'none', missing: [], left: [], problem: message }
  }
}

/** The installation that the hooks of this clone call. */
async function lookAtRunner({ repo, name }: Where) {
  const text = await readPrivate(repo.commonDir, 'hook')
  if (text === null) return null
  const called = parseRunner(text) ?? { node: '', program: '' }
  return {
    path: name(join(privateFolder(repo.commonDir), 'hook')),
    node: { path: called.node, isThere: called.node === '' || isProgram(called.node) },
    program: {
      path: called.program,
      isThere: existsSync(called.program),
      version: packageOf(called.program)?.version ?? null,
      /** It lies in the private folder, where no checkout can change it. */
      isCopy: called.program.startsWith(join(privateFolder(repo.commonDir), PROGRAMS)),
    },
    /** It says what this version would write. */
    isCurrent: text === runnerText(called),
    /** Git knows here what `init` sets. */
    hasAliases: await hasAliases(repo),
  }
}

async function lookAtGitHooks(where: Where, config: Config, record: SetupRecord) {
  const { repo, name, local } = where
  const setup = await planGitHooks(repo, config, { asked: undefined, marks: record.marks })
  const { missing, left } = await missingOf(where, record, GIT, setup.edits)
  const folder = resolve(
    repo.root,
    (await repo.git(['rev-parse', '--git-path', 'hooks'])).replace(/\r?\n$/, ''),
  )
  const isOurs = setup.manager === 'plain'
  const written = setup.events.map((event) => join(folder, event)).filter((path) => existsSync(path))
  return {
    manager: setup.manager as string,
    where: setup.where === null ? null : name(setup.where),
    /** Somebody asked for none. */
    isUnwanted: record.marks.includes('git-hooks=none'),
    missing,
    left,
    /** Events that git does not call, though they are configured. */
    uncalled:
      isOurs || setup.manager === 'none'
        ? []
        : setup.events.filter((event) => !calls(join(folder, event), setup)),
    /** Files of hooks that are not executable. */
    closed: isOurs ? written.filter((path) => !isProgram(path)).map(local) : [],
    /** How the manager is told to call them. */
    activate: setup.activate,
    warnings: setup.warnings,
  }
}

/** Whether the hook that git runs is that of the manager; husky is active or not as a whole. */
function calls(path: string, { manager, activate }: GitHookSetup): boolean {
  if (manager === 'husky') return activate === null
  return orNull(() => readFileSync(path, 'utf8'))?.includes(manager) === true
}

const isProgram = (path: string): boolean =>
  isAbsolute(path) && orNull(() => accessSync(path, constants.X_OK)) !== null
