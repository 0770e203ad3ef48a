import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Step, USUAL, writeClaudeSession } from '../repo/claude-session.ts'
import type { TempRepo } from '../repo/make-repo.ts'
import { compiledBy } from './program.ts'
import { openWorld } from './world.ts'

const FILES = { 'a.txt': 'a\n', 'src/queue.ts': 'x\n', 'src/api.ts': 'y\n' }

export const GOAL = 'finish the retry queue and document its limits'

/** A command that writes, and the state it is called in. */
export interface Operation {
  name: string
  args: readonly string[]
  /** Brings a fresh repository, with staged and unstaged work of the user, into the state before; `run` is the program. */
  prepare(repo: TempRepo, run: (args: readonly string[]) => void): void
  /** A second call finds everything done, and says so with exit 2. */
  isOnce?: true
  /** It writes nothing, and what it finds wrong is its result. */
  isReading?: true
  /** Its home has no compiled code of the program, which it writes there. */
  isCold?: true
}

const OTHER: readonly Step[] = [
  { user: 'Now write down the limits of the queue.' },
  { write: 'docs/limits.md' },
  { says: 'The limits are written down; a table is missing.' },
]

const first = (repo: TempRepo, run: (args: readonly string[]) => void): void => {
  session(repo, USUAL, 1, 7200)
  run(['create', GOAL])
}

export const operations: readonly Operation[] = [
  {
    name: 'create, first',
    args: ['create', GOAL],
    prepare: (repo) => session(repo, USUAL, 1, 60),
    isCold: true,
  },
  {
    name: 'create, next',
    args: ['create', 'write down the limits of the retry queue'],
    prepare(repo, run) {
      first(repo, run)
      session(repo, OTHER, 2, 60)
    },
  },
  {
    name: 'create, separate',
    args: ['create', GOAL, '--branch', 'separate'],
    prepare: (repo) => session(repo, USUAL, 1, 60),
  },
  { name: 'done', args: ['done', 'shipped in 2.4'], prepare: first, isOnce: true },
  {
    name: 'resume',
    args: ['resume'],
    prepare(repo, run) {
      first(repo, run)
      repo.write('src/limits.ts', 'export const LIMIT = 3\n')
      repo.git(['add', 'src/limits.ts'])
      repo.git(['commit', '-q', '-m', 'Name the limit', '--', 'src/limits.ts'])
    },
  },
  {
    name: 'prune',
    args: ['prune', '--keep', '1'],
    prepare(repo, run) {
      first(repo, run)
      run(['done', 'shipped in 2.3'])
      session(repo, OTHER, 2, 60)
      run(['create', 'write down the limits of the retry queue'])
    },
  },
  {
    name: 'init',
    args: ['init', '--agent', 'claude-code', '--git-hooks', 'plain', '--yes'],
    prepare: settings,
  },
  {
    name: 'init --remove',
    args: ['init', '--remove'],
    prepare(repo, run) {
      settings(repo)
      run(['init', '--agent', 'claude-code', '--git-hooks', 'plain', '--yes'])
    },
  },
]

/** Commands that only read: what a fault may do to them is to be told in their result. */
export const readers: readonly Operation[] = [
  { name: 'doctor', args: ['doctor'], prepare: first, isReading: true },
]

/** Settings of the user's that init writes into, and a hook of theirs. */
function settings(repo: TempRepo): void {
  repo.write('.claude/settings.json', '{\n  "model": "opus",\n  "hooks": { "Stop": [] }\n}\n')
  repo.write('AGENTS.md', '# Agents\n\nRun the tests.\n')
  repo.write('.git/hooks/post-merge', '#!/bin/sh\nexit 0\n')
  execFileSync('chmod', ['755', join(repo.root, '.git/hooks/post-merge')])
}

/** A session that ended so many seconds ago, with an id of its own. */
function session(repo: TempRepo, steps: readonly Step[], number: number, seconds: number): void {
  const id = `${String(number).repeat(8)}-2222-4333-8444-555555555555`
  writeClaudeSession(repo, steps, { id, end: new Date(Date.now() - seconds * 1000) })
}

/** A repository in the state before an operation, which can be brought back to it as often as needed. */
export interface Bench {
  operation: Operation
  repo: TempRepo
  /** Folder that holds repository and home. */
  under: string
  rewind(): void
}

/** Makes the state once; `rewind` copies it back, to the same path: sessions and ledgers name it. */
export function openBench(folder: string, operation: Operation, program: string): Bench {
  const under = join(folder, 'live')
  const kept = join(folder, 'kept')
  const repo = openWorld(under, 'repo', FILES)
  const { root, env } = repo
  mkdirSync(join(env.HOME ?? '', '.claude'), { recursive: true })
  Object.assign(
    env,
    operation.isCold ? { XDG_CACHE_HOME: join(env.HOME ?? '', '.cache') } : compiledBy(program),
  )
  operation.prepare(repo, (args) =>
    execFileSync(process.execPath, [program, ...args], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] }),
  )
  // What a person has at hand: a staged change, one that is not, a file that git does not know.
  repo.write('a.txt', 'staged by the user\n')
  repo.git(['add', 'a.txt'])
  repo.write('src/queue.ts', 'changed by the user\n')
  repo.write('notes of mine.txt', 'untracked\n')
  execFileSync('cp', ['-a', under, kept])
  return {
    operation,
    repo,
    under,
    rewind() {
      rmSync(under, { recursive: true, force: true })
      execFileSync('cp', ['-a', kept, under])
    },
  }
}

/** Paths of the briefs in the work tree. */
export function briefFiles(repo: TempRepo): string[] {
  try {
    return readdirSync(join(repo.root, '.handoff/briefs')).sort()
  } catch {
    return [] // No brief was ever made.
  }
}
