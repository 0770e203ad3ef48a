import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { atFolder, makeRepo, prepared, type TempRepo } from '../../repo/make-repo.ts'
import { root } from '../build.ts'

export const PROGRAM = join(root, 'bin', 'handoff.cjs')

/** A repository of a team: a remote with the default branch, and a clone in which somebody works on a branch. */
export interface TeamRepo {
  base: string
  /** The remote, bare. */
  origin: string
  dev: TempRepo
  env: Record<string, string>
}

export const BRANCH = 'feature/retry'

/** A brief of git alone, made by the program itself in the clone; the answer of `create --json`. */
function create(dev: TempRepo, goal: string, ...extra: string[]): { id: string; path: string } {
  const args = [PROGRAM, 'create', goal, '--from', 'git', '--json', ...extra]
  return JSON.parse(execFileSync(process.execPath, args, { cwd: dev.root, env: dev.env, encoding: 'utf8' }))
}

/** The default branch with one brief of somebody else, and a branch with two handoffs. */
export const makeTeam = prepared(async () => {
  const dev = makeRepo({ name: 'dev' })
  dev.commit('queue', { 'src/queue.js': 'export const retry = 3\n', 'README.md': 'queue\n' })
  create(dev, 'describe how the queue is deployed to production')
  const origin = join(dev.base, 'origin.git')
  dev.git(['clone', '-q', '--bare', dev.root, origin])
  dev.git(['remote', 'add', 'origin', origin])
  dev.git(['switch', '-q', '-c', BRANCH])
  dev.commit('cap the delay', { 'src/queue.js': 'export const retry = 5\n' })
  const first = create(dev, 'cap the delay of the retry queue at thirty seconds')
  dev.commit('test the cap', { 'test/queue.test.js': 'test\n' })
  const second = create(dev, 'document the cap of the retry queue in the manual')
  dev.git(['push', '-q', 'origin', 'main', BRANCH])
  return { base: dev.base, origin, dev, env: dev.env, first, second }
})

/** Pushes the branch and makes the merge that GitHub would check out, `refs/pull/1/merge`; the ids of an event. */
export function openPull({ base, origin, dev, env }: TeamRepo): { base: string; head: string } {
  dev.git(['push', '-q', '--force', 'origin', 'main', `${BRANCH}:refs/pull/1/head`])
  const scratch = join(base, 'merging')
  rmSync(scratch, { recursive: true, force: true })
  dev.git(['clone', '-q', origin, scratch])
  const merging = atFolder(base, scratch, env)
  merging.git(['fetch', '-q', 'origin', 'refs/pull/1/head'])
  merging.git(['merge', '-q', '--no-ff', '-m', 'merge', 'FETCH_HEAD'])
  merging.git(['push', '-q', '--force', 'origin', 'HEAD:refs/pull/1/merge'])
  return { base: dev.git(['rev-parse', 'main']), head: dev.git(['rev-parse', BRANCH]) }
}

/** A checkout as actions/checkout makes it: of the merge, with all of history or with the last commit alone. */
export function checkOut(team: TeamRepo, options: { depth?: number; ref?: string } = {}): TempRepo {
  const { depth, ref = 'refs/pull/1/merge' } = options
  const workspace = join(team.base, 'workspace')
  rmSync(workspace, { recursive: true, force: true })
  mkdirSync(workspace)
  const here = atFolder(team.base, workspace, team.env)
  here.git(['init', '-q'])
  here.git(['remote', 'add', 'origin', `file://${team.origin}`])
  const all = depth === undefined ? ['+refs/heads/*:refs/remotes/origin/*'] : [`--depth=${depth}`]
  const refs = `+${ref}:refs/remotes/${ref.replace(/^refs\//, '')}`
  here.git([
    'fetch',
    '-q',
    '--no-tags',
    ...all.filter((arg) => arg.startsWith('-')),
    'origin',
    refs,
    ...all.filter((arg) => !arg.startsWith('-')),
  ])
  here.git(['checkout', '-q', '--force', `refs/remotes/${ref.replace(/^refs\//, '')}`])
  return here
}

/** PATH with this Node first, as setup-node leaves it. */
export const pathOf = (env: Record<string, string>): string => `${dirname(process.execPath)}:${env.PATH}`
