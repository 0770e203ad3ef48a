import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const made: string[] = []
/** Folders that later files of tests copy from, too. */
const kept: string[] = []
const remove = (folders: string[]): void => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
}
/** What `clean-up.ts` does after each file of tests. */
export const forgetMade = (): void => remove(made)
process.on('exit', () => remove(kept))

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
  /** Files of a second commit, `queue`. */
  second?: Record<string, string>
  /** More arguments for `git init`. */
  init?: string[]
  /** Folder name of the work tree; default `repo`. */
  name?: string
}

/** An empty temporary folder (real path), removed after the test file; `list` keeps it for longer. */
export function makeFolder(list = made): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'handoff-')))
  list.push(folder)
  return folder
}

/** An environment that knows nothing of this machine: own home, own git configuration, signing and maintenance off. */
export function makeEnv(home: string): Record<string, string> {
  mkdirSync(home, { recursive: true })
  writeFileSync(
    join(home, '.gitconfig'),
    `[user]\n\tname = Dev One\n\temail = dev@example.com\n[init]\n\tdefaultBranch = main\n[commit]\n\tgpgSign = false\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n[protocol "file"]\n\tallow = always\n[advice]\n\tdetachedHead = false\n`,
  )
  return envOf(home)
}

function envOf(home: string): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    GIT_CONFIG_GLOBAL: join(home, '.gitconfig'),
    GIT_CONFIG_NOSYSTEM: '1',
    TZ: 'UTC',
    LC_ALL: 'C',
    ...(process.env.HANDOFF_TEST_CACHE === undefined
      ? {}
      : { XDG_CACHE_HOME: process.env.HANDOFF_TEST_CACHE }),
  }
}

/** The repository of each set of options, as it was when it was new: a copy costs no start of git. */
const templates = new Map<string, string>()
const COPY = {
  recursive: true,
  preserveTimestamps: true,
  verbatimSymlinks: true,
  filter: (from: string) => !from.endsWith('.sample'),
}

/** Makes a repository; by default with one commit on `main`. */
export function makeRepo({ name = 'repo', ...options }: TempRepoOptions = {}): TempRepo {
  const base = makeFolder()
  const repo = atFolder(base, join(base, name), makeEnv(join(base, 'home')))
  const key = JSON.stringify(options)
  const template = templates.get(key)
  if (template !== undefined) {
    cpSync(template, repo.root, COPY)
    refreshIndex(repo)
    return repo
  }
  mkdirSync(repo.root)
  repo.git(['init', '-q', '-b', options.branch ?? 'main', ...(options.init ?? [])])
  if (options.initial !== false) repo.commit('first', { 'a.txt': 'a\n' })
  if (options.second) repo.commit('queue', options.second)
  // What else `init` is told may lie elsewhere.
  if (options.init === undefined) {
    const template = makeFolder(kept)
    cpSync(repo.root, template, COPY)
    templates.set(key, template)
  }
  return repo
}

/**
 * Git knows files again by their times and numbers: those of the copies are written into the index, where each file is as it was when it
 * was added, for a start of git less.
 */
function refreshIndex(repo: Pick<TempRepo, 'root' | 'tryGit'>): void {
  const path = join(repo.root, '.git/index')
  if (existsSync(path) && !renumber(path, repo.root)) repo.tryGit(['update-index', '-q', '--refresh'])
}

function renumber(path: string, root: string): boolean {
  const index = readFileSync(path)
  // Others have entries of another form.
  if (index.readUInt32BE(4) !== 2) return false
  for (let entry = 0, at = 12; entry < index.readUInt32BE(8); entry++) {
    const end = index.indexOf(0, at + 62)
    const file = Buffer.concat([Buffer.from(`${root}/`), index.subarray(at + 62, end)])
    const stat = lstatSync(file, { throwIfNoEntry: false })
    const [added, size] = [1000 * index.readUInt32BE(at + 8) + index.readUInt32BE(at + 12) / 1e6, at + 36]
    // A copy has the time of its file, in whole milliseconds.
    if (!stat || Math.abs(stat.mtimeMs - added) > 1 || stat.size !== index.readUInt32BE(size)) return false
    const { ctimeNs, mtimeNs, dev, ino } = lstatSync(file, { bigint: true })
    const times = [ctimeNs, mtimeNs].flatMap((time) => [time / 1_000_000_000n, time % 1_000_000_000n])
    for (const [field, value] of [...times, dev, ino].entries())
      index.writeUInt32BE(Number(BigInt.asUintN(32, value)), at + 4 * field)
    at += (end - at + 8) & ~7
  }
  createHash('sha1')
    .update(index.subarray(0, -20))
    .digest()
    .copy(index, index.length - 20)
  writeFileSync(path, index)
  return true
}

/**
 * What `make` gives, where many tests of a file begin with the same: the first call with these arguments makes it, every later one brings
 * the folders that were made for it back to what they were then. So a test can have it once at a time.
 */
export function prepared<A extends unknown[], T>(
  make: (...args: A) => Promise<T>,
): (...args: A) => Promise<T> {
  const known = new Map<string, { value: T; folders: [folder: string, copy: string][] }>()
  return async (...args) => {
    const key = JSON.stringify(args)
    const former = known.get(key)
    if (former === undefined) {
      const before = made.length
      const value = await make(...args)
      const folders = made.slice(before).map((folder): [string, string] => [folder, makeFolder(kept)])
      for (const [folder, copy] of folders) cpSync(folder, copy, COPY)
      known.set(key, { value, folders })
      return value
    }
    for (const [folder, copy] of former.folders) {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
      cpSync(copy, folder, COPY)
      if (!made.includes(folder)) made.push(folder)
      for (const name of readdirSync(folder))
        refreshIndex(atFolder(folder, join(folder, name), envOf(join(folder, 'home'))))
    }
    return former.value
  }
}

/** A clone beside a repository: of another person, with a home of their own, unless it is told whose. */
export function cloneOf(
  origin: TempRepo,
  { name = 'clone', args = [], env }: { name?: string; args?: string[]; env?: Record<string, string> } = {},
): TempRepo {
  const root = join(origin.base, name)
  origin.git(['clone', '-q', ...args, `file://${origin.root}`, root])
  return atFolder(origin.base, root, env ?? makeEnv(join(origin.base, `${name}-home`)))
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
      return idOfHead(root) ?? run(['rev-parse', 'HEAD'])
    },
  }
}

/** Writes a file of the person's own folder of handoff, such as `config.yaml`. */
export function writeOwn({ home }: Pick<TempRepo, 'home'>, path: string, text: string): void {
  const file = join(home, '.config', 'handoff', path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** The branch of HEAD; null when detached. */
export function branchOfHead({ root, tryGit }: Pick<TempRepo, 'root' | 'tryGit'>): string | null {
  const file = join(root, '.git/HEAD')
  if (!existsSync(file)) return tryGit(['symbolic-ref', '--short', '-q', 'HEAD']).stdout || null
  return /^ref: refs\/heads\/(.*)\n$/.exec(readFileSync(file, 'utf8'))?.[1] ?? null
}

/** The commit of HEAD, read from its file; null where that lies elsewhere, as in a linked work tree. */
export function idOfHead(root: string): string | null {
  const fileOf = (name: string) => join(root, '.git', name)
  if (!existsSync(fileOf('HEAD'))) return null
  const head = readFileSync(fileOf('HEAD'), 'utf8').trim()
  if (!head.startsWith('ref: ')) return head
  const ref = fileOf(head.slice(5))
  return existsSync(ref) ? readFileSync(ref, 'utf8').trim() : null
}
