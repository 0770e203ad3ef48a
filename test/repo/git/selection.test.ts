import { describe, expect, test } from 'vitest'
import { readBlobs } from '../../../src/git/objects.ts'
import { openRepo } from '../../../src/git/open-repo.ts'
import { readHistory } from '../../../src/git/read-history.ts'
import { resolveRevision } from '../../../src/git/refs.ts'
import { byNight, sampled } from '../../sampled.ts'
import { cloneOf, makeRepo, type TempRepo } from '../make-repo.ts'

const open = (temp: TempRepo) => openRepo(temp.root, { env: temp.env })
const id = (at: number) => `20261122T0148${String(at).padStart(2, '0')}-1f3a9c07`
const path = (at: number) => `.handoff/briefs/${id(at)}-goal-${at}.md`
const brief = (temp: TempRepo, at: number) =>
  temp.commit(`brief ${at}\n\nHandoff-Id: ${id(at)}`, { [path(at)]: `brief ${at}\n` })

describe('resolveRevision', () => {
  test('reads another revision, and user text is never an option', async () => {
    const temp = makeRepo()
    brief(temp, 1)
    temp.git(['branch', 'one'])
    brief(temp, 2)
    const repo = await open(temp)
    expect(await resolveRevision(repo, 'one')).toBe(temp.git(['rev-parse', 'one']))
    const wrong = ['--output=/tmp/x', '-n1', '', 'no-such', 'a\nb', '--all', '--upload-pack=x', '@{u}']
    for (const rev of sampled(wrong, 4))
      await expect(resolveRevision(repo, rev)).rejects.toMatchObject({ code: 'E_BAD_REVISION' })
  })
})

describe('readBlobs', () => {
  test('contents by id; missing, oversized and other objects are left out', async () => {
    const temp = makeRepo()
    const write = (text: string) => temp.git(['hash-object', '-w', '--stdin'], { input: text })
    const small = write('small\n')
    const empty = write('')
    const big = write('x'.repeat(256 * 1024 + 1))
    const tree = temp.git(['rev-parse', 'HEAD^{tree}'])
    const blobs = await readBlobs(await open(temp), [
      small,
      big,
      '0'.repeat(40),
      tree,
      '--batch-all-objects',
      small,
      empty,
    ])
    expect([...blobs].map(([oid, content]) => [oid, content.toString()])).toEqual([
      [small, 'small\n'],
      [empty, ''],
    ])
  })
})

describe('readHistory', () => {
  byNight('every brief ever added on the branch, those removed and merged too', async () => {
    const temp = makeRepo()
    brief(temp, 1)
    temp.git(['rm', '-q', path(1)])
    temp.commit('prune')
    temp.git(['switch', '-q', '-c', 'side'])
    brief(temp, 2)
    temp.git(['rm', '-q', path(2)])
    temp.commit('prune again')
    temp.git(['switch', '-q', 'main'])
    temp.commit('main goes on', { 'm.txt': 'm\n' })
    temp.git(['merge', '-q', '--no-edit', 'side'])
    const last = brief(temp, 3)
    const entries = await readHistory(await open(temp))
    expect(entries.map((entry) => entry.id).sort()).toEqual([id(1), id(2), id(3)])
    expect(entries[0]).toMatchObject({ id: id(3), path: path(3), commit: last, mode: '100644' })
    expect(entries[0]?.at).toMatch(/Z$/)
    const blobs = await readBlobs(
      await open(temp),
      entries.map((entry) => entry.oid),
    )
    expect(blobs.size).toBe(3)
  })

  test('with all: other branches, remotes, parked briefs and detached worktrees; no stash', async () => {
    const temp = makeRepo()
    const made = (at: number) => {
      const tip = brief(temp, at)
      temp.git(['reset', '-q', '--hard', 'HEAD~1'])
      return tip
    }
    temp.git(['update-ref', 'refs/heads/other', made(1)])
    temp.git(['update-ref', 'refs/remotes/origin/far', made(2)])
    temp.git(['update-ref', `refs/handoff/${id(3)}`, made(3)])
    const detached = made(4)
    temp.git(['worktree', 'add', '-q', '--detach', '../w', detached])
    temp.write(path(5), 'stashed\n')
    temp.git(['stash', '-q', '-u'])
    const repo = await open(temp)
    expect(await readHistory(repo)).toEqual([])
    const all = await readHistory(repo, { all: true })
    expect(all.map((entry) => [entry.id, entry.ref]).sort()).toEqual([
      [id(1), 'refs/heads/other'],
      [id(2), 'refs/remotes/origin/far'],
      [id(3), `refs/handoff/${id(3)}`],
      [id(4), expect.stringContaining('HEAD')],
    ])
  })

  test('a shallow clone gives what it has, an unborn branch nothing', async () => {
    const temp = makeRepo()
    brief(temp, 1)
    brief(temp, 2)
    const shallow = cloneOf(temp, { args: ['--depth=1'] })
    expect((await readHistory(await open(shallow))).map((entry) => entry.id).sort()).toEqual([id(1), id(2)])
    expect(await readHistory(await open(makeRepo({ initial: false })))).toEqual([])
    expect(await readHistory(await open(makeRepo({ initial: false })), { all: true })).toEqual([])
  })
})
