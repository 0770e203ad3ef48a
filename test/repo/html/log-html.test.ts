import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { byNight, sampled } from '../../sampled.ts'
import { dataOf } from '../../unit/report/sample-brief.ts'
import { cli } from '../cli.ts'
import { makeRepo, type TempRepo } from '../make-repo.ts'
import { create, GOAL, later, made, usual, withBrief } from '../usual.ts'

const page = (repo: TempRepo, file = 'out/chain.html'): string => repo.read(file)

describe('log --html', () => {
  let repo: TempRepo
  beforeAll(async () => {
    repo = usual()
    await made(repo)
    mkdirSync(join(repo.root, 'out'))
  })

  it('writes one page and says what is in it', async () => {
    const { code, stdout } = await cli(repo, ['log', '--html', 'out/chain.html'])
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^Wrote out\/chain\.html: 1 brief, \d+ KB\n$/)])
    expect(page(repo)).toMatch(/^<!doctype html>\n/)
    expect(dataOf(page(repo))).toMatchObject({
      ...{ name: 'repo', scope: 'the current branch', left: 0 },
      briefs: [{ goal: GOAL, isCurrent: true, state: 'open' }],
    })
    const { json } = await cli(repo, ['log', '--html', 'out/chain.html', '--json'])
    expect(json).toEqual({
      ok: true,
      html: join(repo.root, 'out/chain.html'),
      shown: 1,
      total: 1,
      bytes: Buffer.byteLength(page(repo)),
      warnings: [],
    })
  })

  byNight(
    'gives the same bytes for the same history, whatever the time, the folder and the worktree',
    async () => {
      const first = page(repo)
      await cli(repo, ['log', '--html', 'out/again.html'], { now: later(5000) })
      expect(page(repo, 'out/again.html')).toBe(first)
      repo.git(['worktree', 'add', '-q', '--detach', '../other'])
      await cli(repo, ['log', '--html', join(repo.root, 'out/third.html')], { cwd: join(repo.base, 'other') })
      expect(page(repo, 'out/third.html')).toBe(first)
    },
  )

  byNight('goes to standard output with -, and there nothing else does', async () => {
    const { code, stdout, stderr } = await cli(repo, ['log', '--html', '-'])
    expect(code).toBe(0)
    expect(stdout).toBe(page(repo))
    expect(stderr).toContain('1 brief, ')
    expect(await cli(repo, ['log', '--html', '-', '--json'])).toMatchObject({
      code: 2,
      json: { errors: [{ code: 'E_USAGE' }] },
    })
  })

  byNight('replaces a file in one step and leaves nothing beside it', async () => {
    repo.write('out/old.html', 'x'.repeat(1_000_000))
    expect(await cli(repo, ['log', '--html', 'out/old.html'])).toMatchObject({ code: 0 })
    expect(page(repo, 'out/old.html')).toBe(page(repo))
    expect(readdirSync(join(repo.root, 'out')).filter((name) => name.includes('tmp'))).toEqual([])
  })

  it.each(
    sampled(
      [
        ['a folder', 'out', 'the name of a folder'],
        ['a folder by its slash', 'out/', 'the name of a folder'],
        ['a symbolic link', 'link.html', 'no plain file'],
        ['a dangling link', 'dangling.html', 'no plain file'],
        ['a device', '/dev/null', 'no plain file'],
        ['a missing folder', 'nowhere/chain.html', 'in a folder that is not there'],
        ['a file on the way', 'a.txt/chain.html', 'in a folder that is not there'],
        ['nothing', '', 'the name of a folder'],
      ],
      2,
    ),
  )('refuses %s and writes nothing', async (_, file, why) => {
    for (const [link, to] of [
      ['link.html', 'a.txt'],
      ['dangling.html', 'gone.html'],
    ] as const)
      if (!existsSync(join(repo.root, link)) && !readdirSync(repo.root).includes(link))
        symlinkSync(to, join(repo.root, link))
    const before = readFileSync(join(repo.root, 'a.txt'), 'utf8')
    const { code, json } = await cli(repo, ['log', '--json', '--html', file])
    expect(code).toBe(2)
    expect(json.errors).toMatchObject([{ code: 'E_OUTPUT' }])
    expect(json.errors[0].message).toContain(why)
    expect(readFileSync(join(repo.root, 'a.txt'), 'utf8')).toBe(before)
    expect(existsSync(join(repo.root, 'gone.html'))).toBe(false)
  })

  byNight('tells a folder that nobody may write to', async () => {
    const locked = join(repo.root, 'locked')
    mkdirSync(locked)
    chmodSync(locked, 0o500)
    const isRoot = process.getuid?.() === 0
    const { code } = await cli(repo, ['log', '--html', 'locked/chain.html'])
    expect(code).toBe(isRoot ? 0 : 1)
  })

  byNight('shows what the other options of log choose', async () => {
    const { repo: own, id: first } = await withBrief()
    own.git(['switch', '-q', '-c', 'other'])
    const { id: second } = await made(own, [], { now: later(10) })
    own.git(['switch', '-q', 'main'])
    const ids = async (...args: string[]) => {
      await cli(own, ['log', ...args, '--html', 'x.html'])
      return dataOf(own.read('x.html')).briefs.map(({ id }: { id: string }) => id)
    }
    expect(await ids()).toEqual([first])
    expect(await ids('--all')).toEqual([second, first])
    expect(await ids('--all', '--limit', '1')).toEqual([second])
    expect(dataOf(own.read('x.html')).links.map(({ id }: { id: string }) => id)).toEqual([first, second])
  })

  byNight(
    'reads a brief that was edited, has CRLF, a byte order mark or conflict markers, or whose parent is gone',
    async () => {
      const { repo: own, path } = await withBrief()
      const text = own.read(path)
      const variants = [
        text.replaceAll('\n', '\r\n'),
        `\ufeff${text}`,
        text.replace('\n## Status', '\n<<<<<<< HEAD\n## Status\n=======\n>>>>>>> other'),
        text.replace('parents: []', 'parents: [20200101T000000-00000000]'),
      ]
      for (const [i, variant] of variants.entries()) {
        own.write(path, variant)
        own.git(['add', '-A'])
        own.git(['commit', '-q', '--amend', '-m', `variant ${i}`])
        const { code } = await cli(own, ['log', '--html', 'x.html'])
        expect(code, `variant ${i}`).toBe(0)
      }
      const { notices, briefs } = dataOf(own.read('x.html'))
      expect(notices.join()).toContain('is not in the history that is here')
      expect(briefs[0].text.sections.length).toBeGreaterThan(3)
    },
  )

  byNight('tells of a brief that was changed after its commit, and of two files with one id', async () => {
    const { repo: own, id, path } = await withBrief()
    own.commit('changed', { [path]: own.read(path).replace('## Status', '## Stand') })
    await cli(own, ['log', '--html', 'x.html'])
    expect(dataOf(own.read('x.html')).briefs).toMatchObject([{ id, edited: true }])
    expect(own.read('x.html')).toContain(`${id} was changed after it was committed`)
    own.commit('twice', { [path.replace(/-[a-z-]+\.md$/, '-twin.md')]: own.read(path) })
    await cli(own, ['log', '--html', 'x.html'])
    expect(dataOf(own.read('x.html')).briefs).toMatchObject([{ duplicate: true, others: expect.any(Array) }])
  })

  byNight('holds what a filter leaves, and says what was asked for', async () => {
    await cli(repo, [
      'log',
      '--all',
      '--agent',
      'claude-code',
      '--since',
      '2026-01-01',
      '--html',
      'out/some.html',
    ])
    expect(dataOf(page(repo, 'out/some.html')).scope).toBe(
      'all branches, remotes and worktrees, agent claude-code, since 2026-01-01',
    )
    await cli(repo, ['log', '--branch', '<b>none', '--html', 'out/some.html'])
    const { briefs, links, scope } = dataOf(page(repo, 'out/some.html'))
    expect([briefs, links.length, scope]).toEqual([[], 1, 'the current branch, branch <b>none'])
  })

  byNight('says so where there are no commits, or no briefs', async () => {
    for (const own of [makeRepo({ initial: false }), makeRepo()]) {
      expect(await cli(own, ['log', '--html', 'x.html'])).toMatchObject({ code: 0 })
      expect(dataOf(own.read('x.html'))).toMatchObject({ briefs: [], links: [] })
    }
  })

  byNight('shows a chain with a closing record as closed', async () => {
    const own = usual()
    await create(own)
    await cli(own, ['done', 'shipped & <b>tested</b>'], { now: later(3) })
    await cli(own, ['log', '--html', 'x.html'])
    const { briefs } = dataOf(own.read('x.html'))
    expect(briefs.map(({ state }: { state: string }) => state)).toEqual(['closed', 'closed'])
    expect(briefs[0].text.closed).toBe('shipped & <b>tested</b>')
  })
})

it('leaves the work tree as it was, but for the file', async () => {
  const { repo } = await withBrief()
  writeFileSync(join(repo.root, '.git', 'info', 'exclude'), 'x.html\n')
  const before = repo.git(['status', '--porcelain'])
  await cli(repo, ['log', '--html', 'x.html'])
  expect(repo.git(['status', '--porcelain'])).toBe(before)
})
