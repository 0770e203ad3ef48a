import { describe, expect, it } from 'vitest'
import { byNight, sampled } from '../../sampled.ts'
import { cli } from '../cli.ts'
import type { TempRepo } from '../make-repo.ts'
import { create, later, made, succeeded, usual } from '../usual.ts'

const status = async (repo: TempRepo) =>
  succeeded(await cli(repo, ['status', '--json'], { now: later(1) })).brief

describe('G-L1: a branch that is another name of one', () => {
  it.each(
    sampled(
      [
        ['two steps, one of them packed away', ['master', 'old/trunk']],
        ['one step', ['master']],
      ] as const,
      1,
    ),
  )('has the briefs of that one: %s', async (_, names) => {
    const repo = usual()
    let target = 'refs/heads/main'
    for (const name of names) {
      repo.git(['symbolic-ref', `refs/heads/${name}`, target])
      target = `refs/heads/${name}`
    }
    repo.git(['symbolic-ref', 'HEAD', target])
    const first = await made(repo)
    expect(first).toMatchObject({ ok: true, parked: null })
    expect(repo.git(['rev-parse', 'main'])).toBe(first.commit)
    expect(await status(repo)).toMatchObject({ id: first.id, open: true })
    const again = succeeded(await cli(repo, ['resume', '--json'], { now: later(2) }))
    expect(again.ok).toBe(true)
    succeeded(await cli(repo, ['done', 'shipped', '--json'], { now: later(3) }))
    expect(await status(repo)).toMatchObject({ open: false })
  })

  byNight('in a linked worktree, too', async () => {
    const repo = usual()
    repo.git(['symbolic-ref', 'refs/heads/alias', 'refs/heads/main'])
    repo.git(['switch', '-q', '-c', 'other'])
    repo.git(['worktree', 'add', '-q', '../linked', 'main'])
    repo.git(['symbolic-ref', 'HEAD', 'refs/heads/alias'], { cwd: `${repo.base}/linked` })
    const json = succeeded(await create(repo, ['--from', 'git'], { cwd: `${repo.base}/linked` }))
    expect(json).toMatchObject({ ok: true, parked: null })
  })
})

describe('G-L8: a tag with the name of a branch', () => {
  it.each(sampled(['f', 'f~0', 'heads/f'], 1))('is not taken for the branch: main..%s', async (end) => {
    const repo = usual()
    repo.git(['tag', 'f', 'main'])
    repo.git(['switch', '-q', '-c', 'f'])
    const { path } = await made(repo)
    repo.write(path, repo.read(path).replace(/^goal: .*$/m, 'goal: x'))
    repo.git(['commit', '-qam', 'bad'])
    const { code, json } = await cli(repo, ['check', '--range', `main..${end}`, '--json'])
    expect([code, json.checked]).toEqual([1, [path]])
  })
})
