import { cpSync } from 'node:fs'
import { join } from 'node:path'
import type { Operation } from '../../../src/types/git.ts'
import { atFolder, makeRepo, type TempRepo } from '../make-repo.ts'

/** How an operation is begun, and the two ways out. */
export interface Case {
  operation: Operation
  begin(repo: TempRepo): void
  proceed(repo: TempRepo): void
  abort: string[]
  /** Branch that gets the brief in the end. */
  branch?: string
}

const resolve = (repo: TempRepo) => {
  repo.write('a.txt', 'resolved\n')
  repo.git(['add', 'a.txt'])
}
const goOn =
  (...args: string[]) =>
  (repo: TempRepo) => {
    resolve(repo)
    repo.git(['-c', 'core.editor=true', ...args])
  }

/** Every operation that git can leave unfinished, on the branches of `forked`. */
export const cases: Record<string, Case> = {
  'merge with conflict': {
    operation: 'merge',
    begin: (repo) => repo.tryGit(['merge', 'side']),
    proceed: goOn('merge', '--continue'),
    abort: ['merge', '--abort'],
  },
  'merge resolved, not committed': {
    operation: 'merge',
    begin(repo) {
      repo.tryGit(['merge', 'side'])
      resolve(repo)
    },
    proceed: goOn('commit', '-q', '--no-edit'),
    abort: ['merge', '--abort'],
  },
  'rebase with conflict': {
    operation: 'rebase',
    begin: (repo) => repo.tryGit(['rebase', 'side']),
    proceed: goOn('rebase', '--continue'),
    abort: ['rebase', '--abort'],
  },
  'rebase stopped to edit': {
    operation: 'rebase',
    begin: (repo) => repo.git(['-c', 'sequence.editor=sed -i s/^pick/edit/', 'rebase', '-i', 'HEAD~1']),
    proceed: (repo) => repo.git(['rebase', '--continue']),
    abort: ['rebase', '--abort'],
  },
  'cherry-pick of two': {
    operation: 'cherry-pick',
    begin: (repo) => repo.tryGit(['cherry-pick', 'side~1', 'side']),
    proceed: goOn('cherry-pick', '--continue'),
    abort: ['cherry-pick', '--abort'],
  },
  revert: {
    operation: 'revert',
    begin(repo) {
      repo.commit('again', { 'a.txt': 'again\n' })
      repo.tryGit(['revert', '--no-edit', 'HEAD~2'])
    },
    proceed: goOn('revert', '--continue'),
    abort: ['revert', '--abort'],
  },
  am: {
    operation: 'am',
    begin(repo) {
      const patch = repo.git(['format-patch', '--stdout', 'main~2..side~1'])
      repo.tryGit(['am', '-3'], { input: `${patch}\n` })
    },
    proceed: goOn('am', '--continue'),
    abort: ['am', '--abort'],
  },
  bisect: {
    operation: 'bisect',
    begin: (repo) => repo.git(['bisect', 'start', 'HEAD', 'HEAD~2']),
    proceed: (repo) => repo.git(['bisect', 'good']),
    abort: ['bisect', 'reset'],
  },
}

/** A repository with two branches that change the same line, and more commits to pick from. */
export function forked(): TempRepo {
  const repo = makeRepo()
  repo.git(['switch', '-q', '-c', 'side'])
  repo.commit('side one', { 'a.txt': 'side\n' })
  repo.commit('side two', { 'b.txt': 'b\n' })
  repo.git(['switch', '-q', 'main'])
  repo.commit('main one', { 'a.txt': 'main\n' })
  repo.commit('main two', { 'c.txt': 'c\n' })
  return repo
}

/** The same repository once more, as a plain copy of its folder. */
export function copyOf(repo: TempRepo, name: string): TempRepo {
  const root = join(repo.base, name)
  cpSync(repo.root, root, { recursive: true, verbatimSymlinks: true })
  const copy = atFolder(repo.base, root, repo.env)
  // The copied files have new inodes, which git would take for changes.
  copy.tryGit(['update-index', '-q', '--refresh'])
  return copy
}

/** What an operation comes to, without our files' states. */
export const facts = (repo: TempRepo) => ({
  tree: repo.git(['ls-tree', '-r', 'HEAD']),
  subjects: repo.git(['log', '--format=%s', 'HEAD']),
  branch: repo.tryGit(['symbolic-ref', '-q', 'HEAD']).stdout,
  status: repo
    .git(['status', '--porcelain', '-uall'])
    .split('\n')
    .filter((line) => line !== '' && !line.includes('.handoff/')),
})
