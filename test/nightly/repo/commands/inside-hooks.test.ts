import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../../../e2e/build.ts'
import { cli } from '../../../repo/cli.ts'
import { expectNoHarm, snapshot } from '../../../repo/git/harm.ts'
import type { TempRepo } from '../../../repo/make-repo.ts'
import { headOf, usual } from '../../../repo/usual.ts'
import { byNight, sampled } from '../../../sampled.ts'

const PROGRAM = `'${process.execPath}' '${join(root, 'bin/handoff.cjs')}'`
const CREATE = `${PROGRAM} create 'finish the retry queue and document its limits' --from git`

/** Puts a hook in that notes each of its runs, with what the command in it said. */
function hooked(repo: TempRepo, name: string, command: string): () => string[] {
  const log = join(repo.base, 'log')
  const path = join(repo.root, '.git/hooks', name)
  writeFileSync(
    path,
    `#!/bin/sh\necho "== $GIT_INDEX_FILE" >>'${log}'\nif [ $(wc -l <'${log}') -gt 400 ]; then exit 1; fi\n${command} >>'${log}' 2>&1 </dev/null\nexit 0\n`,
  )
  chmodSync(path, 0o755)
  return () => (existsSync(log) ? readFileSync(log, 'utf8').split('\n').slice(0, -1) : [])
}

const runsIn = (lines: readonly string[]) => lines.filter((line) => line.startsWith('== '))

/** What makes git run each of these hooks, by a person. */
const KINDS: Readonly<Record<string, (repo: TempRepo) => void>> = {
  'post-index-change': (repo) => void repo.git(['add', 'a.txt']),
  'pre-rebase': (repo) => void repo.git(['rebase', '-q', 'side']),
  'reference-transaction': (repo) => void repo.git(['branch', 'another']),
}

/** A branch beside main, and a change that is not staged. */
function forked(): TempRepo {
  const repo = usual()
  repo.git(['switch', '-q', '-c', 'side'])
  repo.commit('side', { 'side.txt': 's\n' })
  repo.git(['switch', '-q', 'main'])
  repo.commit('main', { 'main.txt': 'm\n' })
  return repo
}

describe('in hooks of odd kinds', () => {
  byNight.each(sampled(Object.entries(KINDS), 1))(
    'G7: create in %s refuses, and git goes on',
    async (name, act) => {
      const repo = forked()
      if (name !== 'pre-rebase') repo.write('a.txt', 'changed\n')
      const lines = hooked(repo, name, CREATE)
      act(repo)
      const said = lines()
      // Git itself writes more than once.
      expect(runsIn(said).length).toBeGreaterThan(0)
      expect(runsIn(said).length).toBeLessThan(6)
      expect(said.join('\n').replaceAll(/\s+/g, ' ')).toContain(`This runs inside the ${name} hook`)
      expect(repo.git(['log', '--all', '--format=%s'])).not.toContain('handoff')
      expect(repo.git(['for-each-ref', 'refs/handoff'])).toBe('')
      expect(existsSync(join(repo.root, '.handoff'))).toBe(false)
      expect(repo.git(['status', '--porcelain', '-uall'])).toBe(
        { 'post-index-change': 'M  a.txt', 'pre-rebase': '', 'reference-transaction': ' M a.txt' }[name],
      )
      if (name === 'pre-rebase')
        expect(repo.git(['rev-parse', 'main~1'])).toBe(repo.git(['rev-parse', 'side']))
    },
  )

  it('G7: a command that refreshes latest.md does not call itself in post-index-change', async () => {
    const repo = forked()
    await cli(repo, ['create', 'finish the retry queue and document its limits', '--from', 'git'])
    repo.git(['switch', '-q', '-c', 'next'])
    const lines = hooked(repo, 'post-index-change', `${PROGRAM} status`)
    repo.write('a.txt', 'changed\n')
    repo.git(['add', 'a.txt'])
    expect(runsIn(lines()).length).toBeLessThan(6)
    expect(lines().join('\n')).toContain('Open brief')
    expect(repo.read('.handoff/latest.md')).toContain('branch=next')
    expect(repo.git(['status', '--porcelain'])).toBe('M  a.txt')
  })

  byNight(
    'G7: create itself calls no hook about its private index, and reference-transaction once',
    async () => {
      const repo = forked()
      const before = snapshot(repo)
      const lines = hooked(repo, 'post-index-change', ':')
      await cli(repo, ['create', 'finish the retry queue and document its limits', '--from', 'git'])
      expect(lines()).toEqual([])
      expectNoHarm(repo, before)
    },
  )

  byNight('G7: a hook that becomes the program is told by its own git', async () => {
    const repo = forked()
    const lines = hooked(
      repo,
      'reference-transaction',
      `[ "$1" != committed ] || exec ${CREATE} --allow-vague`,
    )
    const { code } = await cli(repo, [
      'create',
      'finish the retry queue and document its limits',
      '--from',
      'git',
    ])
    expect(code).toBe(0)
    expect(runsIn(lines()).length).toBeLessThan(6)
    expect(repo.git(['rev-list', '--count', 'main'])).toBe(
      String(Number(repo.git(['rev-list', '--count', 'main~1'])) + 1),
    )
    expect(headOf(repo)).not.toBe('')
    expect(lines().join('\n').replaceAll(/\s+/g, ' ')).toContain(
      'This runs inside the reference-transaction hook',
    )
  })
})
