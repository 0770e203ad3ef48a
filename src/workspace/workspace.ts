import type { Invocation } from '../command.ts'
import { type LoadedConfig, loadConfig } from '../config/load.ts'
import { isHandoffError } from '../errors/handoff-error.ts'
import { deniedBy, takeOver } from '../errors/writing.ts'
import { forOneAnswer, nearestAbove, openRepo, type Repo } from '../git/open-repo.ts'
import { listWorktrees } from '../git/refs.ts'
import { type RepoSnapshot, takeSnapshot } from '../git/snapshot.ts'
import { ownerOfClosed, privateFolder } from '../private-folder.ts'

/** Where a command works: the repository (or none) and what is configured there. */
export interface Workspace {
  repo: Repo | null
  /** Top of the work tree, or the directory itself outside a repository. */
  root: string
  /** Tops of all worktrees, this one first. */
  roots: string[]
  loaded: LoadedConfig
  /** What git was asked while the configuration was read; null when nobody wanted that, or a person may be asked first. */
  reading: RepoSnapshot | null
}

/** A workspace that is a repository. */
export type RepoWorkspace = Workspace & { repo: Repo }

interface OpenOptions {
  flags?: Record<string, unknown>
  /** Ask git at once for what a brief is made of. */
  reads?: { writes: boolean }
  /** The command only answers: see `forOneAnswer`. */
  isAnswer?: boolean
}

/** Opens the repository around the current directory. Throws what opening and configuration throw. */
export async function openWorkspace(
  invocation: Invocation,
  options: OpenOptions = {},
): Promise<RepoWorkspace> {
  const opened = await open(invocation)
  const repo = options.isAnswer === true ? forOneAnswer(opened) : opened
  // A person at a terminal may take minutes to answer, and git would have moved on.
  const isEarly = options.reads !== undefined && !invocation.out.interactive
  const reading = isEarly ? takeSnapshot(repo, options.reads) : null
  const [roots, loaded] = await Promise.all([listWorktrees(repo), configOf(invocation, repo, options.flags)])
  warnClosed(invocation, repo)
  return { repo, root: repo.root, roots, loaded, reading }
}

/** Says that records of handoff cannot be read here, and why. */
export function warnClosed({ out }: Pick<Invocation, 'out'>, { commonDir }: Repo): void {
  const owner = ownerOfClosed(commonDir)
  const folder = privateFolder(commonDir)
  if (owner !== null)
    out.warn(
      `${deniedBy(folder, owner)}: notes, trust and other records in it are not seen. ${takeOver(folder)}`,
    )
}

/** What is configured for a repository; what is odd about it is said. Throws what configuration throws. */
export async function configOf(
  { place, out }: Invocation,
  repo: Repo,
  flags: Record<string, unknown> = {},
): Promise<LoadedConfig> {
  const loaded = await loadConfig(place, { root: repo.root, flags })
  repo.trunks = loaded.config.trunk
  for (const warning of loaded.warnings) out.warn(warning)
  return loaded
}

/** The same, but a missing repository is fine: `repo` is null then. */
export async function openAnywhere(invocation: Invocation, options: OpenOptions = {}): Promise<Workspace> {
  try {
    return await openWorkspace(invocation, options)
  } catch (error) {
    const { root } = invocation.place
    if (!isHandoffError(error)) throw error
    // Outside a repository nothing is asked of git, but what is to be committed needs it.
    const isNone =
      error.code === 'E_GIT_MISSING' && options.reads?.writes !== true && nearestAbove(root, '.git') === null
    if (!isNone && error.code !== 'E_NO_REPOSITORY') throw error
    const loaded = await loadConfig(invocation.place, { root: null, flags: options.flags ?? {} })
    return { repo: null, root, roots: [root], loaded, reading: null }
  }
}

/** Says, once for each command of git, that it is waited for; `openRepo` calls it. */
export function waitingIn({ out }: Pick<Invocation, 'out'>): (command: string) => void {
  const told = new Set<string>()
  return (command) => {
    if (!told.has(command))
      out.say(`Waiting for \`git ${command}\`, which has not answered for 10 s; Ctrl-C cancels.`)
    told.add(command)
  }
}

function open({ place, out }: Invocation): Promise<Repo> {
  const { root, env, signal } = place
  // What has begun to write is not interrupted; a person should know what is waited for, and that it can be ended.
  const cancelling = (): void =>
    void setTimeout(
      () =>
        out.say('Waiting for what has begun to end; a second Ctrl-C stops at once and leaves it half done.'),
      PATIENCE,
    ).unref()
  signal?.addEventListener('abort', cancelling, { once: true })
  return openRepo(root, { env, slow: waitingIn({ out }), ...(signal === undefined ? {} : { signal }) })
}

/** Ms between a cancel and the word that something still works. */
const PATIENCE = 2000
