import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { USUAL, writeClaudeSession } from '../claude-session.ts'
import { cli } from '../cli.ts'
import { expectNoHarm, snapshot } from '../git/harm.ts'
import { makeRepo, type TempRepo } from '../make-repo.ts'
import { later, made } from '../usual.ts'

/** Everything an index can hold: staged, unstaged, intent to add, assume-unchanged, skip-worktree, odd names and modes. */
function rich(): TempRepo {
  const repo = makeRepo()
  repo.commit('work', {
    'src/queue.ts': 'x\n',
    'src/api.ts': 'y\n',
    'test/queue.test.ts': 'z\n',
    'assumed.txt': 'a\n',
    'skipped.txt': 's\n',
    'gone.txt': 'g\n',
    'old name.txt': 'a file that is renamed\nwith some lines\n',
    'bin/run': '#!/bin/sh\n',
    'with "quotes" and \u00fcml\u00e4uts.txt': 'q\n',
    '.gitignore': 'ignored/\n',
  })
  repo.write('src/queue.ts', 'stashed\n')
  repo.git(['stash', '-q'])
  repo.write('src/queue.ts', 'staged\n')
  repo.git(['add', 'src/queue.ts'])
  repo.write('src/queue.ts', 'staged, then changed\n')
  repo.write('src/api.ts', 'unstaged\n')
  repo.write('new.txt', 'intent\n')
  repo.git(['add', '-N', 'new.txt'])
  repo.git(['rm', '-q', '--cached', 'gone.txt'])
  repo.git(['mv', 'old name.txt', 'new name.txt'])
  chmodSync(join(repo.root, 'bin/run'), 0o755)
  repo.git(['add', 'bin/run'])
  repo.git(['update-index', '--assume-unchanged', 'assumed.txt'])
  repo.write('assumed.txt', 'changed behind the back of git\n')
  repo.git(['update-index', '--skip-worktree', 'skipped.txt'])
  repo.write('untracked.txt', 'u\n')
  repo.write('ignored/file.txt', 'i\n')
  writeFileSync(join(repo.root, '.handoff-notes.txt'), 'looks like ours, is the user’s\n')
  repo.git(['status'])
  writeClaudeSession(repo, USUAL)
  return repo
}

/** Every entry of the index with its times, inode, size and flags; those of `.handoff/` left out. */
const entries = (repo: TempRepo): string[] =>
  repo
    .git(['ls-files', '-s', '-v', '-z', '--debug'])
    .split('\0')
    .join('\n')
    .split(/\n(?=[A-Za-z?] \d{6} )/)
    .filter((entry) => !/^\S \d{6} [0-9a-f]+ \d\t\.handoff\//.test(entry))
    .map((entry) => entry.trimEnd())

it('the user’s index, work tree and stash are byte-identical apart from our entries', async () => {
  const repo = rich()
  const index = entries(repo)
  const stash = repo.git(['rev-parse', 'stash@{0}'])
  const state = snapshot(repo)
  expect(index.length).toBeGreaterThan(10)
  const unharmed = () => {
    expect(entries(repo)).toEqual(index)
    expect(repo.git(['rev-parse', 'stash@{0}'])).toBe(stash)
    expectNoHarm(repo, state, { fsck: false })
  }
  const first = await made(repo)
  unharmed()
  expect(repo.git(['show', '--name-only', '--format=']).split('\n')).not.toContain('src/queue.ts')
  repo.write('untracked.txt', 'u\n')
  await made(repo, ['--focus', 'the off-by-one'], { now: later(5) })
  unharmed()
  await cli(repo, ['note', '--blocker', 'the broker is down'])
  await cli(repo, ['show'])
  await cli(repo, ['log', '--all'])
  expect((await cli(repo, ['resume', '--json'], { now: later(7) })).json.ok).toBe(true)
  unharmed()
  expect((await cli(repo, ['done', 'shipped in 2.4', '--json'], { now: later(9) })).json.ok).toBe(true)
  unharmed()
  expect((await cli(repo, ['prune', '--keep', '1', '--json'], { now: later(9) })).json.ok).toBe(true)
  unharmed()
  repo.git(['fsck', '--no-dangling', '--no-progress'])
  expect(repo.git(['log', '--format=%s', `${first.commit}~1..`]).split('\n')).toHaveLength(5)
  // What was staged is still what the next commit takes, and nothing else.
  repo.git(['commit', '-q', '-m', 'the user commits'])
  expect(repo.git(['show', '--name-status', '--format=', '-M']).split('\n')).toEqual([
    'M\tbin/run',
    'D\tgone.txt',
    'R100\told name.txt\tnew name.txt',
    'M\tsrc/queue.ts',
  ])
})
