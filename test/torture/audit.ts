import { existsSync, readdirSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { readCopy } from '../../src/brief/latest.ts'
import { masked } from '../../src/brief/measure.ts'
import { leftovers, type Snapshot, snapshot } from '../repo/git/harm.ts'
import { hashFiles } from '../repo/hash-files.ts'
import type { TempRepo } from '../repo/make-repo.ts'
import { type Bench, briefFiles } from './operations.ts'
import { readFolder } from './read-objects.ts'
import { type Run, runProgram } from './steps.ts'

/** What an operation leaves when nothing goes wrong. */
export interface Reference {
  /** Everything of the user's, before. */
  before: Snapshot
  /** Every brief there may be: those before and the new one. */
  briefs: string[]
  /** Briefs committed in the end. */
  committed: number
  /** Warnings that are printed then. */
  warnings: number
  /** Files of the work tree, of `hooks` and of the home in the end, for what writes settings. */
  files: Record<string, string>
}

/** Where briefs are committed. */
const refOf = ({ operation }: Bench) => (operation.name === 'create, separate' ? 'handoff/main' : 'HEAD')
const isSetup = ({ operation }: Bench) => operation.name.startsWith('init')

/** Notes what comes of the operation when `run` runs it undisturbed. */
export async function readReference(
  bench: Bench,
  run: () => Promise<Omit<Run, 'steps'>>,
): Promise<Reference> {
  const { repo, operation } = bench
  bench.rewind()
  const before = snapshot(repo)
  const old = briefFiles(repo).map((name) => repo.read(`.handoff/briefs/${name}`))
  const { code, stderr } = await run()
  if (code !== 0) throw new Error(`${operation.name} fails undisturbed: ${stderr}`)
  const { briefs } = committedAt(bench)
  return {
    before,
    briefs: [...old, ...briefs.values()],
    committed: briefs.size,
    warnings: (stderr.match(/^warning: /gm) ?? []).length,
    files: settingsOf(bench),
  }
}

/** Whatever must hold at any moment, whoever died: sentences of what does not. */
export function auditNow(bench: Bench, reference: Reference): string[] {
  const { repo } = bench
  const wrong: string[] = []
  const fsck = repo.tryGit(['fsck', '--strict', '--no-dangling', '--no-progress'])
  if (fsck.status !== 0) wrong.push(`fsck: ${fsck.stderr.split('\n')[0]}`)
  if (repo.tryGit(['rev-parse', '-q', '--verify', 'HEAD^{commit}']).status !== 0)
    wrong.push('HEAD is not valid')
  const deleted = repo.tryGit(['diff', '--cached', '--name-only', '--no-renames', '--diff-filter=D'])
  if (deleted.status !== 0) wrong.push(`the index is not valid: ${deleted.stderr.split('\n')[0]}`)
  // To prune is to delete: the index goes first, and history has them.
  if (deleted.stdout !== '' && bench.operation.name !== 'prune')
    wrong.push(`staged deletion of ${deleted.stdout.split('\n')[0]}`)
  if (!isSetup(bench)) {
    const now = snapshot(repo)
    for (const key of Object.keys(now) as (keyof Snapshot)[])
      if (JSON.stringify(now[key]) !== JSON.stringify(reference.before[key]))
        wrong.push(`the user's ${key} changed`)
  }
  wrong.push(...auditBriefs(bench, reference))
  return wrong
}

/**
 * What must be there after exit 0. `differs`: briefs that are whole and say something else than without the fault. Settings may differ
 * where `told`, what the run said, warns of the file by its name.
 */
export function auditResult(
  bench: Bench,
  reference: Reference,
  told: string,
): { wrong: string[]; differs: string[] } {
  if (isSetup(bench)) {
    const warnings = told.split('\n').filter((line) => line.startsWith('warning: '))
    const isNamed = (path: string) =>
      warnings.some((line) => line.startsWith(`warning: ${path.replace(/^home\//, '~/')} was left alone: `))
    const differ = differences(settingsOf(bench), reference.files).filter((path) => !isNamed(path))
    return { wrong: differ.length > 0 ? [`not as without the fault: ${differ.join(', ')}`] : [], differs: [] }
  }
  const committed = [...committedAt(bench).briefs.values()]
  const wrong: string[] = []
  if (committed.length !== reference.committed)
    wrong.push(`${committed.length} briefs are committed instead of ${reference.committed}`)
  const status = bench.repo.git(['status', '--porcelain', '--', '.handoff'])
  // What could not be brought up to date is a warning; it is git's or ours, never half.
  if (/^(?:\?\?|A|D)/m.test(status)) wrong.push(`not clean: ${status}`)
  const isKnown = (text: string) =>
    reference.briefs.some((known) => known === text || masked(known) === masked(text))
  const others = committed.filter((text) => !isKnown(text))
  for (const text of others)
    if (!/^## /m.test(text) || !text.startsWith('---\n')) wrong.push('a partial brief is committed')
  return { wrong, differs: others }
}

const differences = (now: Record<string, string>, then: Record<string, string>): string[] =>
  // An empty folder is nothing that git keeps.
  [...new Set([...Object.keys(now), ...Object.keys(then)])].filter(
    (path) => !path.endsWith('/') && now[path] !== then[path],
  )

/** The whole brief or none, and never `latest.md` without its brief. */
function auditBriefs(bench: Bench, { briefs }: Reference): string[] {
  const { repo } = bench
  const wrong: string[] = []
  const isWhole = (text: string) => briefs.some((known) => known === text || masked(known) === masked(text))
  const files = briefFiles(repo).filter((name) => name.endsWith('.md'))
  for (const name of files)
    if (!isWhole(repo.read(`.handoff/briefs/${name}`))) wrong.push(`partial brief ${name}`)
  const committed = committedAt(bench)
  if (![...committed.briefs.values()].every(isWhole)) wrong.push('a partial brief is committed')
  if (committed.hasLatest && committed.briefs.size === 0) wrong.push('latest.md is committed without a brief')
  if (!existsSync(join(repo.root, '.handoff/latest.md'))) return wrong
  const latest = repo.read('.handoff/latest.md')
  const copy = readCopy(latest)
  const named = copy.state === 'ours' ? (copy.marker?.id ?? null) : null
  if (files.length === 0 && !isSetup(bench)) wrong.push('latest.md stands there without a brief')
  if (named !== null && /^\d/.test(named) && !files.some((name) => name.startsWith(named)))
    wrong.push(`latest.md names ${named}, which is not there`)
  return wrong
}

/**
 * The user's own commit and the next call of the command, in either order; what must hold when both are over. `blocked`: a git that was
 * killed has left its lock, as every git does, and a person has removed it, as git says. `told`: what the disturbed run said; null when it
 * was killed. A brief that it named as saved, or was killed before it committed, may stay where it is when the user has committed since,
 * which makes another of the next.
 */
export async function auditAfter(
  bench: Bench,
  reference: Reference,
  program: string,
  isUserFirst: boolean,
  told: string | null = '',
): Promise<{ wrong: string[]; blocked: boolean }> {
  const { repo, operation } = bench
  const wrong: string[] = []
  const isBlocked = removeLocks(repo)
  const commit = () => {
    const { status, stderr } = repo.tryGit(['commit', '-q', '-m', 'By the user'])
    if (status !== 0) wrong.push(`the user's commit failed: ${stderr.split('\n')[0]}`)
  }
  if (isUserFirst) commit()
  const next = await runProgram(program, repo, operation.args)
  const isDone = operation.isOnce === true && next.code === 2 && /closed already/.test(next.stderr)
  if (next.code !== 0 && !isDone)
    wrong.push(
      `the next ${operation.name} failed (${next.code ?? next.signal}): ${next.stderr.trim().slice(-300)}`,
    )
  if (!isUserFirst) commit()
  const taken = repo.git([
    'log',
    '-1',
    '--format=',
    '--name-status',
    '--grep',
    'By the user',
    '--',
    '.handoff',
  ])
  if (/^D/m.test(taken) && operation.name !== 'prune') wrong.push("the user's commit deleted a brief")
  wrong.push(...auditEnd(bench, reference, isUserFirst, told))
  return { wrong, blocked: isBlocked }
}

/** Locks of git in the git directory, which a git leaves that is killed. True when there were any. */
function removeLocks({ root }: TempRepo): boolean {
  const gitDir = join(root, '.git')
  const locks = leftovers(gitDir).filter((name) => !isQueue(name))
  for (const name of locks) unlinkSync(join(gitDir, name))
  return locks.length > 0
}

/** Our place in the queue, which the next who commits takes over after two seconds. */
const isQueue = (name: string): boolean => name.endsWith('handoff/queue.lock')

function auditEnd(bench: Bench, reference: Reference, isUserFirst: boolean, told: string | null): string[] {
  const { repo } = bench
  const wrong: string[] = []
  if (repo.tryGit(['fsck', '--strict', '--no-dangling', '--no-progress']).status !== 0)
    wrong.push('fsck, in the end')
  const left = [
    ...leftovers(join(repo.root, '.git')).map((name) => `.git/${name}`),
    ...temporaryFiles(repo),
  ].filter((name) => !isQueue(name))
  if (left.length > 0) wrong.push(`left over: ${left.join(', ')}`)
  if (isSetup(bench)) {
    const differ = differences(settingsOf(bench), reference.files)
    if (differ.length > 0) wrong.push(`not as without the fault: ${differ.join(', ')}`)
    return wrong
  }
  const status = repo.git(['status', '--porcelain', '-uall', '--', '.handoff'])
  const isPrune = bench.operation.name === 'prune'
  const mayStay = (line: string): boolean =>
    told === null
      ? // What was to be pruned lies there whole; of a brief doctor tells.
        line.startsWith('?? .handoff/briefs/') && (isUserFirst || isPrune)
      : (isUserFirst && told.includes(`saved in ${line.slice(3)} but not committed`)) ||
        (told.includes('not off the disk') && told.includes(line.slice(3))) ||
        (isPrune && line.startsWith('?? .handoff/briefs/') && told.includes('may stay in the tree'))
  const dirty = status.split('\n').filter((line) => line !== '' && !mayStay(line))
  if (dirty.length > 0) wrong.push(`not clean: ${dirty.join(', ')}`)
  const { briefs } = committedAt(bench)
  // The user's commit between the two is news, which a second brief tells; and it may have said that it will make one.
  const isSecond = isUserFirst || told?.includes('may make a second brief') === true
  const most = reference.committed + (isSecond ? 1 : 0)
  if (briefs.size < reference.committed || briefs.size > most)
    wrong.push(`${briefs.size} briefs instead of ${reference.committed}`)
  const ids = [...briefs.keys()].map((path) => path.slice(BRIEFS.length, BRIEFS.length + 24))
  if (new Set(ids).size !== ids.length) wrong.push('an id stands there twice')
  return wrong
}

const BRIEFS = '.handoff/briefs/'

/** Briefs that are committed, by path, and whether `latest.md` is. */
function committedAt(bench: Bench): { briefs: Map<string, string>; hasLatest: boolean } {
  const files = readFolder(bench.repo, refOf(bench), '.handoff')
  const briefs = new Map([...files].filter(([path]) => path.startsWith(BRIEFS)))
  return { briefs, hasLatest: files.has('.handoff/latest.md') }
}

/** What a killed writer left beside its target or in the private folder, home included. */
function temporaryFiles({ base }: TempRepo): string[] {
  return readdirSync(base, { recursive: true, encoding: 'utf8' }).filter(
    (path) =>
      (/\.tmp$|\.lock$|\/handoff\/file\.\d/.test(path) || /\.handoff-\d+/.test(path)) &&
      !path.includes('.git/objects/'),
  )
}

function settingsOf({ repo, under }: Bench): Record<string, string> {
  const hooks = join(repo.root, '.git/hooks')
  return {
    ...hashFiles(repo.root, ['.git']),
    ...prefixed('.git/hooks', existsSync(hooks) ? hashFiles(hooks, []) : {}),
    ...prefixed('home', hashFiles(join(under, 'home'), ['.cache'])),
    config: repo.git(['config', '--local', '--list']),
  }
}

const prefixed = (name: string, files: Record<string, string>) =>
  Object.fromEntries(Object.entries(files).map(([path, hash]) => [`${name}/${path}`, hash]))
