import { beforeAll, describe, expect, it } from 'vitest'
import { byNight, sampled } from '../../sampled.ts'
import { cli } from '../cli.ts'
import type { TempRepo } from '../make-repo.ts'
import { later, made, usual, withBrief } from '../usual.ts'

describe('wherever an id is taken', () => {
  let repo: TempRepo
  let first: { id: string; path: string }
  let second: { id: string; path: string }
  beforeAll(async () => {
    repo = usual()
    first = await made(repo)
    second = await made(repo, ['--focus', 'the limits'], { now: later(5) })
  })
  const ask = async (command: string, id: string, cwd?: string) =>
    (await cli(repo, [command, id, '--json'], cwd === undefined ? {} : { cwd })).json.id

  byNight('show takes an id, `latest`, a unique prefix and a path', async () => {
    expect(await ask('show', first.id)).toBe(first.id)
    expect(await ask('show', 'latest')).toBe(second.id)
    expect(await ask('show', second.id.slice(0, -1))).toBe(second.id)
    const names = [first.path, first.id.slice(0, 14), `./${first.path}`, `${repo.root}/${first.path}`]
    for (const name of sampled(names, 1)) expect(await ask('show', name)).toBe(first.id)
    expect(
      await ask('show', first.path.replace('.handoff/briefs/', ''), `${repo.root}/.handoff/briefs`),
    ).toBe(first.id)
  })

  byNight('so does trust', async () => {
    expect(await ask('trust', 'latest')).toBe(second.id)
    expect(await ask('trust', first.id.slice(0, 14))).toBe(first.id)
    expect(await ask('trust', first.path)).toBe(first.id)
  })

  it.each(sampled(['show', 'trust'], 1))('%s: an ambiguous prefix lists the candidates', async (command) => {
    const failed = await cli(repo, [command, '20261122', '--json'])
    expect(failed).toMatchObject({
      code: 2,
      json: { errors: [{ code: 'E_AMBIGUOUS_ID', candidates: [first.id, second.id] }] },
    })
    expect(failed.json.errors[0].message).toContain(second.id)
  })

  it.each(
    sampled(
      [
        ['20991231', 'E_UNKNOWN_ID'],
        ['20261122T100000-ffffffff', 'E_UNKNOWN_ID'],
        ['../../etc/passwd', 'E_UNSAFE_PATH|E_UNKNOWN_ID|E_BRIEF_UNREADABLE'],
        ['-x', 'E_USAGE'],
        ['main', 'E_BAD_ID'],
        ['HEAD', 'E_BAD_ID'],
        ['20261122T100000-000ABC00', 'E_BAD_ID'],
        ['.handoff/briefs/nothing.md', 'E_UNKNOWN_ID'],
        ['src/queue.ts', 'E_BRIEF_UNREADABLE'],
        ['', 'E_BAD_ID'],
      ],
      3,
    ),
  )('%j is refused', async (id, code) => {
    const failed = await cli(repo, ['show', id, '--json'])
    expect(failed.json.ok).toBe(false)
    expect(failed.json.errors[0].code).toMatch(new RegExp(`^(?:${code})$`))
    expect(failed.stdout).not.toContain('root:')
  })

  byNight('an id works from another branch, and after the file left the tree', async () => {
    const { repo: own, id } = await withBrief()
    own.git(['switch', '-q', '-c', 'side', 'HEAD~1'])
    expect((await cli(own, ['show', id.slice(0, 15), '--json'])).json).toMatchObject({ id, committed: false })
    own.git(['switch', '-q', 'main'])
    own.git(['rm', '-q', '-r', '.handoff/briefs'])
    own.git(['commit', '-q', '-m', 'tidy'])
    expect((await cli(own, ['show', id, '--json'])).json).toMatchObject({ ok: true, id })
  })
})
