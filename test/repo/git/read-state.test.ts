import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openRepo } from '../../../src/git/open-repo.ts'
import { readWork } from '../../../src/life/trunk.ts'
import { byNight, sampled } from '../../sampled.ts'
import { atFolder, makeRepo, type TempRepo } from '../make-repo.ts'

const read = async (temp: TempRepo, options?: Parameters<typeof readWork>[1]) =>
  readWork(await openRepo(temp.root, { env: temp.env }), options)

describe('readState', () => {
  test('all kinds of changes, outside .handoff/ only', async () => {
    const temp = makeRepo()
    temp.commit('more', {
      'del.txt': 'd\n',
      'gone.txt': 'g\n',
      'old name.txt': 'one\ntwo\nthree\n',
      'b.txt': 'b\n',
      'both.txt': '1\n',
    })
    temp.write('a.txt', 'changed\n')
    temp.write('both.txt', '2\n')
    temp.git(['add', 'both.txt'])
    temp.write('both.txt', '3\n')
    temp.git(['rm', '-q', 'del.txt'])
    temp.git(['mv', 'old name.txt', 'nëw "name".txt'])
    temp.write('staged.txt', 's\n')
    temp.git(['add', 'staged.txt'])
    temp.write('deep/er/un tracked.txt', 'u\n')
    temp.write('.handoff/latest.md', 'x\n')
    temp.write('.gitignore', 'ignored.txt\n')
    temp.write('ignored.txt', 'i\n')
    temp.git([
      'stash',
      'store',
      '-m',
      'one',
      temp.git(['commit-tree', 'HEAD^{tree}', '-p', 'HEAD', '-p', 'HEAD', '-m', 'x']),
    ])
    const state = await read(temp)
    expect(state.changes.sort((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
      { path: '.gitignore', staged: false, unstaged: true, state: 'untracked' },
      { path: 'a.txt', staged: false, unstaged: true, state: 'modified' },
      { path: 'both.txt', staged: true, unstaged: true, state: 'modified' },
      { path: 'deep/er/un tracked.txt', staged: false, unstaged: true, state: 'untracked' },
      { path: 'del.txt', staged: true, unstaged: false, state: 'deleted' },
      { path: 'nëw "name".txt', from: 'old name.txt', staged: true, unstaged: false, state: 'renamed' },
      { path: 'staged.txt', staged: true, unstaged: false, state: 'added' },
    ])
    expect(state.stashes).toBe(1)
    for (const path of ['a.txt', 'del.txt', 'deep/er/un tracked.txt', 'nëw "name".txt', 'old name.txt'])
      expect(state.files.has(path)).toBe(true)
    expect(state.files.has('ignored.txt')).toBe(false)
    expect([...state.renames]).toEqual([['old name.txt', 'nëw "name".txt']])
    expect(state.identity).toEqual({ name: 'Dev One', email: 'dev@example.com' })
  })

  test('commits since the default branch with trailers, files and renames; commits of .handoff/ alone are left out', async () => {
    const temp = makeRepo()
    temp.git(['switch', '-q', '-c', 'work'])
    temp.commit('Add "it"\n\nBody: not a trailer\n\nTicket: T-1\nReviewed-by: A\n', {
      'one.txt': '1\n2\n3\n4\n',
      '.handoff/latest.md': 'x\n',
    })
    temp.git(['mv', 'one.txt', 'two.txt'])
    temp.commit('move once')
    temp.git(['mv', 'two.txt', 'three.txt'])
    temp.commit('move twice')
    temp.commit('a brief', { '.handoff/briefs/x.md': 'x\n' })
    temp.git(['commit', '-q', '--allow-empty', '-m', 'empty'])
    const state = await read(temp)
    expect(state.base).toEqual({ ref: 'main', sha: temp.git(['rev-parse', 'main']) })
    expect(state.commits.map((commit) => [commit.subject, commit.files])).toEqual([
      ['empty', []],
      ['move twice', ['three.txt']],
      ['move once', ['two.txt']],
      ['Add "it"', ['one.txt']],
    ])
    expect(state.commits[3]?.trailers).toEqual(['Ticket: T-1', 'Reviewed-by: A'])
    expect(state.commits[3]?.at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/)
    expect(state.commitCount).toBe(4)
    expect([...state.renames]).toEqual([
      ['one.txt', 'three.txt'],
      ['two.txt', 'three.txt'],
    ])
  })

  byNight('what the commits did to files in all', async () => {
    const temp = makeRepo()
    const text = '1\n2\n3\n4\n'
    temp.commit('start', {
      'kept.txt': 'a\n',
      'old.txt': text,
      'gone.txt': 'g\n',
      'moved away.txt': `${text}5\n`,
    })
    temp.git(['switch', '-q', '-c', 'work'])
    temp.commit('edit', { 'kept.txt': 'b\n', 'made.txt': 'm\n', 'passing.txt': 'p\n' })
    temp.git(['mv', 'old.txt', 'new.txt'])
    temp.git(['mv', 'moved away.txt', 'there.txt'])
    temp.git(['rm', '-q', 'gone.txt', 'passing.txt'])
    temp.commit('move')
    temp.git(['rm', '-q', 'there.txt'])
    temp.commit('undo', { 'kept.txt': 'a\n', 'new.txt': `${text}6\n`, '.handoff/briefs/x.md': 'x\n' })
    expect((await read(temp)).effect).toEqual([
      { path: 'gone.txt', kind: 'deleted' },
      { path: 'made.txt', kind: 'created' },
      { path: 'moved away.txt', kind: 'deleted' },
      { path: 'new.txt', from: 'old.txt', kind: 'renamed' },
    ])
  })

  byNight.each(sampled([230, 330], 1))('at most 50 commits, and how many there were: %i', async (count) => {
    const temp = makeRepo()
    const lines = ['commit refs/heads/long\nfrom main^0\n'].slice(1)
    for (let at = 0; at < count; at++) {
      const from = at === 0 ? 'from refs/heads/main^0\n' : ''
      const when = 1_700_000_000 + at
      lines.push(
        `commit refs/heads/long\ncommitter D <d@e> ${when} +0000\ndata 1\n${at % 10}\n${from}M 100644 inline f.txt\ndata <<E\n${at}\nE\n`,
      )
    }
    temp.git(['fast-import', '--quiet'], { input: lines.join('') })
    temp.git(['switch', '-q', 'long'])
    const state = await read(temp)
    expect(state.commits).toHaveLength(50)
    expect(state.commitCount).toBe(count)
  })

  byNight('commits since the base alone, also after a merge of it', async () => {
    const temp = makeRepo()
    temp.commit('pair', { 'p.txt': 'p\n', 'q.txt': 'q\n', '.handoff/x.md': 'x\n' })
    temp.commit('a brief', { '.handoff/briefs/y.md': 'y\n' })
    temp.git(['switch', '-q', '-c', 'work'])
    temp.commit('mine', { 'mine.txt': 'm\n' })
    temp.git(['switch', '-q', 'main'])
    temp.commit('theirs', { 'theirs.txt': 't\n' })
    temp.git(['switch', '-q', 'work'])
    const state = await read(temp)
    expect(state.commits.map((commit) => commit.subject)).toEqual(['mine'])
    expect(state.base).toEqual({ ref: 'main', sha: temp.git(['merge-base', 'main', 'work']) })
    // Side branches that were merged are told apart too.
    temp.git(['merge', '-q', '--no-edit', 'main'])
    temp.commit('again', { 'mine.txt': 'n\n' })
    const merged = await read(temp)
    expect(merged.commits.map((commit) => commit.subject)).toEqual([
      'again',
      "Merge branch 'main' into work",
      'mine',
    ])
    expect(merged.commitCount).toBe(3)
  })

  byNight('upstream, ahead and behind; the base of a clone is the default branch of its remote', async () => {
    const source = makeRepo({ branch: 'trunk' })
    const root = join(source.base, 'clone')
    source.git(['clone', '-q', source.root, root])
    const temp = atFolder(source.base, root, source.env)
    source.commit('theirs', { 'x.txt': 'x\n' })
    temp.commit('mine', { 'y.txt': 'y\n' })
    temp.git(['fetch', '-q'])
    const onTrunk = await read(temp)
    expect(onTrunk).toMatchObject({ branch: 'trunk', upstream: 'origin/trunk', ahead: 1, behind: 1 })
    expect(onTrunk.base?.ref).toBe('origin/trunk')
    expect(onTrunk.commits.map((commit) => commit.subject)).toEqual(['mine'])
    temp.git(['switch', '-q', '-c', 'feature'])
    temp.git(['push', '-q', '-u', 'origin', 'feature'])
    temp.commit('more', { 'z.txt': 'z\n' })
    const onFeature = await read(temp)
    expect(onFeature).toMatchObject({ upstream: 'origin/feature', ahead: 1, behind: 0 })
    expect(onFeature.base?.ref).toBe('origin/trunk')
    expect(onFeature.commits.map((commit) => commit.subject)).toEqual(['more', 'mine'])
    // An upstream of another name is what the branch grew from.
    temp.git(['switch', '-q', '-c', 'next', '--track', 'origin/feature'])
    expect((await read(temp)).base?.ref).toBe('origin/feature')
    // An upstream that was deleted counts for nothing.
    temp.git(['push', '-q', 'origin', ':feature'])
    temp.git(['fetch', '-q', '--prune'])
    expect(await read(temp)).toMatchObject({ ahead: null, behind: null, base: { ref: 'origin/trunk' } })
  })

  byNight('nothing to compare with: commits after the last handoff, or after the given time', async () => {
    const temp = makeRepo()
    expect(await read(temp)).toMatchObject({ base: null, commits: [], commitCount: 0 })
    temp.commit('brief\n\nHandoff-Id: 20261122T014815-1f3a9c07', { '.handoff/briefs/x.md': 'x\n' })
    temp.commit('after', { 'b.txt': 'b\n' })
    expect((await read(temp)).commits.map((commit) => commit.subject)).toEqual(['after'])
    const all = await read(temp, { since: '2000-01-01T00:00:00Z' })
    expect(all.commits.map((commit) => commit.subject)).toEqual(['after', 'first'])
    expect((await read(temp, { since: '2999-01-01T00:00:00Z' })).commits).toEqual([])
  })

  byNight('unborn, detached, shallow, sparse, worktrees', async () => {
    const unborn = makeRepo({ initial: false })
    unborn.write('new.txt', 'n\n')
    expect(await read(unborn)).toMatchObject({
      head: null,
      branch: 'main',
      base: null,
      commits: [],
      changes: [{ path: 'new.txt', state: 'untracked' }],
    })
    const temp = makeRepo()
    temp.commit('two', { 'in/x.txt': 'x\n', 'out/y.txt': 'y\n' })
    temp.git(['worktree', 'add', '-q', '-b', 'w', '../w'])
    temp.git(['worktree', 'add', '-q', '-b', 'gone', '../gone'])
    mkdirSync(join(temp.base, 'gone'), { recursive: true })
    temp.git(['worktree', 'list'])
    temp.git(['checkout', '-q', '--detach'])
    const detached = await read(temp)
    expect(detached).toMatchObject({
      branch: null,
      head: temp.git(['rev-parse', 'HEAD']),
      shallow: false,
      sparse: false,
    })
    expect(detached.worktrees).toEqual([temp.root, join(temp.base, 'gone'), join(temp.base, 'w')])
    temp.git(['sparse-checkout', 'set', 'in'])
    expect(await read(temp)).toMatchObject({ sparse: true, changes: [] })
    temp.git(['clone', '-q', '--depth=1', `file://${temp.root}`, '../shallow'])
    expect(await read(atFolder(temp.base, join(temp.base, 'shallow'), temp.env))).toMatchObject({
      shallow: true,
    })
  })

  byNight("the user's taste in git's configuration changes nothing", async () => {
    const temp = makeRepo()
    temp.git(['switch', '-q', '-c', 'work'])
    temp.commit('one', { 'b.txt': '1\n2\n3\n' })
    temp.git(['mv', 'b.txt', 'c.txt'])
    const told = async () => {
      const { files, ...state } = await read(temp)
      return { ...state, files: [...files] }
    }
    const plain = await told()
    const taste = `[status]\nshowUntrackedFiles = no\nrenames = false\nshort = true\nbranch = false
[diff]\nrenames = false\nnoprefix = true\n[color]\nui = always\n[core]\nquotePath = true
[log]\nshowSignature = true\ndecorate = full\ndate = relative\n[format]\npretty = oneline\n`
    temp.write('.git/config', `${temp.read('.git/config')}${taste}`)
    expect(await told()).toEqual(plain)
  })

  test('a branch may be called what git says of a HEAD that it cannot read', async () => {
    const temp = makeRepo()
    temp.git(['switch', '-q', '-c', '(unknown)'])
    expect(await read(temp)).toMatchObject({ branch: '(unknown)' })
  })
})
