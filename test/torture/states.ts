import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { leftovers, type Snapshot, snapshot } from '../repo/git/harm.ts'
import { cases, copyOf, facts, forked } from '../repo/git/operation-cases.ts'
import { type State, states } from '../repo/git/repository-states.ts'
import { hashFiles } from '../repo/hash-files.ts'
import type { TempRepo } from '../repo/make-repo.ts'
import type { Ended } from './collect.ts'
import type { ByForm, Context, Part } from './part.ts'
import { call } from './race-world.ts'
import { sample } from './random.ts'
import { tell } from './tell.ts'

interface Command {
  name: string
  args: readonly string[]
}

/** Every command that writes, in an order in which each finds something to do. */
const COMMANDS: readonly Command[] = [
  { name: 'note', args: ['note', '--active-hypothesis', 'the lock is held for too long'] },
  { name: 'create', args: ['create', 'finish the retry queue and document its limits', '--from', 'git'] },
  { name: 'resume', args: ['resume'] },
  { name: 'done', args: ['done', 'shipped in 2.4'] },
  { name: 'prune', args: ['prune', '--keep', '0', '--open'] },
  { name: 'init', args: ['init', '--agent', 'claude-code', '--git-hooks', 'plain', '--yes'] },
]

/** States in which a command waits half a minute for a lock before it gives up: for the long form. */
const SLOW = /\.lock present|branch lock/
const SAMPLE: ByForm<{ states: number; operations: number }> = {
  ci: { states: 1, operations: 0 },
  short: { states: 6, operations: 2 },
  long: { states: Number.POSITIVE_INFINITY, operations: Number.POSITIVE_INFINITY },
}

/** Every state of a repository that is known to make trouble, and every command that writes. */
export const part: Part = {
  name: 'states',
  async run(context) {
    await everyState(context)
    if (context.form === 'ci') return
    await everyOperation(context)
    planted(context)
  },
}

async function everyState(context: Context): Promise<void> {
  const all = Object.entries(states)
  const quick = context.long ? all : all.filter(([name]) => !SLOW.test(name))
  const chosen = sample(quick, SAMPLE[context.form].states, context.random)
  const found = new Map<string, { count: number; refused: string[]; wrong: string[] }>()
  for (const [name, state] of chosen) {
    const repo = state.make()
    for (const command of COMMANDS) {
      const { wrong, refused } = await runOne(context, repo, name, state, command)
      context.case({ state: name, command: command.name, refused, wrong })
      const key = `${groupOf(name, state)}\t${command.name}`
      const row = found.get(key) ?? { count: 0, refused: [], wrong: [] }
      row.count++
      row.wrong.push(...wrong.map((one) => `${name}: ${one}`))
      if (refused !== null) row.refused.push(refused)
      found.set(key, row)
    }
  }
  for (const [key, { count, refused, wrong }] of found) {
    const [group = '', operation = ''] = key.split('\t')
    const told = refused.length === 0 ? '' : `refused: ${[...new Set(refused)].sort().join(', ')}`
    tell(context, group, operation, count, wrong, told)
  }
}

const groupOf = (name: string, state: State): string => {
  if (state.state === 'parked') return 'operation in progress'
  if ((state.fails ?? state.refuses) !== undefined) return 'cannot be committed'
  if (/hook/.test(name)) return 'hooks of the user'
  if (/index|sparse|skip-worktree|staged|autocrlf|eol=|ident|LFS/.test(name)) return 'index and attributes'
  return 'other kinds of repository'
}

/** One command in one state: what changed that is not ours, and the code with which it refused. */
async function runOne(
  { program }: Context,
  repo: TempRepo,
  name: string,
  state: State,
  { name: command, args }: Command,
): Promise<{ wrong: string[]; refused: string | null }> {
  const before = stock(repo)
  const env = { ...repo.env, ...state.env?.(repo) }
  const ended = await call(program, { root: state.cwd?.(repo) ?? repo.root, env }, [...args, '--json'])
  const refused = refusal(ended)
  const wrong: string[] = []
  const right = expected(command, name, state)
  if (refused === undefined) wrong.push(`${command}: no clear error: ${ended.stderr.slice(0, 300)}`)
  else if (refused !== right)
    wrong.push(`${command}: ${refused ?? 'no refusal'} instead of ${right ?? 'success'}`)
  const changed = command === 'init' && refused === null ? changedBy(ended) : []
  wrong.push(...difference(before, stock(repo), changed).map((one) => `${command} changed ${one}`))
  const gitDir = repo.git(['rev-parse', '--absolute-git-dir'])
  const left = leftovers(gitDir).filter((one) => state.locks?.includes(one) !== true)
  if (left.length > 0) wrong.push(`${command} left ${left.join(', ')}`)
  if (state.fsck !== false && repo.tryGit(['fsck', '--no-dangling', '--no-progress']).status !== 0)
    wrong.push(`fsck after ${command}`)
  if (name === 'ssh signing' && /[^G\n]/.test(repo.git(['log', '-4', '--format=%G?', '--', '.handoff'])))
    wrong.push(`${command} made a commit without a signature`)
  return { wrong, refused: refused ?? null }
}

/** The code with which a command must refuse in a state; null: it must do its work. */
function expected(command: string, name: string, { state, fails, refuses }: State): string | null {
  if (command === 'note') return null
  if (refuses !== undefined) return refuses
  // A plain hook has no place where a manager of hooks stands.
  if (command === 'init') return /husky/.test(name) ? 'E_USAGE' : null
  if (command === 'create') return fails ?? null
  if (command === 'prune') return state === 'parked' ? 'E_IN_PROGRESS' : null
  return fails === undefined ? null : 'E_NO_BRIEF'
}

