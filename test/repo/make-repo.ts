import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll } from 'vitest'

const made: string[] = []
afterAll(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
})

/** A real repository in a temporary folder, with a home and a git configuration of its own. */
export interface TempRepo {
  /** Folder that holds everything of this test; removed after the file. */
  base: string
  /** Top level of the work tree, real path. */
  root: string
  home: string
  /** Environment to hand to the code under test and to every child. */
  env: Record<string, string>
  /** Runs git in `root` (or `options.cwd`) and returns its output without the last newline; throws when it fails. */
  git(args: string[], options?: { cwd?: string; input?: string; env?: Record<string, string> }): string
  /** Like `git`, but returns the exit status instead of throwing. */
  tryGit(
    args: string[],
    options?: { cwd?: string; input?: string },
  ): { status: number; stdout: string; stderr: string }
  write(path: string, content: string | Buffer): void
  read(path: string): string
  /** Writes the files, stages everything and commits; returns the commit id. */
  commit(subject: string, files?: Record<string, string>): string
}

export interface TempRepoOptions {
  /** First branch; default `main`. */
  branch?: string
  /** Make a first commit with `a.txt`; default true. */
  initial?: boolean
  /** More arguments for `git init`. */
  init?: string[]
  /** Folder name of the work tree; default `repo`. */
  name?: string
}

/** An empty temporary folder (real path), removed after the test file. */
export function makeFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'handoff-')))
  made.push(folder)
  return folder
}

/** An environment that knows nothing of this machine: own home, own git configuration, signing and maintenance off. */
export function makeEnv(home: string): Record<string, string> {
  mkdirSync(home, { recursive: true })
  const config = join(home, '.gitconfig')
  writeFileSync(
    config,
    `[user]\n\tname = Dev One\n\temail = dev@example.com\n[init]\n\tdefaultBranch = main\n[commit]\n\tgpgSign = false\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n[protocol "file"]\n\tallow = always\n[advice]\n\tdetachedHead = false\n`,
  )
  return {
    PATH: process.env.PATH ?? '',
    HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    GIT_CONFIG_GLOBAL: config,
    GIT_CONFIG_NOSYSTEM: '1',
    TZ: 'UTC',
    LC_ALL: 'C',
    ...(process.env.HANDOFF_TEST_CACHE === undefined
      ? {}
      : { XDG_CACHE_HOME: process.env.HANDOFF_TEST_CACHE }),
  }
}

/** Makes a repository; by default with one commit on `main`. */
export function makeRepo(options: TempRepoOptions = {}): TempRepo {
  const base = makeFolder()
  const root = join(base, options.name ?? 'repo')
  mkdirSync(root)
  const repo = atFolder(base, root, makeEnv(join(base, 'home')))
  repo.git(['init', '-q', '-b', options.branch ?? 'main', ...(options.init ?? [])])
  if (options.initial !== false) repo.commit('first', { 'a.txt': 'a\n' })
  return repo
}

const FIRST_COMMIT = Date.parse('2026-11-20T08:00:00Z')
let commits = 0

/** The same handles for another work tree (clone, linked worktree, submodule) that exists already. */
export function atFolder(base: string, root: string, env: Record<string, string>): TempRepo {
  const run: TempRepo['git'] = (args, extra = {}) =>
    execFileSync('git', args, {
      cwd: extra.cwd ?? root,
      env: { ...env, ...extra.env },
      input: extra.input ?? '',
      encoding: 'utf8',
      stdio: ['pipe', 'pipe', 'pipe'],
      maxBuffer: 1 << 28,
    }).replace(/\n$/, '')
  const write: TempRepo['write'] = (path, content) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  return {
    base,
    root,
    home: env.HOME ?? base,
    env,
    git: run,
    tryGit(args, extra) {
      try {
        return { status: 0, stdout: run(args, extra), stderr: '' }
      } catch (error) {
        const failed = error as { status?: number | null; stdout?: string; stderr?: string }
        return { status: failed.status ?? -1, stdout: failed.stdout ?? '', stderr: failed.stderr ?? '' }
      }
    },
    write,
    read: (path) => readFileSync(join(root, path), 'utf8'),
    commit(subject, files = {}) {
      for (const [path, content] of Object.entries(files)) write(path, content)
      run(['add', '-A'])
      // Long before every session of a test: by the clock of the machine some would come to lie inside one, once a day.
      const date = new Date(FIRST_COMMIT + 60_000 * commits++).toISOString()
      const dates = { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date }
      run(['commit', '-q', '--allow-empty', '-m', subject], { env: dates })
      return run(['rev-parse', 'HEAD'])
    },
  }
}
