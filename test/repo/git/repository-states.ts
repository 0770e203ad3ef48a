import { execFileSync } from 'node:child_process'
import { chmodSync, lstatSync, mkdirSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { atFolder, cloneOf, makeEnv, makeFolder, makeRepo, type TempRepo } from '../make-repo.ts'
import { BRIEF, CONTENT, ID, MESSAGE } from './harm.ts'
import { forked } from './operation-cases.ts'

/** A repository state and what committing a brief in it must come to. */
export interface State {
  make(): TempRepo
  /** Directory the command runs in; default the root. */
  cwd?(repo: TempRepo): string
  env?(repo: TempRepo): Record<string, string>
  state?: 'committed' | 'parked'
  /** Code of the error it must fail with. */
  fails?: string
  /** Code with which `create` refuses before it writes anything: git would commit here, the folder is at fault. */
  refuses?: string
  /** Locks that were there before and must stay. */
  locks?: string[]
  fsck?: boolean
  identity?: 'own' | 'handoff'
  also?(repo: TempRepo, commit: string): void
}

const hook = (repo: TempRepo, name: string, script: string, folder = '.git/hooks') => {
  repo.write(`${folder}/${name}`, `#!/bin/sh\n${script}\n`)
  chmodSync(join(repo.root, folder, name), 0o755)
}

function withOperation(...args: string[]): TempRepo {
  const repo = forked()
  repo.tryGit(args)
  return repo
}

function rebaseEdit(): TempRepo {
  const repo = forked()
  repo.git(['-c', 'sequence.editor=sed -i s/^pick/edit/', 'rebase', '-i', 'HEAD~1'])
  return repo
}

function applying(): TempRepo {
  const repo = forked()
  const patch = repo.git(['format-patch', '--stdout', 'main~2..side~1'])
  repo.tryGit(['am'], { input: `${patch}\n` })
  return repo
}

function bisecting(): TempRepo {
  const repo = forked()
  repo.git(['bisect', 'start', 'HEAD', 'HEAD~2'])
  return repo
}

function sparse(...args: string[]): TempRepo {
  const repo = makeRepo()
  repo.commit('folders', { 'in/a.txt': 'a\n', 'out/b.txt': 'b\n', 'out/deep/c.txt': 'c\n' })
  repo.git(['sparse-checkout', 'set', ...args, 'in'])
  return repo
}

function configured(...settings: [string, string][]): TempRepo {
  const repo = makeRepo()
  for (const [key, value] of settings) repo.git(['config', key, value])
  return repo
}

function sshSigning(): TempRepo {
  const repo = makeRepo()
  const key = join(repo.base, 'key')
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'dev', '-f', key])
  const allowed = join(repo.base, 'allowed')
  writeFileSync(allowed, `dev@example.com ${execFileSync('cat', [`${key}.pub`], { encoding: 'utf8' })}`)
  for (const [name, value] of [
    ['gpg.format', 'ssh'],
    ['user.signingKey', key],
    ['commit.gpgSign', 'true'],
    ['gpg.ssh.allowedSignersFile', allowed],
  ] as const)
    repo.git(['config', name, value])
  return repo
}

function busy(): TempRepo {
  const repo = makeRepo()
  repo.commit('more', {
    'b.txt': 'b\n',
    'c d.txt': 'c\n',
    'ünï "q".txt': 'u\n',
    'd.txt': 'd\n',
    'e.txt': 'e\n',
  })
  repo.write('a.txt', 'kept\n')
  repo.git(['stash', '-q'])
  repo.write('a.txt', 'staged\n')
  repo.git(['add', 'a.txt'])
  repo.write('a.txt', 'and changed\n')
  repo.write('c d.txt', 'unstaged\n')
  repo.write('new file.txt', 'untracked\n')
  repo.write('soon.txt', 'soon\n')
  repo.git(['add', '-N', 'soon.txt'])
  repo.git(['rm', '-q', '--cached', 'd.txt'])
  repo.git(['mv', 'e.txt', 'moved e.txt'])
  repo.git(['update-index', '--assume-unchanged', 'b.txt'])
  repo.write('-x', 'dash\n')
  return repo
}

function submodule(): { outer: TempRepo; inner: TempRepo } {
  const source = makeRepo()
  const outer = makeRepo()
  outer.git(['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', source.root, 'sub'])
  outer.commit('add the submodule')
  return { outer, inner: atFolder(outer.base, join(outer.root, 'sub'), outer.env) }
}

