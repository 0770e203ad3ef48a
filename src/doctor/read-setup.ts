import { accessSync, constants, existsSync, readFileSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'
import { adapters } from '../agents/table.ts'
import { orNull } from '../git/files.ts'
import type { Repo } from '../git/open-repo.ts'
import { type Plan, planEdits } from '../hooks/plan.ts'
import type { SetupRecord } from '../hooks/record.ts'
import { parseRunner, runnerText } from '../hooks/runner.ts'
import { setupPlace } from '../init/init-agents.ts'
import { GIT, planGitHooks } from '../init/init-git-hooks.ts'
import { around } from '../init/init-plan.ts'
import { readSetupRecord } from '../init/init-record.ts'
import { privateFolder, readPrivate } from '../store/private.ts'
import type { SetupEdit } from '../types/agent.ts'
import type { Config } from '../types/config.ts'
import type { Place } from '../types/place.ts'
import { packageOf } from '../workspace/find-program.ts'
import { PROGRAMS } from '../workspace/keep-program.ts'
import { asFinding } from './check.ts'
import type { AgentFacts, GitHookFacts, RunnerFacts } from './facts.ts'

/** What `init` did here, as far as it still stands. */
export interface SetupHere {
  runner: RunnerFacts | null
  setUp: string[] | null
  gitHooks: GitHookFacts
  agents: ReadonlyMap<string, Promise<NonNullable<AgentFacts['setup']>>>
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

/** What `init` would still write is what is missing: nothing is written. */
export async function lookAtSetup(where: Where, config: Config): Promise<SetupHere> {
  const { place, repo } = where
  const { record, isLost } = await readSetupRecord(repo.commonDir)
  const owners = new Set(
    Object.values(record.files).flatMap(({ edits }) => edits.flatMap((one) => one.owners)),
  )
  const able = adapters.filter(({ setup }) => setup !== undefined)
  const agents = able.map(({ id, setup }) => {
    const edits = setup?.(setupPlace(place, repo.root, id)) ?? []
    return [id, agentSetup(where, record, { owner: id, edits, isKnown: owners.has(id) })] as const
  })
  return {
    runner: await lookAtRunner(where),
    setUp: isLost ? null : able.map(({ id }) => id).filter((id) => owners.has(id)),
    gitHooks: await lookAtGitHooks(where, config, record),
    agents: new Map(agents),
  }
}

const planFor = (where: Where, record: SetupRecord, owner: string, edits: SetupEdit[]): Promise<Plan> =>
  planEdits({ wishes: [{ owner, edits }], record, known: [], ...around(where, where.repo, where.roots) })

async function agentSetup(
  where: Where,
  record: SetupRecord,
  { owner, edits, isKnown }: { owner: string; edits: SetupEdit[]; isKnown: boolean },
): Promise<NonNullable<AgentFacts['setup']>> {
  try {
    const { changes, left, same } = await planFor(where, record, owner, edits)
    const missing = changes.map(({ path }) => where.name(path))
    const isWhole = changes.length === 0 && left.length === 0
    return {
      state: isWhole ? 'done' : isKnown || same.length > 0 ? 'partly' : 'none',
      missing,
      left: left.map(({ path, reason }) => ({ path: where.name(path), reason })),
      problem: null,
    }
  } catch (error) {
    const { message } = asFinding(error)
    return { state: isKnown ? 'partly' : 'none', missing: [], left: [], problem: message }
  }
}

async function lookAtRunner({ repo, name }: Where): Promise<RunnerFacts | null> {
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
      isCopy: called.program.startsWith(join(privateFolder(repo.commonDir), PROGRAMS)),
    },
    isCurrent: text === runnerText(called),
  }
}

async function lookAtGitHooks(where: Where, config: Config, record: SetupRecord): Promise<GitHookFacts> {
  const { repo, name, local } = where
  const setup = await planGitHooks(repo, config, { asked: undefined, marks: record.marks })
  const plan = await planFor(where, record, GIT, setup.edits)
  const folder = resolve(
    repo.root,
    (await repo.git(['rev-parse', '--git-path', 'hooks'])).replace(/\r?\n$/, ''),
  )
  const isOurs = setup.manager === 'plain'
  const written = setup.events.map((event) => join(folder, event)).filter((path) => existsSync(path))
  return {
    manager: setup.manager,
    where: setup.where === null ? null : name(setup.where),
    isUnwanted: record.marks.includes('git-hooks=none'),
    missing: plan.changes.map(({ path }) => name(path)),
    left: plan.left.map(({ path, reason }) => ({ path: name(path), reason })),
    uncalled:
      isOurs || setup.manager === 'none'
        ? []
        : setup.events.filter((event) => !calls(join(folder, event), setup)),
    closed: isOurs ? written.filter((path) => !isProgram(path)).map(local) : [],
    activate: /`([^`]+)`/.exec(setup.todo[0] ?? '')?.[1] ?? null,
    warnings: setup.warnings,
  }
}

/** Whether the hook that git runs is that of the manager; husky is active or not as a whole. */
function calls(path: string, { manager, todo }: { manager: string; todo: readonly string[] }): boolean {
  if (manager === 'husky') return todo.length === 0
  return orNull(() => readFileSync(path, 'utf8'))?.includes(manager) === true
}

const isProgram = (path: string): boolean =>
  isAbsolute(path) && orNull(() => accessSync(path, constants.X_OK)) !== null
