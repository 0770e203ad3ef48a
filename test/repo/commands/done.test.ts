import { describe, expect, it } from 'vitest'
import { byNight, sampled } from '../../sampled.ts'
import { createFakes } from '../../unit/secrets/fake.ts'
import { cli } from '../cli.ts'
import { makeRepo } from '../make-repo.ts'
import { create, GOAL, headOf, later, made, succeeded, usual, withBrief } from '../usual.ts'

describe('done', () => {
  it('commits a closing record: the chain’s goal, the parent, one line', async () => {
    const { repo, first } = await withBrief()
    const closed = succeeded(await cli(repo, ['done', 'shipped', 'in 2.4', '--json'], { now: later(5) }))
    expect(closed).toMatchObject({
      parents: [first.id],
      goal: GOAL,
      outcome: 'shipped in 2.4',
      commit: headOf(repo),
    })
    const record = `${repo.git(['show', `HEAD:${closed.path}`])}\n`
    expect(record).toBe(closed.markdown)
    expect(record).toMatch(/^---\nschemaVersion: 1\nid: \S+\ngoal: (?:.*\n)+?meta:\n {2}kind: done\n/)
    expect(record).toContain(`\nparents:\n  - ${first.id}\n`)
    expect(record.split('---\n').at(-1)?.trim()).toBe('Closed: shipped in 2.4')
    expect(repo.git(['log', '-1', '--format=%s'])).toBe(
      'chore(handoff): close finish the retry queue and document its limits',
    )
    expect(repo.git(['show', '--name-only', '--format='])).toBe(closed.path)
    expect(repo.git(['status', '--porcelain'])).toBe('')
    expect(repo.read('.handoff/latest.md')).toContain('No brief is open here.')
  })

  byNight('then nothing is open: show says so, log marks it, a second done is refused', async () => {
    const { repo } = await withBrief()
    const closed = succeeded(await cli(repo, ['done', 'shipped', '--json'], { now: later(5) }))
    expect(closed.outcome).toBe('shipped')
    const shown = await cli(repo, ['show'])
    expect(shown.stderr).toContain('The chain is closed. Start a new one: `git handoff create "<goal>"`.')
    expect((await cli(repo, ['log'])).stdout.split('\n')[0]).toContain('[closed]')
    expect(await cli(repo, ['done', 'shipped', '--json'], { now: later(6) })).toMatchObject({
      code: 2,
      json: { errors: [{ code: 'E_USAGE', message: expect.stringContaining(closed.id) }] },
    })
  })

  byNight('says what it has done and how that is taken back, which works', async () => {
    const { repo, first } = await withBrief()
    const { stderr } = await cli(repo, ['done', 'shipped'], { now: later(5) })
    const [, commit] = /^Closed: shipped \(commit (\w{12})\)$/m.exec(stderr) ?? []
    expect(commit).toBe(headOf(repo).slice(0, 12))
    const [, again = ''] = /`git handoff (resume \S+)` opens this one again\./.exec(stderr) ?? []
    expect(again).toBe(`resume ${first.id}`)
    const opened = succeeded(await cli(repo, [...again.split(' '), '--json'], { now: later(10) }))
    expect(opened.parents).toEqual([first.id])
    expect((await cli(repo, ['status', '--json'])).json.brief).toMatchObject({ id: opened.id, open: true })
  })

  byNight(
    'the next create begins a new chain: no parent, no mission, nothing inherited, and a later id',
    async () => {
      const repo = usual()
      await cli(repo, ['note', '--question', 'who owns the broker?'])
      await made(repo)
      const closed = succeeded(await cli(repo, ['done', 'shipped', '--json'], { now: later(5) }))
      const next = await made(repo, [], { now: later(10) })
      expect(next.id > closed.id).toBe(true)
      expect(next).toMatchObject({ parents: [], commit: headOf(repo) })
      expect(next.markdown).not.toMatch(/## Mission|## Previous handoff| — from \d{8}T/)
      expect(repo.git(['log', '-1', '--format=%(trailers:key=Handoff-Parent)'])).toBe('')
      expect(await made(repo, [], { now: later(20) })).toMatchObject({ id: next.id, commit: null })
    },
  )

  byNight('--no-commit writes the record alone; nothing to close and a secret are refused', async () => {
    const repo = usual()
    expect(await cli(makeRepo(), ['done', 'shipped', '--json'])).toMatchObject({
      code: 2,
      json: { errors: [{ code: 'E_NO_BRIEF' }] },
    })
    await made(repo)
    const head = headOf(repo)
    const secret = createFakes(7).make('ghp_{A-Za-z0-9:36}')
    const refused = await cli(repo, ['done', `rotated ${secret}`, '--json'])
    expect(refused).toMatchObject({ code: 1, json: { errors: [{ code: 'E_SECRET_INPUT' }] } })
    expect(refused.stdout).not.toContain(secret)
    const kept = succeeded(await cli(repo, ['done', 'shipped', '--no-commit', '--json'], { now: later(5) }))
    expect(kept.commit).toBeNull()
    expect(headOf(repo)).toBe(head)
    expect(repo.git(['status', '--porcelain'])).toBe(`?? ${kept.path}`)
  })

  byNight('during a merge it is parked, which is said, and the next create takes it up', async () => {
    const { repo } = await withBrief()
    repo.git(['switch', '-q', '-c', 'side', 'HEAD~1'])
    repo.commit('side', { 'a.txt': 'side\n' })
    repo.git(['switch', '-q', 'main'])
    repo.commit('main', { 'a.txt': 'main\n' })
    repo.tryGit(['merge', '-q', 'side'])
    const head = headOf(repo)
    const run = await cli(repo, ['done', 'shipped'], { now: later(5) })
    expect(run.stderr).toMatch(/A merge is in progress: the record waits under refs\/handoff\/\S+ /)
    expect(headOf(repo)).toBe(head)
    repo.git(['merge', '--abort'])
    expect((await made(repo, [], { now: later(9) })).parents).toEqual([])
    expect(repo.git(['for-each-ref', 'refs/handoff'])).toBe('')
    expect(repo.git(['ls-files', '.handoff/briefs']).split('\n')).toHaveLength(3)
  })

  byNight(
    'during a rebase it names the branch that comes back, so that the chain stays closed when the work goes on',
    async () => {
      const repo = usual()
      repo.commit('more', { 'b.txt': 'b\n' })
      await made(repo)
      repo.git(['-c', 'sequence.editor=sed -i 1s/^pick/edit/', 'rebase', '-q', '-i', 'HEAD~1'])
      const closed = succeeded(await cli(repo, ['done', 'shipped', '--json'], { now: later(5) }))
      expect(closed.parked).not.toBeNull()
      expect(closed.markdown).toContain('\nbranch: main\n')
      repo.git(['rebase', '--continue'])
      succeeded(await cli(repo, ['prune', '--keep', '5', '--json'], { now: later(6) }))
      repo.commit('even more', { 'b.txt': 'more\n' })
      expect((await cli(repo, ['show'])).stderr).toContain(
        'The chain is closed. Start a new one: `git handoff create "<goal>"`.',
      )
    },
  )

  byNight.each(sampled(['done', 'resume'], 1))(
    '%s takes the brief that is parked for this branch, which is adopted before what comes after it',
    async (command) => {
      const repo = usual()
      repo.git(['switch', '-q', '-c', 'side'])
      repo.commit('side', { 'a.txt': 'side\n' })
      repo.git(['switch', '-q', 'main'])
      repo.commit('main', { 'a.txt': 'main\n' })
      repo.tryGit(['merge', '-q', 'side'])
      const { id } = await made(repo)
      const next = succeeded(
        await cli(repo, [command, ...(command === 'done' ? ['shipped'] : []), '--json'], { now: later(5) }),
      )
      expect(next).toMatchObject({
        parents: [id],
        commit: null,
        parked: expect.stringContaining('refs/handoff/'),
      })
      repo.git(['merge', '--abort'])
      succeeded(
        await cli(repo, ['create', 'document the limits of the broker', '--from', 'git', '--json'], {
          now: later(6),
        }),
      )
      expect(repo.git(['for-each-ref', 'refs/handoff'])).toBe('')
      expect(
        repo
          .git(['log', '--format=%(trailers:key=Handoff-Id,valueonly,separator=)', '-3'])
          .split('\n')
          .slice(1),
      ).toEqual([next.id, id])
    },
  )

  byNight('works where the program of a filter is missing, as create does', async () => {
    const repo = usual()
    repo.git(['config', 'filter.lfs.clean', 'git-lfs-that-is-missing clean'])
    repo.git(['config', 'filter.lfs.required', 'true'])
    repo.write('.git/info/attributes', '*.ts filter=lfs\n')
    // As long as it was, so that git has to read it.
    repo.write('src/queue.ts', '-\n')
    const first = await made(repo)
    const closed = succeeded(await cli(repo, ['done', 'shipped', '--json'], { now: later(5) }))
    expect(closed).toMatchObject({ parents: [first.id], commit: headOf(repo) })
    expect(closed.markdown).toContain('\n  dirty: true\n')
  })

  byNight('closes a chain on a branch of briefs there', async () => {
    const repo = usual()
    const first = await made(repo, ['--branch', 'separate'])
    const head = headOf(repo)
    const closed = succeeded(await cli(repo, ['done', 'shipped', '--json'], { now: later(5) }))
    expect(closed).toMatchObject({ parents: [first.id], commit: repo.git(['rev-parse', 'handoff/main']) })
    expect(headOf(repo)).toBe(head)
    expect(repo.git(['status', '--porcelain'])).toBe('')
    expect((await create(repo, ['--branch', 'separate'], { now: later(9) })).json.parents).toEqual([])
  })

  byNight(
    '--prune takes the other briefs of the chain out of the tree, not those of another; history keeps them',
    async () => {
      const { repo, first: old } = await withBrief()
      succeeded(await cli(repo, ['done', 'first', '--json'], { now: later(5) }))
      const first = await made(repo, [], { now: later(10) })
      const second = await made(repo, ['--focus', 'docs'], { now: later(20) })
      expect(second.parents).toEqual([first.id])
      repo.write('a.txt', 'staged\n')
      repo.git(['add', 'a.txt'])
      const closed = succeeded(await cli(repo, ['done', 'shipped', '--prune', '--json'], { now: later(30) }))
      expect(closed.pruned.map(({ id }: { id: string }) => id)).toEqual([first.id, second.id])
      const listed = repo.git(['ls-tree', '--name-only', 'HEAD', '.handoff/briefs/'])
      expect(listed).toContain(closed.path)
      expect(listed).toContain(old.id)
      expect(listed).not.toMatch(new RegExp(`${first.id}|${second.id}`))
      expect(repo.git(['status', '--porcelain'])).toBe('M  a.txt')
      expect((await cli(repo, ['show', '--json'])).json.id).toBe(closed.id)
      const ids = (await cli(repo, ['log', '--json'])).json.briefs.map(({ id }: { id: string }) => id)
      expect(ids).toEqual(expect.arrayContaining([old.id, first.id, second.id, closed.id]))
    },
  )

  byNight('--prune keeps a brief that was edited and not committed, and says so', async () => {
    const { repo, path } = await withBrief()
    repo.write(path, `${repo.read(path)}mine\n`)
    const closed = succeeded(await cli(repo, ['done', 'shipped', '--prune', '--json'], { now: later(5) }))
    expect(closed.pruned).toEqual([])
    expect(closed.warnings.join('\n')).toContain(`${path} stays`)
    expect(repo.read(path)).toContain('mine')
  })

  byNight('--prune works on a branch of briefs, and needs a commit', async () => {
    const repo = usual()
    const first = await made(repo, ['--branch', 'separate'])
    const refused = await cli(repo, ['done', 'shipped', '--prune', '--no-commit', '--json'])
    expect(refused).toMatchObject({ code: 2, json: { errors: [{ code: 'E_USAGE' }] } })
    const closed = succeeded(await cli(repo, ['done', 'shipped', '--prune', '--json'], { now: later(5) }))
    expect(closed.pruned.map(({ id }: { id: string }) => id)).toEqual([first.id])
    const listed = repo.git(['ls-tree', '--name-only', 'handoff/main', '.handoff/briefs/'])
    expect(listed).toBe(closed.path)
    expect(repo.git(['status', '--porcelain'])).toBe('')
  })

  byNight('survives a squash: the branch it is merged into says that nothing is open', async () => {
    const repo = usual()
    repo.git(['switch', '-q', '-c', 'feature'])
    repo.commit('work', { 'a.txt': 'work\n' })
    await made(repo)
    const closed = succeeded(await cli(repo, ['done', 'shipped', '--prune', '--json'], { now: later(5) }))
    repo.git(['switch', '-q', 'main'])
    repo.git(['merge', '-q', '--squash', 'feature'])
    repo.git(['commit', '-q', '-m', 'feature (#1)'])
    repo.git(['branch', '-q', '-D', 'feature'])
    const shown = await cli(repo, ['show', '--json'])
    expect(shown.json.errors[0]).toMatchObject({ code: 'E_NO_BRIEF', message: 'No brief is open here.' })
    expect((await cli(repo, ['log'])).stdout).toContain(`${closed.id}  feature`)
    expect(await cli(repo, ['done', 'shipped', '--json'])).toMatchObject({ code: 2 })
    expect((await cli(repo, ['check'])).code).toBe(0)
  })
})
