import { relative } from 'node:path'
import type { Invocation } from '../command.ts'
import { gitVersion, openRepo, type Repo } from '../git/open-repo.ts'
import { listWorktrees } from '../git/worktrees.ts'
import { isWithin } from '../hooks/target.ts'
import { nameOf } from '../init/init-tell.ts'
import { packageAround, packageFolder } from '../workspace/find-program.ts'
import { waitingIn, warnClosed } from '../workspace/workspace.ts'
import { asFinding } from './as-finding.ts'
import { lookAtAgents, outsideFolder, stateOf } from './read-agents.ts'
import { lookAtConfig } from './read-config.ts'
import { lookForModels, lookOnPath } from './read-programs.ts'
import { lookAtRepository } from './read-repo.ts'
import { lookAtSetup } from './read-setup.ts'

/** Everything that the checks judge, read once, so that a check is a pure look at it. */
export type Facts = Awaited<ReturnType<typeof gatherFacts>>['facts']
export type RepoFacts = NonNullable<Facts['repo']>
export type { AgentFacts } from './read-agents.ts'

/** Reads everything that is judged. Nothing is written and nothing asks the network. `root` is null outside of a repository. */
export async function gatherFacts({ place, out, version }: Invocation) {
  const [git, onPath, { repo, noRepo }] = await Promise.all([
    gitVersion(outsideFolder(place.home), place.env, place.signal),
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
    repo === null ? null : lookAtRepository({ place, repo, local }, config),
  ])
  return {
    root,
    config: rows,
    facts: {
      // Of the package, as that of every other installation is read.
      version: packageAround(packageFolder())?.version ?? version,
      /** What a command begins with so that it reaches this handoff from here. */
      call: out.named('git handoff'),
      node: process.versions.node as string,
      /** Null when there is no git on PATH; empty when it did not say its version. */
      git,
      home: { path: place.home, is: stateOf(place.home) },
      onPath,
      /** `HANDOFF=0` stands in the environment. */
      isOff: place.env.HANDOFF === '0',
      config: facts,
      models: lookForModels(top),
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
  place: Invocation['place'],
  slow: (command: string) => void,
): Promise<{ repo: Repo | null; noRepo: { message: string; hint: string } | null }> {
  const { root, env, signal } = place
  try {
    return { repo: await openRepo(root, { env, slow, ...(signal && { signal }) }), noRepo: null }
  } catch (error) {
    const { code, message, hint } = asFinding(error)
    if (code === 'E_NO_FOLDER') throw error
    const isTold = ['E_NO_REPOSITORY', 'E_GIT_MISSING', 'E_GIT_TOO_OLD'].includes(code)
    return { repo: null, noRepo: isTold ? null : { message, hint } }
  }
}