/** Null: it went well; undefined: it failed and did not say in a way that a program understands. */
function refusal({ code, stdout }: Ended): string | null | undefined {
  try {
    const said = JSON.parse(stdout) as { ok?: boolean; errors?: { code?: string }[] }
    if (code === 0 && said.ok === true) return null
    const name = said.errors?.[0]?.code
    return name === undefined || name === 'E_UNEXPECTED' ? undefined : name
  } catch {
    return undefined
  }
}

const changedBy = ({ stdout }: Ended): string[] =>
  (JSON.parse(stdout) as { changed: { path: string }[] }).changed.map(({ path }) => path)

interface Stock extends Snapshot {
  /** Index entries with times, inode and size, byte for byte as git holds them. */
  entries: string
  /** What an unfinished operation has written down. */
  underWay: Record<string, string>
  hooks: Record<string, string>
}

function stock(repo: TempRepo): Stock {
  const gitDir = repo.git(['rev-parse', '--absolute-git-dir'])
  const common = repo.git(['rev-parse', '--path-format=absolute', '--git-common-dir'])
  const seen = snapshot(repo)
  const underWay = Object.fromEntries(
    seen.operation.flatMap((name) => {
      const path = join(gitDir, name)
      return statSync(path).isDirectory()
        ? Object.entries(hashFiles(path, [])).map(([file, hash]) => [`${name}/${file}`, hash] as const)
        : [[name, readFileSync(path, 'latin1')] as const]
    }),
  )
  const hooks = join(common, 'hooks')
  return {
    ...seen,
    entries: entriesOf(repo),
    underWay,
    hooks: existsSync(hooks) ? hashFiles(hooks, []) : {},
  }
}

/** Without ours, whose six lines begin with the path. */
const entriesOf = (repo: TempRepo): string =>
  repo
    .tryGit(['--no-optional-locks', 'ls-files', '--debug', '--full-name'])
    .stdout.split(/\n(?=\S)/)
    .filter((entry) => !/^"?\.handoff\//.test(entry))
    .join('\n')

/** Names of what differs. `changed`: files that the command says it has written, which belong to it. */
function difference(before: Stock, after: Stock, changed: readonly string[]): string[] {
  const isSetup = changed.length > 0
  return (Object.keys(before) as (keyof Stock)[]).flatMap((key) => {
    if (isSetup && (key === 'status' || key === 'hooks')) return []
    if (key !== 'files') return JSON.stringify(before[key]) === JSON.stringify(after[key]) ? [] : [key]
    const [was, is] = [before.files, after.files]
    return [...new Set([...Object.keys(was), ...Object.keys(is)])].filter(
      (path) => was[path] !== is[path] && !changed.some((one) => `${one}/`.startsWith(path) || one === path),
    )
  })
}

/** An unfinished operation goes on, and is aborted, as if no command of ours had been called meanwhile. */
async function everyOperation(context: Context): Promise<void> {
  const chosen = sample(Object.entries(cases), SAMPLE[context.form].operations, context.random)
  const wrong: string[] = []
  for (const [name, operation] of chosen) {
    const repo = forked()
    operation.begin(repo)
    const plain = [copyOf(repo, 'plain-go-on'), copyOf(repo, 'plain-abort')] as const
    const ids: string[] = []
    for (const { name: command, args } of COMMANDS.filter((one) => one.name !== 'init')) {
      const ended = await call(context.program, repo, [...args, '--json'])
      const refused = refusal(ended)
      if (refused === undefined) wrong.push(`${name}: ${command} gave no clear error`)
      if (refused === null && command !== 'note' && command !== 'prune')
        ids.push((JSON.parse(ended.stdout) as { id: string }).id)
    }
    if (ids.length === 0) wrong.push(`${name}: no brief could be made`)
    for (const [at, way] of [operation.proceed, (copy: TempRepo) => copy.git(operation.abort)].entries()) {
      const copy = copyOf(repo, `ours-${at}`)
      const beside = plain[at] ?? plain[0]
      way(beside)
      try {
        way(copy)
      } catch (error) {
        wrong.push(
          `${name}: ${at === 0 ? 'cannot go on' : 'cannot be aborted'}: ${String(error).slice(0, 300)}`,
        )
        continue
      }
      if (JSON.stringify(facts(copy)) !== JSON.stringify(facts(beside)))
        wrong.push(`${name}: ${at === 0 ? 'goes on' : 'is aborted'} to something else`)
      const kept = copy.git(['rev-list', '--objects', '--all'])
      wrong.push(...ids.filter((id) => !kept.includes(id)).map((id) => `${name}: ${id} is lost`))
    }
    context.case({ operation: name, ids, wrong })
  }
  tell(context, 'operation goes on, is aborted', 'all commands', 2 * chosen.length, wrong)
}

/** The harm check sees a staged file, a touched one, a stash and a hook. */
function planted(context: Context): void {
  const harms: Record<string, (repo: TempRepo) => void> = {
    entries: (repo) => repo.git(['update-index', '--assume-unchanged', 'a.txt']),
    files: (repo) => repo.write('a.txt', 'touched\n'),
    hooks: (repo) => repo.write('.git/hooks/post-commit', '#!/bin/sh\n'),
    stash: (repo) => {
      repo.write('a.txt', 'put away\n')
      repo.git(['stash', '-q'])
    },
  }
  const missed = Object.entries(harms).filter(([, harm]) => {
    const repo = forked()
    const before = stock(repo)
    harm(repo)
    return difference(before, stock(repo), []).length === 0
  })
  const wrong = missed.map(([name]) => `blind to ${name}`)
  tell(
    context,
    'planted: harm to what is the user’s',
    'harm check',
    4,
    wrong,
    wrong.length === 0 ? 'caught 4 times' : '',
  )
}
