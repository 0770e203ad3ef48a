import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, statSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { byNight, sampled } from '../../sampled.ts'
import { cli } from '../cli.ts'
import { makeRepo, prepared, type TempRepo } from '../make-repo.ts'
import { GOAL, headOf, later, made, succeeded, usual } from '../usual.ts'

const DAY = 24 * 60

type Made = { id: string; path: string }

/** So many briefs of one chain, a day apart, the first today. Off the trunk, prune takes out none that the trunk has. */
const chain = prepared(async (count: number, extra: string[] = [], branch?: string) => {
  const repo = usual()
  if (branch !== undefined) repo.git(['switch', '-q', '-c', branch])
  const briefs: { id: string; path: string }[] = []
  for (let n = 0; n < count; n++) {
    repo.commit(`work ${n}`, { 'a.txt': `${n}\n` })
    briefs.push(await made(repo, ['--focus', `part ${n}`, ...extra], { now: later(n * DAY) }))
  }
  return { repo, briefs, ids: briefs.map(({ id }) => id) }
})

const prune = (repo: TempRepo, argv: string[], days = 10) =>
  cli(repo, ['prune', ...argv, '--json'], { now: later(days * DAY) })
const idsOf = (list: { id: string }[]) => list.map(({ id }) => id).sort()
const inTree = (repo: TempRepo, rev = 'HEAD') =>
  repo
    .git(['ls-tree', '--name-only', rev, '.handoff/briefs/'])
    .split('\n')
    .filter(Boolean)
    .map((path) => path.slice('.handoff/briefs/'.length, '.handoff/briefs/'.length + 24))

