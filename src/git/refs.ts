import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { badRevision, gitFailed, noCommonAncestor } from '../errors/git.ts'
import { orNull } from '../errors/handoff-error.ts'
import type { Ended } from '../programs.ts'
import { failure, type GitOptions } from './git.ts'
import type { GitObject } from './objects.ts'
import { isAnswer, once, type Repo } from './open-repo.ts'

/** What HEAD names in the end: the full name of a branch, born or not, or `HEAD` itself when detached. */
export async function readHead(repo: Repo): Promise<{ ref: string; text: string }> {
  const text = readFileSync(join(repo.gitDir, 'HEAD'), 'utf8')
  const ref = targetIn(text)
  // Other ref storages keep a file there that only says so; and a branch may be another name of one (`git symbolic-ref`).
  const isAlias =
    ref !== undefined && targetIn(orNull(() => readFileSync(join(repo.commonDir, ref), 'utf8')) ?? '')
  if (ref !== undefined && ref !== 'refs/heads/.invalid' && !isAlias) return { ref, text }
  const named = await repo.git(['symbolic-ref', '-q', 'HEAD'], { answers: [1] })
  return { ref: named.trim() || 'HEAD', text }
}

const targetIn = (text: string): string | undefined => /^ref: (refs\/heads\/.+)\n$/.exec(text)?.[1]

/** The name of a branch as people say it; null for `HEAD` and everything else that is no branch. */
export const branchName = (ref: string): string | null =>
  ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : null

/** False before the first commit of the current branch. Throws `gitFailed` when git cannot tell; rejects with the signal's reason. */
export const hasCommits = async (repo: Repo): Promise<boolean> => (await readCommit(repo, 'HEAD')) !== null

/**
 * The commit that HEAD, a ref or an id names; null for a branch that has none yet. Git also calls missing what it could not read, and
 * lists no ref that it could not open (git 2.39): one that is listed, or has a file that names one, is asked for again. Throws `gitFailed`.
 */
export async function readCommit(repo: Repo, rev: string): Promise<GitObject | null> {
  const ask = async () => (await repo.objects.read([`${rev}^{commit}`]))[0] ?? null
  const found = await ask()
  if (found !== null) return found
  const ref = rev === 'HEAD' ? (await readHead(repo)).ref : rev
  const isNone = async () => (await listRefs(repo, [ref])).every(({ name }) => name !== ref)
  if (ref.startsWith('refs/') && (await isNone()) && isTorn(join(repo.commonDir, ref))) return null
  const again = await ask()
  if (again === null) throw gitFailed(['cat-file'], `the commit of ${rev} cannot be read`)
  return again
}

/** Git that is asked about these commits; null where one is not here, or a partial clone may lack what it names. Throws `gitFailed` otherwise. */
export async function askAbout(
  repo: Repo,
  commits: readonly string[],
  args: readonly string[],
  options: Partial<GitOptions> = {},
): Promise<Ended | null> {
  const ended = await repo.run(args, options)
  if (ended.code === 0 || ended.code === 1) return ended
  const names = commits.map((commit) => `${commit}^{commit}`)
  if (isPartial(repo) || (await repo.objects.read(names)).includes(null)) return null
  throw failure(args, ended)
}

/** Where contents of old commits may have to be fetched first, which a question must not do. */
export const isPartial = ({ commonDir }: Repo): boolean =>
  orNull(() => readdirSync(join(commonDir, 'objects', 'pack')))?.some((name) =>
    name.endsWith('.promisor'),
  ) === true

export interface Worktree {
  /** Absolute top. */
  path: string
  /** Short name of its branch; null when HEAD is detached. */
  branch: string | null
}

/** Absolute tops of all worktrees of the repository, this one first; bare and prunable entries are left out. */
export async function listWorktrees(repo: Repo): Promise<string[]> {
  // The usual case needs no process: `.git` stands in the only worktree there is.
  const isOnly = repo.gitDir === join(repo.root, '.git') && repo.commonDir === repo.gitDir
  if (isOnly && !existsSync(join(repo.gitDir, 'worktrees'))) return [repo.root]
  return [...new Set([repo.root, ...(await readWorktrees(repo)).map(({ path }) => path)])]
}

/** All worktrees and what they have checked out; bare and prunable entries are left out. Throws `gitFailed`. */
export async function readWorktrees(repo: Repo): Promise<Worktree[]> {
  const text = await repo.git(['worktree', 'list', '--porcelain'])
  return text.split('\n\n').flatMap((block) => {
    const path = /^worktree (.+)$/m.exec(block)?.[1]
    const branch = /^branch refs\/heads\/(.+)$/m.exec(block)?.[1] ?? null
    return path === undefined || /^(?:bare$|prunable)/m.test(block) ? [] : [{ path, branch }]
  })
}

export interface Ref {
  /** Full name. */
  name: string
  oid: string
  /** Full name of the ref that a symbolic one names; empty for all others. */
  target: string
}

/** Names of the branch that others grow from. */
export const USUAL_NAMES = ['main', 'master', 'develop', 'trunk']

const COLLECTS =
  /^(?:main|master|develop|trunk|dev(?:el|elopment)?|next|staging|integration|(?:releases?|support|stable|maint(?:enance)?)(?:[/_-].*)?|v?\d+(?:\.(?:\d+|x))*)$/

/** A branch of that name collects finished work, as a trunk does: before a release, or for one. */
export const isCollecting = (name: string): boolean => COLLECTS.test(name)

/** What git writes for an object that is not there. */
export const zeroId = ({ objectFormat }: Pick<Repo, 'objectFormat'>): string =>
  '0'.repeat(objectFormat === 'sha256' ? 64 : 40)

