import { gitFailed } from '../errors/git.ts'
import type { GitChange, GitState } from '../types/git.ts'
import { BRIEFS } from './files.ts'
import { checkObjects } from './objects.ts'
import type { Repo } from './open-repo.ts'
import { hasCommits, readHead } from './refs.ts'

/** The status with every untracked file, or of these paths alone, byte for byte. Throws `gitFailed`. */
export async function readStatus(
  repo: Repo,
  paths: readonly string[] = [],
  isAgain = false,
): Promise<Status> {
  const args = ['status', '--porcelain=v2', '-z', '--branch', '--untracked-files=all', '--find-renames']
  if (paths.length > 0) args.push('--', ...paths)
  const status = await withoutBrokenFilters(async (config) =>
    parseStatus(await repo.git([...config, ...args])),
  )
  // So git calls a HEAD that it could not read (git 2.39); a first commit may have come meanwhile.
  const isUnknown = status.branch === '(unknown)' && !/\/\(unknown\)$/.test((await readHead(repo)).ref)
  const isDoubtful = status.head === null || isUnknown
  if (!isDoubtful || !(await hasCommits(repo))) return status
  if (isAgain) throw gitFailed(['status'], 'HEAD cannot be read')
  return readStatus(repo, paths, true)
}

/** Runs git, and again without each filter whose program is missing (LFS not installed): git itself gives up then. */
export async function withoutBrokenFilters<T>(
  run: (config: readonly string[]) => Promise<T>,
  broken: readonly string[] = [],
): Promise<T> {
  const config = broken
    .flatMap((name) => [`${name}.clean=`, `${name}.process=`, `${name}.required=false`])
    .flatMap((entry) => ['-c', `filter.${entry}`])
  try {
    return await run(config)
  } catch (error) {
    const name =
      error instanceof Error ? /clean filter '([^'=\n]+)' failed/.exec(error.message)?.[1] : undefined
    if (name === undefined || broken.includes(name)) throw error
    return withoutBrokenFilters(run, [...broken, name])
  }
}

/** What `git status --porcelain=v2 -z --branch` says; `head` is null when unborn, `branch` when detached. */
export type Status = Pick<GitState, 'head' | 'branch' | 'upstream' | 'ahead' | 'behind' | 'changes'>

/** Fields before the path, by the kind of a record (git-status manual, "Porcelain Format Version 2"). */
const FIELDS: Readonly<Record<string, number>> = { '1': 8, '2': 9, u: 10, '?': 1 }

function parseStatus(text: string): Status {
  const headers = new Map<string, string>()
  const changes: GitChange[] = []
  const records = text.split('\0')
  for (let at = 0; at < records.length; at++) {
    const record = records[at] ?? ''
    const [kind = ''] = record
    const parts = record.split(' ')
    const path = parts.slice(FIELDS[kind]).join(' ')
    if (kind === '#') headers.set(parts[1] ?? '', parts.slice(2).join(' '))
    // A repository inside this one is listed as a folder.
    else if (kind === '?')
      changes.push({ path: path.replace(/\/$/, ''), ...IN_WORK_TREE, state: 'untracked' })
    else if (kind === 'u') changes.push({ path, ...IN_WORK_TREE, state: 'conflicted' })
    else if (kind === '1') changes.push(ordinary(record, path))
    else if (kind === '2') {
      const state = parts[8]?.startsWith('C') ? 'added' : 'renamed'
      changes.push({ ...ordinary(record, path), from: records[++at] ?? '', state })
    }
  }
  const told = (key: string, nothing: string): string | null => {
    const value = headers.get(`branch.${key}`) ?? nothing
    return value === nothing ? null : value
  }
  const counts = /^\+(\d+) -(\d+)$/.exec(headers.get('branch.ab') ?? '')
  return {
    head: told('oid', '(initial)'),
    branch: told('head', '(detached)'),
    upstream: told('upstream', ''),
    ahead: counts === null ? null : Number(counts[1]),
    behind: counts === null ? null : Number(counts[2]),
    changes,
  }
}

const IN_WORK_TREE = { staged: false, unstaged: true }

function ordinary(record: string, path: string): GitChange {
  const [, , index = '.', tree = '.'] = record
  const has = (letter: string) => index === letter || tree === letter
  const state = has('D') ? 'deleted' : has('A') ? 'added' : has('T') ? 'type-changed' : 'modified'
  return { path, staged: index !== '.', unstaged: tree !== '.', state }
}

/** A path of the kind that git must not ignore. */
export const SOME_BRIEF = `${BRIEFS}/20000101T000000-00000000-x.md`

/** The rule that makes git ignore a path, as `file:line: pattern`, or null; asked as if nothing were tracked. */
export const isIgnored = async (repo: Repo, path: string): Promise<string | null> =>
  (await ignoredAmong(repo, [path], ['--no-index'])).get(path) ?? null

/** Of these paths those that git would not add, each with the rule. */
export async function ignoredAmong(
  repo: Repo,
  paths: readonly string[],
  flags: readonly string[] = [],
): Promise<Map<string, string>> {
  if (paths.length === 0) return new Map()
  const args = ['check-ignore', '-v', '-z', ...flags, '--stdin']
  const input = paths.map((path) => `${path}\0`).join('')
  const found = await repo.git(args, { input, env: PLAIN_PATHS, answers: [1] })
  const rows = found.matchAll(/([^\0]*)\0([^\0]*)\0([^\0]*)\0([^\0]*)\0/g)
  return new Map(
    [...rows].flatMap(([, source, line, pattern = '', path = '']) =>
      pattern.startsWith('!') ? [] : [[path, `${source}:${line}: ${pattern}`]],
    ),
  )
}

/** These commands take plain paths only and refuse the variable. */
const PLAIN_PATHS = { GIT_LITERAL_PATHSPECS: undefined }

/** What git makes of one attribute of a path in the work tree: its value, or null when it is not set. Throws `gitFailed`. */
export async function attributeOf(repo: Repo, name: string, path: string): Promise<string | null> {
  const text = await repo.git(['check-attr', '-z', name, '--', path], { env: PLAIN_PATHS })
  const value = text.split('\0')[2]
  return value === undefined || value === 'unspecified' || value === 'unset' ? null : value
}

/** Those of the texts that stand in a file of the work tree that git does not ignore, our own left out, or name a branch, tag or commit. */
export async function inTree(
  repo: Repo,
  texts: readonly string[],
  except: string | null = null,
): Promise<Set<string>> {
  if (texts.length === 0) return new Set()
  const grep = ['grep', '-o', '-I', '-F', '--untracked', ...texts.flatMap((text) => ['-e', text])]
  const [hits, objects] = await Promise.all([
    repo.git(grep, { answers: [1] }),
    checkObjects(
      repo,
      texts.map((text) => `${text}^{commit}`),
    ),
  ])
  const lines = hits
    .split('\n')
    .filter((line) => !line.startsWith('.handoff/') && !(except !== null && line.startsWith(`${except}:`)))
  return new Set(
    texts.filter((text, at) => objects[at] != null || lines.some((line) => line.endsWith(`:${text}`))),
  )
}