describe('prune', () => {
  it('--keep takes all but the newest out of the tree, off the disk, by one commit of its own; history keeps them', async () => {
    const { repo, briefs, ids } = await chain(3)
    const before = headOf(repo)
    const json = succeeded(await prune(repo, ['--keep', '2']))
    expect(idsOf(json.removed)).toEqual(ids.slice(0, 1))
    expect(json.kept.map(({ id, why }: { id: string; why: string }) => [id, why])).toEqual([
      [ids[2], 'current'],
      [ids[1], 'newest'],
    ])
    expect(json.commits).toEqual([{ ref: 'HEAD', commit: headOf(repo) }])
    expect(inTree(repo)).toEqual(ids.slice(1))
    expect(readdirSync(join(repo.root, '.handoff/briefs'))).toHaveLength(2)
    expect(repo.git(['rev-parse', 'HEAD~1'])).toBe(before)
    expect(repo.git(['diff', '--name-status', 'HEAD~1', 'HEAD']).split('\n')).toEqual(
      briefs.slice(0, 1).map(({ path }) => `D\t${path}`),
    )
    expect(repo.git(['log', '-1', '--format=%s'])).toBe('chore(handoff): take 1 brief out of the tree')
    expect(repo.git(['status', '--porcelain'])).toBe('')

    const log = succeeded(await cli(repo, ['log', '--json']))
    expect(idsOf(log.briefs)).toEqual(ids)
    expect((await cli(repo, ['show', ids[0] as string])).stdout).toContain(GOAL)
    const now = await cli(repo, ['show', '--json'])
    expect(now.json.id).toBe(ids[2])
    expect((await cli(repo, ['check'])).code).toBe(0)
    expect((await made(repo, ['--focus', 'part 2'], { now: later(11 * DAY) })).repeat).toBe(true)
  })

  byNight('names the files that it could not read once they were out of the tree', async () => {
    const { repo, briefs } = await chain(2)
    const hook = join(repo.root, '.git/hooks/reference-transaction')
    writeFileSync(hook, '#!/bin/sh\n[ "$1" != committed ] || chmod 0 .handoff/briefs/*\n', { mode: 0o755 })
    const isRoot = process.getuid?.() === 0
    if (isRoot) {
      execFileSync('chown', ['-R', '65534', repo.base])
      // The folder for temporary files may be this user's alone.
      for (let above = dirname(repo.base); above !== '/'; above = dirname(above))
        if ((statSync(above).mode & 0o001) === 0) chmodSync(above, statSync(above).mode | 0o011)
      process.seteuid?.(65534)
    }
    const { code, json } = await prune(repo, ['--keep', '1']).finally(() => isRoot && process.seteuid?.(0))
    expect(code).toBe(1)
    expect(json.errors[0]).toMatchObject({
      code: 'E_NOT_PRUNED',
      message: expect.stringMatching(/out of the tree, but not off the disk: EACCES/),
      hint: expect.stringContaining(briefs[0]?.path ?? ''),
    })
  })

  byNight(
    '--older-than goes by the time of the brief; with both limits a brief goes when both let it',
    async () => {
      const { repo, ids } = await chain(4)
      const dry = (argv: string[]) => prune(repo, [...argv, '--dry-run'])
      expect(idsOf(succeeded(await dry(['--older-than', '8d'])).removed)).toEqual(ids.slice(0, 2))
      expect(idsOf(succeeded(await dry(['--older-than', '216h'])).removed)).toEqual(ids.slice(0, 1))
      expect(idsOf(succeeded(await dry(['--older-than', '1w', '--keep', '3'])).removed)).toEqual(
        ids.slice(0, 1),
      )
      expect(succeeded(await dry(['--older-than', '99999w'])).removed).toEqual([])
    },
  )

  byNight('--dry-run says what would go and changes nothing', async () => {
    const { repo, ids } = await chain(3)
    const before = headOf(repo)
    const { stdout, stderr } = await cli(repo, ['prune', '--keep', '0', '--dry-run'], { now: later(DAY) })
    expect(stdout.trim().split('\n')).toHaveLength(2)
    expect(stderr).toContain('Would remove 2 briefs from the tree; 1 stays: 1 current.')
    expect([headOf(repo), inTree(repo)]).toEqual([before, ids])
    expect(repo.git(['status', '--porcelain'])).toBe('')
  })

  byNight('keeps the last brief of a chain that is open, and takes it with --open', async () => {
    const repo = usual()
    const base = headOf(repo)
    // What was merged into the default branch, or one that collects work by its name, has landed; elsewhere it is still open.
    repo.git(['switch', '-q', '-c', 'both'])
    repo.git(['switch', '-q', '-c', 'feature'])
    const other = await made(repo, [])
    repo.git(['switch', '-q', 'both'])
    repo.git(['merge', '-q', '--no-ff', '-m', 'merge', 'feature'])
    expect(repo.git(['merge-base', base, 'HEAD'])).toBe(base)
    const mine = await made(repo, ['--from', 'git'], { now: later(DAY) })
    repo.git(['switch', '-q', '-c', 'second', 'feature'])
    const left = await made(repo, ['--from', 'git', '--focus', 'docs'], { now: later(2 * DAY) })
    repo.git(['switch', '-q', 'both'])
    repo.git(['merge', '-q', '--no-ff', '-m', 'merge', 'second'])
    const last = await made(repo, ['--from', 'git', '--focus', 'limits'], { now: later(3 * DAY) })
    const kept = succeeded(await prune(repo, ['--keep', '0', '--dry-run']))
    expect(last.parents).toEqual([mine.id])
    expect(
      kept.kept.filter(({ why }: { why: string }) => why === 'open').map(({ id }: { id: string }) => id),
    ).toEqual([left.id, other.id])
    const all = succeeded(await prune(repo, ['--keep', '0', '--open']))
    expect(all.kept).toMatchObject([{ id: last.id, why: 'current' }])
    expect(inTree(repo)).toEqual([last.id])
  })

  byNight('a closed chain may go whole, but not the record that is current', async () => {
    const { repo } = await chain(2)
    const closed = succeeded(await cli(repo, ['done', 'shipped', '--json'], { now: later(3 * DAY) }))
    const json = succeeded(await prune(repo, ['--older-than', '1h']))
    expect(json.kept).toMatchObject([{ id: closed.id, why: 'current' }])
    const next = await made(repo, [], { now: later(11 * DAY) })
    expect(succeeded(await prune(repo, ['--keep', '0'], 12)).kept).toMatchObject([{ id: next.id }])
    expect((await cli(repo, ['log', '--json'])).json.briefs).toHaveLength(4)
  })

  byNight('touches nothing else that is staged, changed or untracked', async () => {
    const { repo, ids } = await chain(3)
    repo.write('a.txt', 'staged\n')
    repo.write('new.txt', 'new\n')
    repo.git(['add', 'a.txt', 'new.txt'])
    repo.write('a.txt', 'changed after\n')
    repo.write('loose.txt', 'loose\n')
    repo.git(['rm', '-q', '--cached', 'src/api.ts'])
    const before = repo.git(['status', '--porcelain'])
    const staged = repo.git(['diff', '--cached'])
    succeeded(await prune(repo, ['--keep', '1']))
    expect(inTree(repo)).toEqual(ids.slice(2))
    expect([repo.git(['status', '--porcelain']), repo.git(['diff', '--cached'])]).toEqual([before, staged])
  })

  byNight('never deletes a brief that was changed and not committed: edited, staged, or a link', async () => {
    const { repo, briefs, ids } = await chain(5)
    const [edited, staged, link] = briefs.map(({ path }) => path) as [string, string, string]
    repo.write(edited, `${repo.read(edited)}mine\n`)
    const text = repo.read(staged)
    repo.write(staged, `${text}staged\n`)
    repo.git(['add', staged])
    repo.write(staged, text)
    unlinkSync(join(repo.root, link))
    symlinkSync('/etc/passwd', join(repo.root, link))
    const before = repo.git(['status', '--porcelain'])
    const json = succeeded(await prune(repo, ['--keep', '0']))
    expect(idsOf(json.removed)).toEqual([ids[3]])
    expect(
      json.kept
        .filter(({ why }: { why: string }) => why === 'edited')
        .map(({ path }: { path: string }) => path),
    ).toEqual([link, staged, edited])
    expect(json.warnings).toHaveLength(3)
    expect(repo.read(edited)).toContain('mine')
    expect(repo.git(['status', '--porcelain'])).toBe(before)
  })

  byNight('keeps a brief that cannot be read, and one whose date is none', async () => {
    const { repo, briefs } = await chain(3)
    const [broken, dated] = briefs as unknown as [Made, Made, Made]
    repo.write(broken.path, '<<<<<<< ours\nnot a brief\n=======\n>>>>>>> theirs\n')
    repo.write(
      dated.path,
      repo.read(dated.path).replace(/^createdAt: .*$/m, 'createdAt: 2026-13-45T10:00:00Z'),
    )
    repo.commit('break them')
    const json = succeeded(await prune(repo, ['--keep', '0']))
    expect(json.removed).toEqual([])
    expect(json.kept.map(({ why }: { why: string }) => why)).toEqual(['current', 'young', 'unreadable'])
  })

  byNight('bad chains: a missing parent, a circle, one id twice, and a brief nobody can name', async () => {
    const { repo, briefs, ids } = await chain(4)
    const [missing, circle, twice] = briefs as unknown as [Made, Made, Made]
    const point = (path: string, parent: string) =>
      repo.write(path, repo.read(path).replace(/^parents:.*(?:\n {2}- .*)?$/m, `parents: [${parent}]`))
    point(missing.path, '20200101T000000-00000000')
    point(circle.path, ids[2] as string)
    point(twice.path, ids[1] as string)
    repo.write(twice.path.replace('.md', '-copy.md'), repo.read(twice.path))
    repo.write('.handoff/briefs/notes.md', 'not a brief\n')
    repo.commit('spoil the chain')
    const json = succeeded(await prune(repo, ['--keep', '0', '--open']))
    expect(json.kept).toMatchObject([{ id: ids[3], why: 'current' }])
    expect(json.removed).toHaveLength(4)
    expect(repo.git(['ls-files', '.handoff/briefs'])).toContain('notes.md')
    expect(repo.git(['status', '--porcelain'])).toBe('')
  })

  byNight(
    'on a branch with odd characters, under another default branch, and with a grafted history',
    async () => {
      const { repo, ids } = await chain(3, [], "odd/ü$(x)'branch")
      repo.git(['branch', '-q', '-m', 'main', 'trunk'])
      const graft = repo.git(['commit-tree', 'HEAD^{tree}', '-m', 'grafted'])
      repo.git(['replace', repo.git(['rev-parse', 'HEAD~1']), graft])
      expect(idsOf(succeeded(await prune(repo, ['--keep', '1'])).removed)).toEqual(ids.slice(0, 2))
      expect(inTree(repo)).toEqual(ids.slice(2))
    },
  )

  byNight(
    'history rewritten while it runs: what HEAD has then is what is pruned, and nothing is lost',
    async () => {
      const { repo, ids } = await chain(3)
      const running = prune(repo, ['--keep', '1'])
      repo.git(['commit', '-q', '--allow-empty', '-m', 'meanwhile'])
      const meanwhile = headOf(repo)
      succeeded(await running)
      expect(inTree(repo)).toEqual(ids.slice(2))
      expect(repo.git(['merge-base', meanwhile, 'HEAD'])).toBe(meanwhile)
    },
  )

  byNight('also prunes the branch of briefs of this branch, by a commit there', async () => {
    const { repo, ids } = await chain(3, ['--branch', 'separate'])
    const head = headOf(repo)
    const json = succeeded(await prune(repo, ['--keep', '1']))
    expect(idsOf(json.removed)).toEqual(ids.slice(0, 2))
    expect(json.commits).toEqual([
      { ref: 'refs/heads/handoff/main', commit: repo.git(['rev-parse', 'handoff/main']) },
    ])
    expect(inTree(repo, 'handoff/main')).toEqual(ids.slice(2))
    expect([headOf(repo), repo.git(['status', '--porcelain'])]).toEqual([head, ''])
    expect((await cli(repo, ['show', ids[0] as string])).stdout).toContain(GOAL)
    expect(succeeded(await prune(repo, ['--keep', '0'])).removed).toEqual([])
  })

  const wrong: [option: string, value: string][] = [
    ['--keep', '-1'],
    ['--keep', '1.5'],
    ['--keep', 'all'],
    ['--keep', ''],
    ['--older-than', '30'],
    ['--older-than', 'soon'],
    ['--older-than', '-3d'],
    ['--older-than', '3 months'],
  ]
  it.each(sampled(wrong, 3))('%s %s is a clear error', async (option, value) => {
    const { code, json } = await cli(makeRepo(), ['prune', `${option}=${value}`, '--json'])
    expect(code).toBe(2)
    expect(json.errors[0]).toMatchObject({ code: 'E_USAGE', message: expect.stringContaining(option) })
  })

  byNight('without any limit it asks what shall stay', async () => {
    const { code, json } = await cli(makeRepo(), ['prune', '--json'])
    expect([code, json.errors[0].message]).toEqual([
      2,
      expect.stringContaining('How many briefs should stay?'),
    ])
  })

  byNight(
    'the limits of the configuration count when none is given; status tells, and nothing acts alone',
    async () => {
      const { repo, ids } = await chain(4)
      repo.commit('configure', { '.handoff/config.yaml': 'retention: {keep: 2, olderThan: 8d}\n' })
      const status = await cli(repo, ['status', '--json'], { now: later(10 * DAY) })
      expect(status.json.pastRetention).toBe(2)
      expect((await cli(repo, ['status'], { now: later(10 * DAY) })).stdout).toContain(
        '2 briefs past retention; git handoff prune takes them out of the tree',
      )
      expect((await cli(repo, ['status', '--json'], { now: later(3 * DAY) })).json.pastRetention).toBe(0)
      await made(repo, ['--focus', 'docs'], { now: later(10 * DAY) })
      expect(inTree(repo)).toHaveLength(5)
      expect(idsOf(succeeded(await prune(repo, ['--dry-run', '--keep', '4'])).removed)).toEqual(
        ids.slice(0, 1),
      )
      expect(idsOf(succeeded(await prune(repo, [])).removed)).toEqual(ids.slice(0, 2))
      expect((await cli(repo, ['status', '--json'], { now: later(10 * DAY) })).json.pastRetention).toBe(0)
    },
  )

  byNight('takes out no brief of the trunk elsewhere: git would see a renamed one there (G-H3)', async () => {
    const { repo, ids } = await chain(2)
    repo.git(['switch', '-q', '-c', 'side'])
    const { removed, kept } = succeeded(await prune(repo, ['--keep', '0', '--open']))
    expect(removed).toEqual([])
    expect(kept.map(({ id, why }: { id: string; why: string }) => [id, why])).toEqual(
      ids.toReversed().map((id) => [id, 'trunk']),
    )
  })

  byNight('waits for the end of a merge', async () => {
    const { repo, ids } = await chain(2)
    repo.git(['switch', '-q', '-c', 'side', 'HEAD~1'])
    repo.commit('side', { 'a.txt': 'side\n' })
    repo.git(['switch', '-q', 'main'])
    repo.commit('main', { 'a.txt': 'main\n' })
    repo.tryGit(['merge', '-q', 'side'])
    const { code, json } = await prune(repo, ['--keep', '1'])
    expect([code, json.errors[0].code]).toEqual([2, 'E_IN_PROGRESS'])
    repo.git(['merge', '--abort'])
    expect(idsOf(succeeded(await prune(repo, ['--keep', '1'])).removed)).toEqual(ids.slice(0, 1))
  })

  byNight('on a detached HEAD, in a linked worktree and in a shallow clone', async () => {
    const { repo, ids } = await chain(3, [], 'work')
    repo.git(['worktree', 'add', '-q', '--detach', join(repo.base, 'second')])
    const second = { ...repo, root: join(repo.base, 'second') }
    console.log(
      JSON.stringify((await prune(second, ['--keep', '1', '--dry-run'])).json.kept),
      repo.git(['branch', '-av']),
    )
    expect(idsOf(succeeded(await prune(second, ['--keep', '1'])).removed)).toEqual(ids.slice(0, 2))
    expect(inTree(repo)).toEqual(ids)
    repo.git(['clone', '-q', '--depth', '1', `file://${repo.root}`, join(repo.base, 'shallow')])
    const shallow = { ...repo, root: join(repo.base, 'shallow') }
    expect(idsOf(succeeded(await prune(shallow, ['--keep', '1'])).removed)).toEqual(ids.slice(0, 2))
    expect(existsSync(join(shallow.root, '.handoff/briefs'))).toBe(true)
  })

  byNight('leaves everything as it was when the branch cannot be moved', async () => {
    const { repo, ids } = await chain(2)
    repo.write('.git/hooks/reference-transaction', '#!/bin/sh\n[ "$1" = prepared ] && exit 1\nexit 0\n')
    repo.git(['config', 'core.hooksPath', '.git/hooks'])
    const { chmodSync } = await import('node:fs')
    chmodSync(join(repo.root, '.git/hooks/reference-transaction'), 0o755)
    const { code, json } = await prune(repo, ['--keep', '1'])
    expect([code, json.errors[0].code]).toEqual([1, 'E_NOT_PRUNED'])
    expect([inTree(repo), repo.git(['status', '--porcelain'])]).toEqual([ids, ''])
    expect(readdirSync(join(repo.root, '.handoff/briefs'))).toHaveLength(2)
  })
})
