import { describe, expect, it } from 'vitest'
import { byNight } from '../../sampled.ts'
import { cli } from '../cli.ts'
import { hashFiles } from '../hash-files.ts'
import { create, headOf, later, made, usual } from '../usual.ts'

describe('--branch separate', () => {
  it('commits on handoff/<branch> and leaves branch, index and work tree alone', async () => {
    const repo = usual()
    repo.write('src/api.ts', 'staged\n')
    repo.git(['add', 'src/api.ts'])
    repo.write('src/queue.ts', 'unstaged\n')
    const head = headOf(repo)
    const index = repo.git(['ls-files', '-s', '--debug'])
    const tree = hashFiles(repo.root, ['.git'])
    const status = repo.git(['status', '--porcelain'])

    const first = await made(repo, ['--branch', 'separate'])
    expect(headOf(repo)).toBe(head)
    expect(repo.git(['symbolic-ref', 'HEAD'])).toBe('refs/heads/main')
    expect(repo.git(['ls-files', '-s', '--debug'])).toBe(index)
    expect(hashFiles(repo.root, ['.git'])).toEqual(tree)
    expect(repo.git(['status', '--porcelain'])).toBe(status)
    expect(first.commit).toBe(repo.git(['rev-parse', 'refs/heads/handoff/main']))
    expect(`${repo.git(['show', `handoff/main:${first.path}`])}\n`).toBe(first.markdown)
    const names = repo.git(['ls-tree', '-r', '--name-only', 'handoff/main']).split('\n')
    expect(names).toContain('.handoff/latest.md')
  })

  byNight(
    'the chain goes on there: same input repeats, new input is a child, show and log find it',
    async () => {
      const repo = usual()
      const first = await made(repo, ['--branch', 'separate'])
      const again = await made(repo, ['--branch', 'separate'], { now: later(5) })
      expect(again).toMatchObject({ id: first.id, commit: null })
      repo.write('src/queue.ts', 'changed\n')
      const second = await made(repo, ['--branch', 'separate'], { now: later(10) })
      expect(second).toMatchObject({ ok: true, parents: [first.id] })
      expect(repo.git(['rev-parse', 'handoff/main~1'])).toBe(first.commit)
      expect((await cli(repo, ['show', '--json'])).json).toMatchObject({ id: second.id, trusted: true })
      const logged = await cli(repo, ['log', '--all', '--json'])
      expect(logged.json.briefs.map((brief: { id: string }) => brief.id)).toEqual([second.id, first.id])
    },
  )

  it('is refused on a detached HEAD, with nothing written', async () => {
    const repo = usual()
    repo.git(['checkout', '-q', '--detach'])
    const before = hashFiles(repo.root, ['.git'])
    expect(await create(repo, ['--branch', 'separate'])).toMatchObject({
      code: 2,
      json: { errors: [{ code: 'E_DETACHED' }] },
    })
    expect(hashFiles(repo.root, ['.git'])).toEqual(before)
  })
})
