import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { GIT_EVENTS, REFUSED, runnerText } from '../../../../src/hooks/runner.ts'
import { makeRepo, type TempRepo, type TempRepoOptions } from '../../../repo/make-repo.ts'
import { byNight, sampled } from '../../../sampled.ts'

const HOOKS = fileURLToPath(new URL('../../../../hooks/', import.meta.url))
const names = GIT_EVENTS.map(({ name }) => name)

interface Hooked extends TempRepo {
  /** Every start of node since the last question, as `<event> <arguments>`. */
  calls: () => string[]
  /** From now on node ends with this status. */
  ends: (status: number) => void
  node: string
  program: string
}

/** A repository with all our hooks in git's folder, whose runner calls a stand-in for node that only notes how it was called. */
function hooked(options: TempRepoOptions = {}): Hooked {
  const repo = makeRepo({ name: "it's a repo", ...options })
  const [node, program, log] = ['node', 'handoff.cjs', 'calls'].map((name) => join(repo.base, name)) as [
    string,
    string,
    string,
  ]
  writeFileSync(program, '')
  writeFileSync(log, '')
  const ends = (status: number): void =>
    writeFileSync(node, `#!/bin/sh\nshift 2\necho "$*" >> '${log}'\nexit ${status}\n`, { mode: 0o755 })
  ends(0)
  mkdirSync(join(repo.root, '.git/handoff'))
  writeFileSync(join(repo.root, '.git/handoff/hook'), runnerText({ node, program }))
  for (const name of names) {
    copyFileSync(HOOKS + name, join(repo.root, '.git/hooks', name))
    chmodSync(join(repo.root, '.git/hooks', name), 0o755)
  }
  const calls = (): string[] => {
    const lines = readFileSync(log, 'utf8').split('\n').slice(0, -1)
    writeFileSync(log, '')
    return lines.map((line) => line.replace(' --', '').trim())
  }
  return Object.assign(repo, { calls, ends, node, program })
}

const BRIEF = '.handoff/briefs/20261122T100000-000abc00-one.md'

/** A branch `topic` with a brief, and `main` without. */
function briefed(): Hooked {
  const repo = hooked()
  repo.git(['switch', '-q', '-c', 'topic'])
  repo.commit('brief', { [BRIEF]: 'one\n', '.handoff/latest.md': 'pointer\n' })
  repo.calls()
  return repo
}

describe('where no brief is concerned no node is started', () => {
  it('by commits of every kind, in a repository without any brief', () => {
    const repo = hooked()
    repo.write('a.txt', 'b\n')
    repo.git(['commit', '-q', '-a', '-m', 'all'])
    repo.write('a.txt', 'c\n')
    repo.git(['commit', '-q', '-o', '-m', 'only', 'a.txt'])
    repo.git(['commit', '-q', '--amend', '-m', 'amended'])
    repo.git(['commit', '-q', '--allow-empty', '-m', 'empty'])
    repo.git(['switch', '-q', '-c', 'side', 'HEAD~1'])
    const picked = repo.commit('side', { 'b.txt': 'b\n' })
    repo.git(['merge', '-q', '--no-edit', 'main'])
    repo.git(['rebase', '-q', '--force-rebase', 'HEAD~1'])
    repo.git(['checkout', '-q', 'main'])
    repo.git(['cherry-pick', picked])
    repo.git(['revert', '--no-edit', 'HEAD'])
    expect(repo.calls()).toEqual([])
  })

  it('by a checkout to where no brief is', () => {
    const repo = briefed()
    repo.git(['switch', '-q', 'main'])
    repo.git(['switch', '-q', '-c', 'other'])
    expect(repo.calls()).toEqual([])
  })

  byNight('by steps of a rebase or bisect, but at its end', () => {
    const repo = briefed()
    for (const n of [1, 2, 3, 4]) repo.commit(`c${n}`, { [`c${n}.txt`]: 'c\n' })
    repo.calls()
    repo.git(['bisect', 'start', '-q', 'HEAD', 'HEAD~4'])
    repo.git(['bisect', 'good'])
    repo.git(['bisect', 'reset'])
    expect(repo.calls()).toEqual([])
    repo.git(['rebase', '-q', '--force-rebase', '--exec', 'true', 'HEAD~3'])
    expect(repo.calls()).toEqual(['post-rewrite rebase no'])
  })

  it('by a merge that brought none, nor by a squash', () => {
    const repo = briefed()
    repo.git(['switch', '-q', 'main'])
    repo.commit('more', { 'm.txt': 'm\n' })
    repo.git(['switch', '-q', 'topic'])
    repo.calls()
    repo.git(['merge', '-q', '--no-edit', 'main'])
    expect(repo.calls()).toEqual([])
    repo.git(['switch', '-q', 'main'])
    repo.git(['merge', '-q', '--squash', 'topic'])
    expect(repo.calls()).toEqual([])
  })

  byNight('by messages that are not written here', () => {
    const repo = briefed()
    repo.commit('side', { 's.txt': 's\n' })
    repo.git(['switch', '-q', '-c', 'b', 'HEAD~1'])
    repo.commit('b', { 'b.txt': 'b\n' })
    repo.calls()
    repo.git(['merge', '-q', '--no-edit', 'topic'])
    repo.git(['commit', '-q', '--amend', '--no-edit'])
    repo.git(['commit', '-q', '--allow-empty', '-C', 'HEAD'])
    repo.git(['revert', '--no-edit', 'HEAD~1', '-m', '1'])
    expect(repo.calls()).toEqual([])
  })
})

