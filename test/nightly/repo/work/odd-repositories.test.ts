import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cli } from '../../../repo/cli.ts'
import { atFolder, makeEnv, type TempRepo } from '../../../repo/make-repo.ts'
import { hook } from '../../../repo/remote/team.ts'
import { BRANCH, done, handOver, makePair, refused, stateOf } from '../../../repo/work/pair.ts'

const sides = ['merge', 'rebase', 'cherry-pick', 'revert', 'bisect'] as const

/** Begins an operation that stops. */
function begin(repo: TempRepo, operation: (typeof sides)[number]): void {
  repo.git(['switch', '-q', '-c', 'theirs'])
  const theirs = repo.commit('theirs', { 'a.txt': 'theirs\n' })
  repo.git(['switch', '-q', '-'])
  repo.commit('ours', { 'a.txt': 'ours\n' })
  if (operation === 'bisect') repo.git(['bisect', 'start'])
  else if (operation === 'revert') repo.tryGit(['revert', '--no-edit', theirs])
  else if (operation === 'cherry-pick') repo.tryGit(['cherry-pick', theirs])
  else repo.tryGit([operation, 'theirs'])
}

describe('work in an odd repository', () => {
  it.each(sides)('waits for the end of a %s on either side', async (operation) => {
    const { ann, bob } = await makePair()
    ann.write('dir/b.txt', 'hers\n')
    await done(ann, ['push', '--work'])
    for (const repo of [bob, ann]) {
      begin(repo, operation)
      const before = [stateOf(repo), repo.git(['for-each-ref', 'refs/heads'])]
      // A rebase or bisect detaches HEAD.
      const error = await refused(repo, repo === ann ? ['push', '--work'] : ['open', BRANCH])
      expect(error.code).toMatch(/^E_(?:IN_PROGRESS|IN_THE_WAY|NO_BRANCH)$/)
      expect([stateOf(repo), repo.git(['for-each-ref', 'refs/heads'])]).toEqual(before)
    }
  })

  it('refuses an index with conflicts', async () => {
    const { ann } = await makePair()
    ann.write('a.txt', 'stashed\n')
    ann.git(['stash', '-q'])
    ann.commit('other', { 'a.txt': 'other\n' })
    ann.tryGit(['stash', 'pop'])
    expect(await refused(ann, ['push', '--work'])).toMatchObject({
      code: 'E_IN_PROGRESS',
      message: expect.stringContaining('the index has conflicts'),
    })
    expect((await cli(ann, ['push'])).code).toBe(0)
  })

  it.each([
    ['true', 'false'],
    ['false', 'true'],
    ['input', 'true'],
  ])('converts line ends as each side does: core.autocrlf %s and %s', async (hers, his) => {
    const { ann, bob } = await makePair()
    for (const [repo, value] of [
      [ann, hers],
      [bob, his],
    ] as const) {
      repo.git(['config', 'core.autocrlf', value])
      repo.git(['rm', '-q', '-r', '--cached', '.'])
      repo.git(['reset', '-q', '--hard'])
    }
    const text = (value: string) => (value === 'true' ? 'one\r\ntwo\r\n' : 'one\ntwo\n')
    ann.write('a.txt', text(hers))
    ann.git(['add', 'a.txt'])
    ann.write('new.txt', text(hers))
    await handOver(ann, 'the queue')
    await done(bob, ['open', BRANCH])
    expect([bob.read('a.txt'), bob.read('new.txt')]).toEqual([text(his), text(his)])
    expect(bob.git(['status', '--porcelain'])).toBe('M  a.txt\n?? new.txt')
    await handOver(bob, 'the queue again')
    await done(ann, ['open', BRANCH])
    expect([ann.read('a.txt'), ann.read('new.txt')]).toEqual([text(hers), text(hers)])
  })

  it('stores what a filter makes of a file, and restores it through that of the other side', async () => {
    const { ann, bob, hub } = await makePair()
    ann.commit('filtered', { '.gitattributes': '*.secret filter=turn\n', 'x.secret': 'plain\n' })
    await done(ann, ['push'])
    for (const repo of [ann, bob])
      for (const way of ['clean', 'smudge']) repo.git(['config', `filter.turn.${way}`, 'tr a-z n-za-m'])
    await done(bob, ['open', BRANCH])
    ann.write('x.secret', 'hello\n')
    ann.write('y.secret', 'world\n')
    await handOver(ann, 'the queue')
    const commit = hub.git(['for-each-ref', '--format=%(objectname)', 'refs/handoff/work'])
    expect(hub.git(['show', `${commit}:x.secret`])).toBe('uryyb')
    await done(bob, ['open', BRANCH])
    expect([bob.read('x.secret'), bob.read('y.secret')]).toEqual(['hello\n', 'world\n'])
    // Without its program nothing is sent in the clear.
    ann.git(['config', 'filter.turn.clean', 'no-such-program'])
    ann.git(['config', 'filter.turn.required', 'true'])
    ann.write('x.secret', 'again\n')
    const error = await refused(ann, ['push', '--work'])
    expect(error.message).toContain("clean filter 'turn' failed")
  })

  it('takes the commit of a submodule along where its remote has it, and names all else', async () => {
    const { ann, bob } = await makePair()
    const lib = atFolder(ann.base, join(ann.base, 'lib'), ann.env)
    ann.git(['init', '-q', '-b', 'main', lib.root])
    const [first, second] = [lib.commit('1', { 'l.txt': '1\n' }), lib.commit('2', { 'l.txt': '2\n' })]
    ann.git(['submodule', '--quiet', 'add', `file://${lib.root}`, 'lib'])
    const inside = atFolder(ann.base, join(ann.root, 'lib'), ann.env)
    ann.git(['submodule', '--quiet', 'add', `file://${lib.root}`, 'lib2'])
    ann.commit('modules')
    await done(ann, ['push'])
    await done(bob, ['open', BRANCH])
    bob.git(['submodule', '--quiet', 'update', '--init'])
    inside.git(['checkout', '-q', first])
    ann.git(['add', 'lib'])
    ann.write('lib2/l.txt', 'changed inside\n')
    ann.write('a.txt', 'x\n')
    const id = await handOver(ann, 'the queue')
    const opened = await done(bob, ['open', BRANCH])
    expect(opened.work.left).toEqual([{ path: 'lib2', why: 'changes inside a submodule' }])
    expect(bob.git(['ls-files', '-s', 'lib'])).toContain(first)
    expect(bob.git(['rev-parse', 'HEAD'], { cwd: join(bob.root, 'lib') })).toBe(second)
    bob.git(['submodule', '--quiet', 'update'])
    expect(bob.git(['status', '--porcelain'])).toBe(' M a.txt\nM  lib')
    // A commit that nobody can fetch stays.
    const own = inside.commit('never pushed')
    const { work } = await done(ann, ['push', '--work'])
    expect(work).toMatchObject({ id, left: [{ path: 'lib' }, { path: 'lib2' }] })
    expect(own).not.toBe('')
  })

  it('works where both repositories have SHA-256 ids', async () => {
    const { ann, bob } = await makePair(['--object-format=sha256'])
    ann.write('a.txt', 'x\n')
    ann.git(['rm', '-q', 'gone.txt'])
    await handOver(ann, 'the queue')
    await done(bob, ['open', BRANCH])
    expect(stateOf(bob)).toEqual(stateOf(ann))
  })

  it('works from and into sparse checkouts, and stops where a file is outside', async () => {
    const { ann, bob, hub } = await makePair()
    for (const repo of [ann, bob]) repo.git(['sparse-checkout', 'set', '--cone', 'dir', '.handoff'])
    ann.write('dir/b.txt', 'x\n')
    ann.write('dir/new.txt', 'n\n')
    await handOver(ann, 'the queue')
    await done(bob, ['open', BRANCH])
    expect(stateOf(bob)).toEqual(stateOf(ann))
    expect(bob.git(['status', '--porcelain'])).toBe(' M dir/b.txt\n?? dir/new.txt')
    bob.git(['sparse-checkout', 'set', '--cone', 'dir', 'other', '.handoff'])
    bob.write('other/name.md', 'outside for her\n')
    const id = await handOver(bob, 'the queue again')
    const error = await refused(ann, ['open', BRANCH])
    expect(error).toMatchObject({ code: 'E_IN_THE_WAY', files: ['other/name.md'] })
    expect(hub.git(['for-each-ref', `refs/handoff/work/${id}`])).not.toBe('')
    ann.git(['sparse-checkout', 'add', 'other'])
    await done(ann, ['open', BRANCH])
    expect(ann.read('other/name.md')).toBe('outside for her\n')
    expect(stateOf(ann)).toEqual(stateOf(bob))
  })

  it('works between a blobless clone and a linked worktree', async () => {
    const { ann, bob, hub } = await makePair()
    hub.git(['config', 'uploadpack.allowFilter', 'true'])
    const eve = atFolder(ann.base, join(ann.base, 'eve'), makeEnv(join(ann.base, 'eve-home')))
    eve.git(['clone', '-q', '--filter=blob:none', `file://${hub.root}`, eve.root], { cwd: ann.base })
    const linked = atFolder(ann.base, join(ann.base, 'linked'), ann.env)
    ann.git(['switch', '-q', 'main'])
    ann.git(['worktree', 'add', '-q', linked.root, BRANCH])
    linked.write('a.txt', 'x\n')
    linked.git(['add', 'a.txt'])
    linked.write('b.txt', 'new\n')
    await handOver(linked, 'the queue')
    expect(ann.git(['status', '--porcelain'])).toBe('')
    await done(eve, ['open', BRANCH])
    expect(stateOf(eve)).toEqual(stateOf(linked))
    eve.write('dir/c.txt', 'c2\n')
    await handOver(eve, 'the queue again')
    await done(linked, ['open', BRANCH])
    expect(stateOf(linked)).toEqual(stateOf(eve))
    expect(bob.git(['status', '--porcelain'])).toBe('')
  })

  it('works with a split index, an untracked cache and flags on entries', async () => {
    const { ann, bob } = await makePair()
    for (const repo of [ann, bob]) {
      repo.git(['update-index', '--split-index'])
      repo.git(['config', 'core.untrackedCache', 'true'])
      repo.git(['status'])
    }
    ann.git(['update-index', '--assume-unchanged', 'dir/c.txt'])
    ann.write('a.txt', 'x\n')
    ann.git(['add', 'a.txt'])
    ann.write('n.txt', 'n\n')
    await handOver(ann, 'the queue')
    await done(bob, ['open', BRANCH])
    expect(stateOf(bob)).toEqual(stateOf(ann))
    expect(ann.git(['ls-files', '-v', 'dir/c.txt'])).toBe('h dir/c.txt')
    expect(bob.git(['fsck', '--no-dangling'])).toBe('')
  })

  it('sends a file as it was when git read it, while it goes on changing', async () => {
    const { ann, bob } = await makePair()
    hook(join(ann.base, 'bin/filter'), `cat; echo changed > "${ann.root}/a.txt"`)
    ann.commit('filtered', { '.gitattributes': 'zz.txt filter=slow\n', 'zz.txt': 'z\n' })
    ann.git(['config', 'filter.slow.clean', join(ann.base, 'bin/filter')])
    writeFileSync(join(ann.root, 'a.txt'), 'first\n')
    writeFileSync(join(ann.root, 'zz.txt'), 'zz\n')
    await handOver(ann, 'the queue')
    await done(bob, ['open', BRANCH])
    expect(['first\n', 'changed\n']).toContain(bob.read('a.txt'))
    expect(bob.read('zz.txt')).toBe('zz\n')
    expect(ann.read('a.txt')).toBe('changed\n')
  })

  it('says so where git has no index', async () => {
    const { ann } = await makePair()
    rmSync(join(ann.root, '.git/index'))
    expect(await refused(ann, ['push', '--work'])).toMatchObject({ code: 'E_IN_PROGRESS' })
    expect(existsSync(join(ann.root, '.git/index'))).toBe(false)
  })
})
