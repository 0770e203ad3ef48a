import { existsSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import {
  bareRepository,
  dubiousOwner,
  gitDirIgnored,
  gitFailed,
  gitTooOld,
  noSuchFolder,
  notARepository,
} from '../errors/git.ts'
import { isHandoffError, orNull } from '../errors/handoff-error.ts'
import type { Ended } from '../programs.ts'
import { gitEnvironment } from './environment.ts'
import { type GitOptions, gitText, runGit } from './git.ts'
import { type ObjectReader, openObjects } from './objects.ts'

/** One worktree of one repository. All paths are absolute. */
export interface Repo {
  /** Real path of the top level. */
  root: string
  /** The git directory of this worktree. */
  gitDir: string
  /** The git directory that all worktrees share. */
  commonDir: string
  indexPath: string
  objectFormat: 'sha1' | 'sha256'
  shallow: boolean
  /** The caller's environment, as given. */
  env: Readonly<Record<string, string | undefined>>
  signal: AbortSignal | undefined
  /** Names that the configuration of handoff gives the branches that finished work goes into, set by who reads it; empty: found by themselves. */
  trunks: readonly string[]
  /** Runs git in `root` and returns what it prints. Throws `gitFailed` for an exit status other than 0 and those in `answers`. */
  git(
    args: readonly string[],
    options?: Partial<GitOptions> & { answers?: readonly number[] },
  ): Promise<string>
  /** Runs git in `root`, whatever its exit status; see `runGit`. */
  run(args: readonly string[], options?: Partial<GitOptions>): Promise<Ended>
  /** Options for a git in `root`: the cleaned environment, and what is added here. */
  child(extra?: Partial<GitOptions>): GitOptions
  /** Reads objects as they were committed, and starts a process for all of them when it is asked first. */
  objects: ObjectReader
  /** What does not change while a command runs; see `remember`. */
  memory: Map<string, Promise<unknown>>
}

/** Oldest git that has every option used in this room. */
const OLDEST = [2, 30] as const
/** Says nothing at the end; git before 2.31 does not know it and prints it, and only then is its version asked for. */
const NEWER = '--path-format=absolute'

const FLAGS =
  '--is-bare-repository --is-inside-work-tree --is-shallow-repository --show-object-format ' +
  '--absolute-git-dir --git-common-dir --git-path index --show-toplevel'

/**
 * Opens the repository that `cwd` lies in. Throws `noSuchFolder`, `notARepository`, `bareRepository`, `dubiousOwner`, `gitMissing`,
 * `gitTooOld`.
 */
export async function openRepo(
  cwd: string,
  options: {
    env: Readonly<Record<string, string | undefined>>
    signal?: AbortSignal | undefined
    /** Called with the name of a git command that gives no answer for long. */
    slow?: (command: string) => void
  },
): Promise<Repo> {
  const { env, signal, slow } = options
  const here = { cwd, env: gitEnvironment(env), signal, slow }
  if (orNull(() => statSync(cwd))?.isDirectory() !== true) throw noSuchFolder(cwd)
  const flags = FLAGS.split(' ')
  const facts = await runGit(['rev-parse', ...flags, NEWER], here)
  const lines = facts.stdout.toString('utf8').split('\n')
  if (facts.code !== 0 || lines.length !== flags.length) {
    checkVersion((await runGit(['version'], here)).stdout.toString('utf8'))
    if (lines.at(-2) === NEWER) lines.splice(-2, 1)
  }
  if (facts.code !== 0 || lines[0] === 'true' || lines[1] !== 'true')
    throw reasonNotOpened(cwd, facts, lines, env.GIT_DIR)
  if (lines.length !== flags.length)
    throw gitFailed(['rev-parse'], 'the path of the repository holds a line break')
  const [, , shallow, format, gitDir = '', common = '', index = '', root = ''] = lines
  const place = {
    root,
    gitDir,
    commonDir: resolve(cwd, common),
    indexPath: resolve(cwd, index),
    objectFormat: format === 'sha256' ? 'sha256' : 'sha1',
    shallow: shallow === 'true',
    env,
    trunks: [],
    memory: new Map(),
  } as const
  return withCalls(place, { signal, slow })
}

function withCalls(
  place: Omit<Repo, 'signal' | 'git' | 'run' | 'child' | 'objects'> & { objects?: ObjectReader },
  watched: Pick<GitOptions, 'signal' | 'slow'>,
): Repo {
  const base = gitEnvironment(place.env)
  const child: Repo['child'] = (extra = {}) => ({
    ...{ cwd: place.root, ...watched },
    ...extra,
    env: { ...base, ...extra.env },
  })
  return {
    ...place,
    signal: watched.signal,
    git: (args, { answers = [], ...extra } = {}) => gitText(args, { ...child(extra), answers }),
    run: (args, extra) => runGit(args, child(extra)),
    child,
    objects: (place.objects ?? openObjects(child)).withSignal(watched.signal),
  }
}

/** The same for what comes after a branch has moved or a file was changed: a cancel then takes nothing back, so it ends nothing either. */
export const withoutAbort = (repo: Repo): Repo =>
  repo.signal === undefined ? repo : withCalls(repo, { signal: undefined, slow: repo.child().slow })

function checkVersion(text: string): void {
  const found = /(\d+)\.(\d+)\S*/.exec(text)
  const [whole = text.trim(), major = '0', minor = '0'] = found ?? []
  if (Number(major) < OLDEST[0] || (Number(major) === OLDEST[0] && Number(minor) < OLDEST[1]))
    throw gitTooOld(whole)
}

function reasonNotOpened(cwd: string, facts: Ended, lines: string[], gitDir = ''): Error {
  if (/dubious ownership/.test(facts.stderr)) return dubiousOwner(cwd)
  if (lines[0] === 'true' || /cannot use bare repository|must be run in a work tree/.test(facts.stderr))
    return bareRepository(cwd)
  if (/not a git repository/i.test(facts.stderr)) {
    const head = nearestAbove(cwd, '.git/HEAD')
    if (head === null) return gitDir === '' ? notARepository(cwd) : gitDirIgnored(cwd)
    return gitFailed(
      ['rev-parse'],
      `${facts.stderr.trim()}; ${dirname(head)} is there, but git cannot read it`,
    )
  }
  return gitFailed(['rev-parse'], facts.stderr || 'no answer')
}

/** What has this name in a folder, or in the nearest one above it. */
export function nearestAbove(folder: string, name: string): string | null {
  const found = join(folder, name)
  if (existsSync(found)) return found
  const above = dirname(folder)
  return above === folder ? null : nearestAbove(above, name)
}

/** The version of git on PATH, e.g. `2.39.5`; empty when it does not say one, null when there is none. Rejects with the signal's reason. */
export const gitVersion = (
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal | undefined,
): Promise<string | null> =>
  runGit(['version'], { cwd, env: gitEnvironment(env), signal, timeout: 10_000 }).then(
    ({ stdout }) => /\d+\.\d+\S*/.exec(stdout.toString('utf8'))?.[0] ?? '',
    (error: unknown) => {
      if (isHandoffError(error) && error.code === 'E_GIT_MISSING') return null
      throw error
    },
  )

const answers = new WeakSet<Repo>()

/** The same repository for one answer, while which no ref is moved: what `once` reads is read once, however many steps ask for it. */
export function forOneAnswer(repo: Repo): Repo {
  const still = { ...repo, memory: new Map(repo.memory) }
  answers.add(still)
  return still
}

export const isAnswer = (repo: Repo): boolean => answers.has(repo)

/** What `read` gives; in one answer the same for every further question of that name. */
export const once = <T>(repo: Repo, name: string, read: () => Promise<T>): Promise<T> =>
  isAnswer(repo) ? remember(repo, name, read) : read()

/** The same for what never changes while a command runs, in an answer or not; who changes it takes it out of the memory. */
export function remember<T>({ memory }: Repo, name: string, read: () => Promise<T>): Promise<T> {
  const found = (memory.get(name) as Promise<T> | undefined) ?? read()
  memory.set(name, found)
  found.catch(() => memory.delete(name))
  return found
}