/** One step of a transaction. `from` null: the ref must not exist; undefined: whatever it is; `to` null deletes it. */
export interface RefMove {
  /** Full name, or `HEAD` for a detached HEAD. */
  ref: string
  to: string | null
  from?: string | null
}

/**
 * Moves refs in one transaction, each only if it still is where it was (compare and swap), with `message` in the reflog. A symbolic ref
 * moves the branch that it names. Takes no abort signal: once begun it is finished. Throws `gitFailed` with git's words.
 */
export async function moveRefs(repo: Repo, moves: readonly RefMove[], message: string): Promise<void> {
  const lines = moves.map(({ ref, to, from }) => {
    const old = from === undefined ? '' : ` ${from ?? zeroId(repo)}`
    const option = ref === 'HEAD' ? 'option no-deref\n' : ''
    return `${option}${to === null ? `delete ${ref}` : `update ${ref} ${to}`}${old}\n`
  })
  // Git waits for locks of refs by itself.
  const args = ['-c', 'core.filesRefLockTimeout=1000', 'update-ref', '-m', message, '--stdin']
  await repo.git(args, { input: lines.join(''), signal: undefined })
}

const LINES = ['refs/heads', 'refs/remotes', 'refs/handoff']

/** Uncommitted work beside a brief lies under these: no line of work, so that only who asks for them is told of them. */
export const WORK = 'refs/handoff/work/'

/** The refs that fit one of the patterns, by name. Throws `gitFailed`. */
export async function readRefs(repo: Repo, patterns: readonly string[]): Promise<Ref[]> {
  const isPlain = patterns.every((pattern) => LINES.includes(pattern))
  if (!isAnswer(repo) || !isPlain) return listRefs(repo, patterns)
  const listing = once(repo, 'refs', () => listRefs(repo, LINES))
  return (await listing).filter(({ name }) => patterns.some((pattern) => name.startsWith(`${pattern}/`)))
}

async function listRefs(repo: Repo, patterns: readonly string[]): Promise<Ref[]> {
  const args = ['for-each-ref', '--format=%(refname) %(objectname) %(symref)', ...patterns]
  const ended = await repo.run(args)
  const broken = [...ended.stderr.matchAll(/ignoring broken ref (\S+)/g)]
  if (ended.code !== 0 || broken.some(([, name = '']) => !isTorn(join(repo.commonDir, name))))
    throw failure(args, ended)
  const lines = ended.stdout.toString('utf8').split('\n').slice(0, -1)
  const isAsked = patterns.some((pattern) => pattern.startsWith(WORK))
  return lines.flatMap((line) => {
    const [name = '', oid = '', target = ''] = line.split(' ')
    return name.startsWith(WORK) && !isAsked ? [] : [{ name, oid, target }]
  })
}

/** A power cut may leave the file of a ref empty. Git calls one broken that it could not read, too (git 2.39). */
const isTorn = (path: string): boolean =>
  !existsSync(path) || !NAMES.test(orNull(() => readFileSync(path, 'utf8')) ?? 'ref: of which nobody knows')
const NAMES = /^(?:ref: \S|[0-9a-f]*[1-9a-f])/

/**
 * The full commit id that a revision given by a user names. It can never act as an option: it stands behind
 * `--end-of-options` and only the id found is used from here on. Throws `badRevision`, and `gitFailed` when git could not look.
 */
export async function resolveRevision(repo: Repo, rev: string): Promise<string> {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them can stand in a revision
  if (rev === '' || /[\x00-\x1f\x7f]/.test(rev)) throw badRevision(rev)
  // Of a branch and a tag of one name git takes the tag. No branch has this in its name, and git may die of it.
  const [branch] = rev.includes('@{') ? [] : await repo.objects.read([`refs/heads/${rev}^{commit}`])
  if (branch != null) return branch.oid
  // Not through simple-git, which looks for dangerous options behind `--end-of-options` too.
  const args = ['rev-parse', '-q', '--verify', '--end-of-options', `${rev}^{commit}`]
  // 1 means that there is none; of a reflog or an upstream that is not there git says so in another way.
  const answers = rev.includes('@{') ? [1, 128] : [1]
  const oid = (await repo.git(args, { answers })).trim()
  if (/^[0-9a-f]{40,64}$/.test(oid)) return oid
  // A fresh clone has the other branches as those of its remote.
  const far = `origin/${rev}`
  const isFar = !rev.startsWith('origin/') && (await readRefs(repo, [`refs/remotes/${far}`])).length > 0
  throw badRevision(rev, isFar ? far : undefined)
}

/** The empty tree that git always has, of both object formats. */
export const EMPTY = {
  sha1: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  sha256: '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321',
}

/** Full commit ids: where a range begins, where it ends, and whose history is no part of it. */
export type RangeEnds = readonly [from: string, to: string, without: string]

/**
 * The commits that `a..b`, `a...b` (from where they parted) or `a` (up to HEAD) runs between, and `a` itself: what it holds
 * is no part of the range, wherever the two parted. With only zeros for `a`, as git writes it for hooks, the range begins with
 * nothing, and the empty tree stands for it. Throws `badRevision`.
 */
export async function rangeEnds(repo: Repo, range: string): Promise<RangeEnds> {
  const [, left = '', dots, right = ''] = /^(.*?)(\.{2,3})(.*)$/s.exec(range) ?? [undefined, range]
  const isWhole = left === zeroId(repo)
  const [a, b] = await Promise.all([
    isWhole ? EMPTY[repo.objectFormat] : resolveRevision(repo, left || 'HEAD'),
    resolveRevision(repo, right || 'HEAD'),
  ])
  if (dots !== '...' || isWhole) return [a, b, a]
  const fork = (await repo.git(['merge-base', a, b], { answers: [1] })).trim()
  if (fork === '') throw noCommonAncestor(range)
  return [fork, b, a]
}