describe('node is started', () => {
  it('for a commit that holds something of ours, whichever way it is staged', () => {
    const repo = briefed()
    repo.write(BRIEF, 'two\n')
    repo.git(['commit', '-q', '-m', 'only', 'a.txt', '--allow-empty'])
    expect(repo.calls()).toEqual(['prepare-commit-msg .git/COMMIT_EDITMSG message'])
    repo.git(['commit', '-q', '-m', 'two', BRIEF])
    repo.write(BRIEF, 'three\n')
    repo.git(['commit', '-q', '-a', '-m', 'three'])
    repo.git(['rm', '-q', BRIEF])
    repo.git(['commit', '-q', '-m', 'none'])
    expect(repo.calls().filter((line) => line.startsWith('pre-commit'))).toHaveLength(3)
  })

  byNight('for a rebase onto briefs, with the list read to its end', () => {
    const repo = briefed()
    repo.git(['switch', '-q', 'main'])
    for (let n = 0; n < 20; n++) repo.commit(`c${n}`, { [`c${n}.txt`]: 'c\n' })
    repo.calls()
    repo.git(['rebase', '-q', 'topic'])
    expect(repo.calls()).toEqual(['post-rewrite rebase'])
  })

  byNight('for a checkout where briefs stand only on a branch of their own', () => {
    const repo = hooked()
    repo.git(['update-ref', 'refs/heads/handoff/main', 'HEAD'])
    repo.git(['switch', '-q', '-c', 'other'])
    expect(repo.calls()).toHaveLength(1)
  })

  it('for a message that was written here, on a branch with briefs', () => {
    const repo = briefed()
    repo.git(['commit', '-q', '--allow-empty', '-m', 'x'])
    repo.git(['-c', 'core.editor=echo x >', 'commit', '-q', '--allow-empty'])
    expect(repo.calls()).toEqual([
      'prepare-commit-msg .git/COMMIT_EDITMSG message',
      'prepare-commit-msg .git/COMMIT_EDITMSG',
    ])
  })

  byNight('never with HANDOFF=0, nor where the clone has no runner', () => {
    const repo = briefed()
    repo.write(BRIEF, 'two\n')
    repo.git(['commit', '-q', '-a', '-m', 'two'], { env: { HANDOFF: '0' } })
    expect(repo.calls()).toEqual([])
    rmSync(join(repo.root, '.git/handoff'), { recursive: true })
    repo.write(BRIEF, 'three\n')
    expect(repo.tryGit(['commit', '-a', '-m', 'three']).stderr).toBe('')
    expect(repo.tryGit(['switch', 'main']).stderr).toBe('')
    expect(repo.calls()).toEqual([])
  })
})

describe('what the program says', () => {
  it.each([
    [0, 0, ''],
    [REFUSED, 1, ''],
    [1, 0, 'handoff ended with 1'],
    [139, 0, 'handoff ended with 139'],
  ])('status %i of it is %i for the commit', (status, expected, said) => {
    const repo = briefed()
    repo.ends(status)
    repo.write(BRIEF, 'two\n')
    const line = spawnSync('git', ['commit', '-q', '-a', '-m', 'two'], {
      cwd: repo.root,
      env: repo.env,
      encoding: 'utf8',
    })
    expect(line.status).toBe(expected)
    expect(line.stderr).toContain(said)
    if (said === '') expect(line.stderr).toBe('')
  })

  it('nothing stops a message, checkout, merge or rewrite', () => {
    const repo = briefed()
    repo.ends(REFUSED)
    for (const args of [
      ['switch', '-q', 'main'],
      ['merge', '-q', 'topic'],
      ['commit', '-q', '--allow-empty', '-m', 'x'],
      ['rebase', '-q', '--force-rebase', 'HEAD~1'],
    ])
      expect(repo.tryGit(args), args.join(' ')).toMatchObject({ status: 0, stderr: '' })
    expect(repo.calls()).toHaveLength(3)
  })
})