const branchNamed = (name: string) => () => {
  const repo = makeRepo()
  repo.git(['update-ref', `refs/heads/${name}`, 'HEAD'])
  repo.git(['symbolic-ref', 'HEAD', `refs/heads/${name}`])
  return repo
}

/** Every state of a repository in which there is a work tree. */
export const states: Record<string, State> = {
  clean: { make: makeRepo },
  'staged, unstaged, untracked, intent to add, assume unchanged, odd names': { make: busy },
  'merge with conflict': { make: () => withOperation('merge', 'side'), state: 'parked' },
  'merge resolved': {
    make: () => {
      const repo = withOperation('merge', 'side')
      repo.write('a.txt', 'both\n')
      repo.git(['add', 'a.txt'])
      return repo
    },
    state: 'parked',
  },
  'rebase with conflict': { make: () => withOperation('rebase', 'side'), state: 'parked' },
  'rebase stopped to edit': { make: rebaseEdit, state: 'parked' },
  'cherry-pick with conflict': {
    make: () => withOperation('cherry-pick', 'side~1', 'side'),
    state: 'parked',
  },
  'revert with conflict': {
    make: () => {
      const repo = forked()
      repo.commit('again', { 'a.txt': 'again\n' })
      repo.tryGit(['revert', '--no-edit', 'HEAD~2'])
      return repo
    },
    state: 'parked',
  },
  'am with conflict': { make: applying, state: 'parked' },
  bisect: { make: bisecting, state: 'parked' },
  'detached HEAD': {
    make: () => {
      const repo = forked()
      repo.git(['checkout', '-q', '--detach'])
      return repo
    },
    also: (repo, commit) => {
      expect(repo.git(['rev-parse', `refs/handoff/${ID}`, 'HEAD']).split('\n')).toEqual([commit, commit])
      expect(repo.git(['rev-parse', 'main'])).toBe(repo.git(['rev-parse', 'HEAD~1']))
    },
  },
  'unborn HEAD, empty': { make: () => makeRepo({ initial: false }) },
  'unborn HEAD with staged files': {
    make: () => {
      const repo = makeRepo({ initial: false })
      repo.write('a.txt', 'a\n')
      repo.git(['add', 'a.txt'])
      return repo
    },
  },
  'linked worktree': {
    make: () => {
      const repo = makeRepo()
      repo.git(['worktree', 'add', '-q', '-b', 'linked', '../linked'])
      return atFolder(repo.base, join(repo.base, 'linked'), repo.env)
    },
    also: (repo) => expect(repo.git(['rev-parse', 'main'])).toBe(repo.git(['rev-parse', 'HEAD~1'])),
  },
  submodule: { make: () => submodule().inner },
  'repository with a dirty submodule': {
    make: () => {
      const { outer, inner } = submodule()
      inner.write('a.txt', 'dirty\n')
      return outer
    },
  },
  'sparse checkout, cone': { make: () => sparse('--cone') },
  'sparse index': { make: () => sparse('--cone', '--sparse-index') },
  'shallow clone': { make: () => cloneOf(forked(), { args: ['--depth=1'] }) },
  'blobless clone': {
    make: () => {
      const source = forked()
      source.git(['config', 'uploadpack.allowFilter', 'true'])
      return cloneOf(source, { args: ['--filter=blob:none'] })
    },
    fsck: false,
  },
  'signing wanted, no key': {
    make: () => configured(['commit.gpgSign', 'true'], ['gpg.program', '/nonexistent/gpg']),
    fails: 'E_NOT_COMMITTED',
  },
  'ssh signing': {
    make: sshSigning,
    also: (repo, commit) => expect(repo.git(['log', '-1', '--format=%G?', commit])).toBe('G'),
  },
  'pre-commit hook fails': {
    make: () => {
      const repo = makeRepo()
      hook(repo, 'pre-commit', 'exit 1')
      return repo
    },
  },
  'husky hooksPath fails': {
    make: () => {
      const repo = configured(['core.hooksPath', '.husky/_'])
      hook(repo, 'pre-commit', 'echo no >&2; exit 1', '.husky/_')
      return repo
    },
  },
  'pre-commit hook changes and stages files': {
    make: () => {
      const repo = makeRepo()
      hook(repo, 'pre-commit', 'echo smuggled > a.txt; git add a.txt')
      return repo
    },
  },
  'commit-msg hook refuses every message': {
    make: () => {
      const repo = makeRepo()
      hook(repo, 'commit-msg', 'exit 1')
      return repo
    },
  },
  'prepare-commit-msg and post-commit hooks': {
    make: () => {
      const repo = makeRepo()
      hook(repo, 'prepare-commit-msg', 'echo changed >> "$1"; exit 1')
      hook(repo, 'post-commit', 'echo ran > ran.txt')
      return repo
    },
    also: (repo) => expect(repo.git(['log', '-1', '--format=%B']).trimEnd()).toBe(MESSAGE.trimEnd()),
  },
  'reference-transaction hook rejects': {
    make: () => {
      const repo = makeRepo()
      hook(repo, 'reference-transaction', 'test "$1" != prepared || { echo "not on my lock" >&2; exit 1; }')
      return repo
    },
    fails: 'E_NOT_COMMITTED',
  },
  'index.lock present': {
    make: () => {
      const repo = makeRepo()
      repo.write('.git/index.lock', '')
      return repo
    },
    fails: 'E_NOT_COMMITTED',
    locks: ['index.lock'],
  },
  'branch lock present': {
    make: () => {
      const repo = makeRepo()
      repo.write('.git/refs/heads/main.lock', '')
      return repo
    },
    fails: 'E_NOT_COMMITTED',
    locks: ['refs/heads/main.lock'],
  },
  sha256: { make: () => makeRepo({ init: ['--object-format=sha256'] }) },
  autocrlf: { make: () => configured(['core.autocrlf', 'true']) },
  'split index': {
    make: () => {
      const repo = makeRepo()
      repo.commit(
        'many',
        Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`f${at}.txt`, `${at}\n`])),
      )
      repo.git(['update-index', '--split-index'])
      repo.git(['config', 'core.splitIndex', 'true'])
      repo.write('f1.txt', 'staged\n')
      repo.git(['add', 'f1.txt'])
      return repo
    },
  },
  'index version 4 and untracked cache': {
    make: () => {
      const repo = configured(['core.untrackedCache', 'true'])
      repo.git(['update-index', '--index-version', '4'])
      repo.write('new.txt', 'n\n')
      repo.git(['status'])
      return repo
    },
  },
  '.handoff ignored by git': {
    make: () => {
      const repo = makeRepo()
      repo.commit('ignore', { '.gitignore': '.handoff/\n' })
      return repo
    },
    refuses: 'E_IGNORED_FOLDER',
  },
  'LFS filter for everything, not installed': {
    make: () => {
      const repo = configured(
        ['filter.lfs.clean', 'git-lfs-that-is-missing clean'],
        ['filter.lfs.required', 'true'],
      )
      repo.write('.git/info/attributes', '* filter=lfs\n')
      return repo
    },
    also: (repo) => expect(repo.git(['cat-file', 'blob', `HEAD:${BRIEF}`])).toBe(CONTENT.trimEnd()),
  },
  'a branch that is another name of one': {
    make: () => {
      const repo = makeRepo()
      repo.git(['symbolic-ref', 'refs/heads/alias', 'refs/heads/main'])
      repo.git(['symbolic-ref', 'HEAD', 'refs/heads/alias'])
      return repo
    },
    also: (repo, commit) => {
      expect(repo.git(['rev-parse', 'main'])).toBe(commit)
      expect(repo.git(['symbolic-ref', 'refs/heads/alias'])).toBe('refs/heads/main')
    },
  },
  'index behind a symbolic link': {
    make: () => {
      const repo = makeRepo()
      renameSync(join(repo.root, '.git/index'), join(repo.base, 'index'))
      symlinkSync(join(repo.base, 'index'), join(repo.root, '.git/index'))
      return repo
    },
    also: (repo) => expect(lstatSync(join(repo.root, '.git/index')).isSymbolicLink()).toBe(true),
  },
  'post-index-change hook': {
    make: () => {
      const repo = makeRepo()
      hook(repo, 'post-index-change', 'echo ran >> ran.txt; exit 1')
      return repo
    },
  },
  'treeless clone': {
    make: () => {
      const source = forked()
      source.git(['config', 'uploadpack.allowFilter', 'true'])
      return cloneOf(source, { args: ['--filter=tree:0'] })
    },
    fsck: false,
  },
  'no identity': {
    make: () => {
      const repo = makeRepo()
      repo.git(['config', '--global', '--unset', 'user.name'])
      repo.git(['config', '--global', '--unset', 'user.email'])
      repo.git(['config', '--global', 'user.useConfigOnly', 'true'])
      return repo
    },
    identity: 'handoff',
    also: (repo) => expect(repo.git(['log', '-1', '--format=%an <%ae>'])).toBe('handoff <handoff@localhost>'),
  },
  subdirectory: {
    make: () => {
      const repo = makeRepo()
      repo.commit('deep', { 'deep/er/x.txt': 'x\n' })
      return repo
    },
    cwd: (repo) => join(repo.root, 'deep/er'),
  },
  'GIT_DIR and GIT_INDEX_FILE of another repository inherited': {
    make: makeRepo,
    env: () => {
      const other = makeRepo()
      return {
        GIT_DIR: join(other.root, '.git'),
        GIT_INDEX_FILE: join(other.root, '.git/index'),
        GIT_WORK_TREE: other.root,
        GIT_OBJECT_DIRECTORY: join(other.root, '.git/objects'),
      }
    },
  },
  'branch with quotes, dollar and unicode': { make: branchNamed(`fix/"a"'b'$(touch\${IFS}x)\`id\`-ü-日本`) },
  'branch -x': { make: branchNamed('-x') },
  'packed refs': {
    make: () => {
      const repo = forked()
      repo.git(['pack-refs', '--all', '--prune'])
      return repo
    },
  },
  'replace refs': {
    make: () => {
      const repo = forked()
      repo.git(['replace', 'HEAD~1', 'HEAD~2'])
      repo.git(['replace', '--graft', 'HEAD'])
      return repo
    },
    fsck: false,
  },
  '.handoff committed as a symbolic link': {
    make: () => {
      const repo = makeRepo()
      mkdirSync(join(repo.base, 'outside'))
      symlinkSync('../outside', join(repo.root, '.handoff'))
      repo.commit('link')
      return repo
    },
    fails: 'E_UNSAFE_PATH',
    refuses: 'E_UNSAFE_PATH',
  },
  'latest.md is a symbolic link': {
    make: () => {
      const repo = makeRepo()
      repo.write('.handoff/README.md', 'r\n')
      symlinkSync('/etc/hostname', join(repo.root, '.handoff/latest.md'))
      repo.commit('link')
      return repo
    },
    refuses: 'E_UNSAFE_PATH',
    also: (repo) => expect(repo.git(['ls-tree', 'HEAD', '.handoff/latest.md'])).toContain('120000'),
  },
  'index missing': {
    make: () => {
      const repo = makeRepo()
      unlinkSync(join(repo.root, '.git/index'))
      return repo
    },
  },
  ignorecase: { make: () => configured(['core.ignoreCase', 'true']) },
  worktreeConfig: {
    make: () => {
      const repo = configured(['extensions.worktreeConfig', 'true'])
      repo.git(['config', '--worktree', 'user.name', 'Work Tree'])
      return repo
    },
    also: (repo) => expect(repo.git(['log', '-1', '--format=%an'])).toBe('Work Tree'),
  },
  'fsmonitor set': {
    make: () => {
      const repo = makeRepo()
      repo.write('.git/monitor', `#!/bin/sh\ntouch "${repo.base}/monitored"\n`)
      chmodSync(join(repo.root, '.git/monitor'), 0o755)
      repo.git(['config', 'core.fsmonitor', '.git/monitor'])
      return repo
    },
  },
  'separate git dir': {
    make: () => {
      const base = makeFolder()
      mkdirSync(join(base, 'repo'))
      const repo = atFolder(base, join(base, 'repo'), makeEnv(join(base, 'home')))
      repo.git(['init', '-q', '--separate-git-dir', join(base, 'elsewhere.git')])
      repo.commit('first', { 'a.txt': 'a\n' })
      return repo
    },
  },
  'eol=crlf for everything': {
    make: () => {
      const repo = makeRepo()
      repo.commit('attributes', { '.gitattributes': '* text eol=crlf\n' })
      return repo
    },
    also: (repo) => expect(repo.git(['cat-file', 'blob', `HEAD:${BRIEF}`])).toBe(CONTENT.trimEnd()),
  },
  'ident for everything': {
    make: () => {
      const repo = makeRepo()
      repo.commit('attributes', { '.gitattributes': '* ident\n' })
      return repo
    },
  },
  'skip-worktree': {
    make: () => {
      const repo = makeRepo()
      repo.commit('more', { 'b.txt': 'b\n' })
      repo.git(['update-index', '--skip-worktree', 'b.txt'])
      repo.write('b.txt', 'mine\n')
      return repo
    },
  },
}
