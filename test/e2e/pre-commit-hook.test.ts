import { chmodSync, copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { atFolder, makeRepo, type TempRepo } from '../repo/make-repo.ts'
import { root } from './build.ts'

const BRIEF = '.handoff/briefs/20261122T100000-000abc00-a-broken-one.md'

/** A repository with the product's hook installed and `handoff` on PATH. */
function hooked(): TempRepo {
  const repo = makeRepo()
  const bin = join(repo.base, 'bin')
  mkdirSync(bin)
  for (const name of ['handoff', 'git-handoff']) symlinkSync(join(root, 'bin/handoff.cjs'), join(bin, name))
  copyFileSync(join(root, 'hooks/pre-commit'), join(repo.root, '.git/hooks/pre-commit'))
  return atFolder(repo.base, repo.root, { ...repo.env, PATH: `${bin}:${repo.env.PATH}` })
}

describe('the pre-commit hook', () => {
  it('lets a commit without briefs pass', () => {
    const repo = hooked()
    repo.write('b.txt', 'b\n')
    repo.git(['add', '-A'])
    expect(repo.tryGit(['commit', '-q', '-m', 'b']).status).toBe(0)
  })

  it('stops a commit with a broken brief and says why; HANDOFF=0 switches it off', () => {
    const repo = hooked()
    repo.write(BRIEF, '---js\nprocess.exit(0)\n---\n')
    repo.git(['add', '-A'])
    const stopped = repo.tryGit(['commit', '-q', '-m', 'broken'])
    expect(stopped.status).toBe(1)
    expect(stopped.stdout + stopped.stderr).toContain(`${BRIEF}:1: error:`)
    expect(repo.git(['commit', '-q', '-m', 'broken'], { env: { HANDOFF: '0' } })).toBe('')
  })

  it('sees what `commit -a` and `commit <path>` really commit', () => {
    const repo = hooked()
    repo.write(BRIEF, '---js\n---\n')
    repo.git(['add', '-A'])
    repo.git(['commit', '-q', '-m', 'broken'], { env: { HANDOFF: '0' } })
    writeFileSync(join(repo.root, BRIEF), '---js\nmore\n---\n')
    repo.write('b.txt', 'b\n')
    repo.git(['add', 'b.txt'])
    expect(repo.tryGit(['commit', '-q', '-m', 'only b', 'b.txt']).status).toBe(0)
    expect(repo.tryGit(['commit', '-q', '-a', '-m', 'all']).status).toBe(1)
    expect(repo.tryGit(['commit', '-q', '-m', 'the brief', BRIEF]).status).toBe(1)
  })

  it('lets a brief of the tool itself pass', () => {
    const repo = hooked()
    repo.write('a.txt', 'changed\n')
    const made = repo.git([
      'handoff',
      'create',
      'describe the change of a.txt in full',
      '--from',
      'git',
      '--no-commit',
    ])
    expect(made).toContain('.handoff/briefs/')
    repo.git(['add', '-A'])
    expect(repo.tryGit(['commit', '-q', '-m', 'with the brief']).status).toBe(0)
  })
})

describe('create called by a hook of the user', () => {
  const CREATE = 'handoff create "describe the change of a.txt in full" --from git'

  function withHook(name: string): TempRepo {
    const repo = hooked()
    writeFileSync(
      join(repo.root, '.git/hooks', name),
      `#!/bin/sh\n${CREATE} >"${repo.base}/out" 2>&1\nexit 0\n`,
    )
    chmodSync(join(repo.root, '.git/hooks', name), 0o755)
    repo.write('a.txt', 'changed\n')
    return repo
  }

  it.each(['pre-commit', 'prepare-commit-msg', 'commit-msg'])(
    'inside %s it refuses, and the commit goes on',
    (name) => {
      for (const args of [['-a'], ['a.txt']]) {
        const repo = withHook(name)
        expect(repo.tryGit(['commit', '-q', '-m', 'mine', ...args]).status).toBe(0)
        expect(readFileSync(join(repo.base, 'out'), 'utf8')).toContain(`inside the ${name} hook`)
        expect(repo.git(['log', '--format=%s'])).toBe('mine\nfirst')
        expect(repo.git(['status', '--porcelain'])).toBe('')
      }
    },
  )

  it('inside post-commit it works', () => {
    const repo = withHook('post-commit')
    expect(repo.tryGit(['commit', '-q', '-a', '-m', 'mine']).status).toBe(0)
    expect(repo.git(['log', '--format=%s']).split('\n')).toEqual([
      'chore(handoff): describe the change of a.txt in full',
      'mine',
      'first',
    ])
    expect(repo.git(['status', '--porcelain'])).toBe('')
  })
})