describe('an installation that is gone', () => {
  const gone = (repo: Hooked, args: string[], path: string) =>
    spawnSync('git', args, { cwd: repo.root, env: { ...repo.env, PATH: path }, encoding: 'utf8', input: '' })
  /** A PATH with git and sh and nothing of ours. */
  function bare(repo: Hooked): string {
    const bin = join(repo.base, 'bin')
    mkdirSync(bin)
    for (const name of ['git', 'sh', 'cat']) {
      const found = execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim()
      writeFileSync(join(bin, name), `#!/bin/sh\nexec ${found} "$@"\n`)
      chmodSync(join(bin, name), 0o755)
    }
    return bin
  }

  it('is silent, but for a commit whose briefs were not checked: that says so once', () => {
    const repo = briefed()
    rmSync(repo.program)
    const path = bare(repo)
    for (const args of [
      ['switch', '-q', 'main'],
      ['switch', '-q', 'topic'],
      ['commit', '-q', '--allow-empty', '-m', 'other'],
      ['merge', '-q', 'main'],
    ])
      expect(gone(repo, args, path), args.join(' ')).toMatchObject({ status: 0, stderr: '', stdout: '' })
    repo.write(BRIEF, 'two\n')
    repo.write('.handoff/briefs/20261122T100000-000abc01-two.md', 'two\n')
    const commit = gone(repo, ['commit', '-q', '-a', '-m', 'two'], path)
    expect(commit.status).toBe(0)
    expect(commit.stderr.trim().split('\n')).toEqual([
      expect.stringMatching(
        /^handoff: the briefs of this commit were not checked: its copy in the git directory, or Node, is gone\. To mend it: cd \/ && npx /,
      ),
    ])
  })

  byNight('needs no node on PATH while its own is there, and says so when there is none', () => {
    const repo = briefed()
    const path = bare(repo)
    repo.write(BRIEF, 'two\n')
    expect(gone(repo, ['commit', '-q', '-a', '-m', 'two'], path)).toMatchObject({ status: 0, stderr: '' })
    expect(repo.calls()[0]).toBe('pre-commit')
    rmSync(repo.node)
    repo.write(BRIEF, 'three\n')
    const without = gone(repo, ['commit', '-q', '-a', '-m', 'three'], path)
    expect(without.status).toBe(0)
    expect(without.stderr).toContain('were not checked')
  })
})

describe('the runner without a node of its own', () => {
  it('S1: calls the program with a node outside of the work tree, and none of its options', () => {
    const repo = makeRepo()
    const [bin, own] = [join(repo.base, 'bin'), join(repo.root, 'tools')]
    const said = 'echo "$NODE_OPTIONS: $*"'
    for (const [folder, text] of [
      [bin, said],
      [own, 'echo caught'],
    ] as const) {
      mkdirSync(folder)
      writeFileSync(join(folder, 'node'), `#!/bin/sh\n${text}\nexit ${REFUSED}\n`, { mode: 0o755 })
    }
    const program = join(repo.base, 'handoff.cjs')
    writeFileSync(program, '')
    mkdirSync(join(repo.root, '.git/handoff'))
    writeFileSync(join(repo.root, '.git/handoff/hook'), runnerText({ node: '', program }))
    repo.write(BRIEF, 'one\n')
    repo.git(['add', BRIEF])
    const env = {
      ...repo.env,
      PATH: `tools:${own}:${bin}:${repo.env.PATH}`,
      NODE_OPTIONS: '--require ./x.cjs',
    }
    const args = ['.git/handoff/hook', 'git', 'pre-commit']
    const run = spawnSync('sh', args, { cwd: repo.root, env, encoding: 'utf8' })
    expect(run).toMatchObject({ status: 1, stdout: `: ${program} hook pre-commit --\n` })
  })
})

describe('a hook that was there before', () => {
  const theirs = (repo: TempRepo, name: string, text: string): void => {
    const path = join(repo.root, '.git/hooks', `${name}.before-handoff`)
    writeFileSync(path, text)
    chmodSync(path, 0o755)
  }

  it.each(sampled(names, 3))(
    '%s: comes first, with its arguments and input, and its status is respected',
    (name) => {
      const repo = briefed()
      const log = join(repo.base, 'theirs')
      theirs(repo, name, `#!/bin/sh\necho "$*" > '${log}'\n[ "$1" = "" ] || cat >> '${log}'\nexit 42\n`)
      const input = 'refs/heads/topic 1111 refs/heads/topic 2222\nold new extra\n'
      const run = spawnSync(join(repo.root, '.git/hooks', name), ['one', 'two three', '1'], {
        cwd: repo.root,
        env: repo.env,
        input,
        encoding: 'utf8',
      })
      expect(run.status).toBe(42)
      expect(readFileSync(log, 'utf8')).toBe(`one two three 1\n${input}`)
      expect(repo.calls()).toEqual([])
    },
  )

  it('hands the input on to ours, to the last byte, also when there is none', () => {
    const repo = briefed()
    const log = join(repo.base, 'theirs')
    theirs(repo, 'pre-push', `#!/bin/sh\ncat > '${log}'\n`)
    writeFileSync(repo.node, `#!/bin/sh\ncat > '${log}.ours'\n`)
    for (const input of ['', 'refs/heads/a 1 refs/heads/a 2\n', "it's `odd` $(x) \\n %s\nlast\n"]) {
      spawnSync(join(repo.root, '.git/hooks/pre-push'), ['origin', 'url'], {
        cwd: repo.root,
        env: repo.env,
        input,
      })
      expect(readFileSync(log, 'utf8')).toBe(input)
      expect(readFileSync(`${log}.ours`, 'utf8').trimEnd()).toBe(input.trimEnd())
    }
  })
})
