import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { byNight } from '../../sampled.ts'
import { cli } from '../cli.ts'
import { atFolder, cloneOf, type TempRepo, writeOwn } from '../make-repo.ts'
import { hook } from '../remote/team.ts'
import { later } from '../usual.ts'
import { BRANCH, done, handOver, makePair, refsBeside, refused, stateOf } from './pair.ts'

const token = (): string =>
  `ghp_${'0123456789abcdefghijklmnopqrstuvwxyzABCD'
    .split('')
    .sort(() => Math.random() - 0.5)
    .join('')
    .slice(0, 36)}`

/** What a person has that is no file of the work tree. */
const privateState = (repo: TempRepo) => ({
  index: readFileSync(join(repo.root, '.git/index')).toString('base64'),
  stash: repo.git(['stash', 'list']),
  head: repo.git(['rev-parse', 'HEAD']),
  branches: repo.git(['for-each-ref', 'refs/heads', 'refs/stash']),
})

describe('handoff push --work', () => {
  it('tells what goes and what stays, and touches nothing of the person', async () => {
    const { ann, bob, hub, id } = await makePair()
    const secret = token()
    ann.write('a.txt', 'staged\n')
    ann.git(['add', 'a.txt'])
    ann.write('a.txt', 'again\n')
    ann.write('new.txt', 'new\n')
    ann.write('conf/keys.ts', `const token = "${secret}"\n`)
    ann.git(['add', 'conf/keys.ts'])
    ann.write('conf/keys.ts', 'const token = read()\n')
    ann.write(`notes-${secret}.txt`, 'x\n')
    ann.write('video.bin', Buffer.alloc(11 << 20, 7))
    ann.write('pipe', '')
    execFileSync('rm', [join(ann.root, 'pipe')])
    execFileSync('mkfifo', [join(ann.root, 'pipe')])
    ann.git(['init', '-q', 'nested'])
    ann.write('nested/file', 'x\n')
    const [files, before] = [stateOf(ann), privateState(ann)]
    const { stdout, stderr, code } = await cli(ann, ['push', '--work'], { now: later(9) })
    expect(code).toBe(0)
    expect(stdout).toBe(
      `Pushed 2 uncommitted files to origin.\nFor the next person: git handoff open ${BRANCH}\n`,
    )
    expect(stderr).toMatch(
      /^Sends 2 uncommitted files \(1 staged, \d+ B\) beside \S+, on no branch; it stays here: /,
    )
    for (const part of [
      '`nested/` (a repository of its own)',
      '`video.bin` (11.0 MB)',
      '`conf/keys.ts` (a secret: github-token)',
      '`notes-[REDACTED:github-token].txt` (a secret: github-token)',
    ])
      expect(stderr).toContain(part)
    expect([stateOf(ann), privateState(ann)]).toEqual([files, before])
    expect(hub.git(['rev-list', '--all', '--objects'])).not.toContain(secret)
    const stored = hub.git(['for-each-ref', '--format=%(objectname)', 'refs/handoff'])
    const ids = hub.git(['rev-list', '--objects', '--no-object-names', stored])
    expect(hub.git(['cat-file', '--batch'], { input: `${ids}\n` })).not.toContain(secret)
    expect(refsBeside({ ann, bob, hub, id })).toEqual([`refs/handoff/work/${id}`])

    const opened = await cli(bob, ['open', BRANCH], { now: later(10) })
    expect(opened.stdout).toContain('Uncommitted work of Ann')
    expect(opened.stdout).toContain('old: 2 files (1 staged) restored.')
    expect(opened.stdout).toContain('Stayed there: ')
    expect(opened.stdout).toContain('`conf/keys.ts` (a secret: github-token)')
    expect(existsSync(join(bob.root, 'conf'))).toBe(false)
    expect(bob.git(['status', '--porcelain'])).toBe('MM a.txt\n?? new.txt')
    const told = await cli(ann, ['push', '--no-work'])
    expect(told.stderr).toMatch(/Your uncommitted work beside \S+ was picked up by Bob, \d+ s ago\./)
    expect(refsBeside({ ann, bob, hub, id })).toEqual([])
    expect((await cli(ann, ['push', '--no-work'])).stderr).not.toContain('picked up')
  })

  byNight('lets a secret go that the branch has at that path anyway', async () => {
    const { ann, bob } = await makePair()
    const line = `const token = "${token()}"\n`
    ann.commit('committed', { 'fixture.ts': line })
    appendFileSync(join(ann.root, 'fixture.ts'), 'more\n')
    await handOver(ann, 'the queue')
    const { work } = await done(bob, ['open', BRANCH])
    expect(work).toMatchObject({ files: 1, left: [] })
    expect(bob.read('fixture.ts')).toBe(`${line}more\n`)
  })

  byNight('says before anything is sent that it is too much', async () => {
    const { ann, hub } = await makePair()
    for (let n = 0; n < 6; n++) ann.write(`big/${n}.bin`, Buffer.alloc(9 << 20, n))
    const refs = hub.git(['for-each-ref'])
    const { code, message } = await refused(ann, ['push', '--work'])
    expect(code).toBe('E_WORK_TOO_LARGE')
    expect(message).toContain('6 files, 54.0 MB; at most 5,000 files and 50.0 MB')
    for (let n = 0; n < 6; n++) execFileSync('rm', [join(ann.root, `big/${n}.bin`)])
    for (let n = 0; n < 5001; n++) writeFileSync(join(ann.root, 'big', `${n}`), '')
    expect((await refused(ann, ['push', '--work'])).message).toContain('5,001 files')
    expect(hub.git(['for-each-ref'])).toBe(refs)
  })

  byNight('needs a brief, and sends nothing where nothing is uncommitted', async () => {
    const { ann, hub } = await makePair()
    const refs = hub.git(['for-each-ref'])
    expect((await done(ann, ['push', '--work'])).work).toBeNull()
    ann.git(['switch', '-q', '-c', 'other', 'main'])
    ann.write('a.txt', 'x\n')
    expect(await refused(ann, ['push', '--work'])).toMatchObject({
      code: 'E_NO_BRIEF',
      hint: expect.stringContaining('git handoff create "<goal>" --work'),
    })
    expect(hub.git(['for-each-ref'])).toBe(refs)
  })

  byNight('does as the person configured, and asks no program', async () => {
    const { ann } = await makePair()
    ann.write('a.txt', 'x\n')
    const asked = await done(ann, ['push'])
    expect(asked.work).toBeNull()
    expect(asked.warnings).toEqual([expect.stringContaining('`git handoff push --work` sends them')])
    ann.write('.handoff/config.yaml', 'work: always\n')
    expect((await done(ann, ['push'])).work).toBeNull()
    writeOwn(ann, 'config.yaml', 'work: always\n')
    expect((await done(ann, ['push', '--no-work'])).work).toBeNull()
    expect((await done(ann, ['push'])).work).toMatchObject({ files: 2 })
    writeOwn(ann, 'config.yaml', 'work: sometimes\n')
    expect((await refused(ann, ['push'])).code).toBe('E_CONFIG')
  })

  byNight('keeps with `create --work` what `push` sends then', async () => {
    const { ann, bob } = await makePair()
    ann.write('a.txt', 'kept\n')
    const { id } = await done(ann, [
      'create',
      'finish the queue and document its limits',
      '--from',
      'git',
      '--work',
    ])
    ann.write('a.txt', 'later\n')
    expect((await done(ann, ['push'])).work).toMatchObject({ id, files: 1 })
    await done(bob, ['open', BRANCH])
    expect(bob.read('a.txt')).toBe('kept\n')
  })

  byNight(
    'replaces what it sent before, withdraws it once all is committed, and removes it after 30 days',
    async () => {
      const { ann, bob, hub, id } = await makePair()
      ann.write('a.txt', '1\n')
      await done(ann, ['push', '--work'])
      expect((await done(ann, ['push', '--work'])).work).toMatchObject({ isNew: false })
      ann.write('a.txt', '2\n')
      expect((await done(ann, ['push', '--work'])).work).toMatchObject({ isNew: true })
      const next = await handOver(ann, 'the queue')
      expect(refsBeside({ ann, bob, hub, id })).toEqual([`refs/handoff/work/${next}`])
      expect((await cli(ann, ['push', '--no-work'])).stderr).not.toContain('picked up')
      await done(ann, ['prune', '--keep', '9'], { now: new Date(Date.now() + 29 * 86_400_000) })
      expect(refsBeside({ ann, bob, hub, id })).toHaveLength(1)
      expect(ann.git(['for-each-ref', 'refs/handoff'])).not.toBe('')
      const late = { now: new Date(Date.now() + 31 * 86_400_000) }
      expect((await done(ann, ['prune', '--keep', '9'], late)).work).toEqual([next])
      expect(refsBeside({ ann, bob, hub, id })).toEqual([])
      expect(ann.git(['for-each-ref', 'refs/handoff'])).toBe('')
      expect(ann.read('a.txt')).toBe('2\n')
      await done(ann, ['push', '--work'])
      ann.commit('all')
      await done(ann, ['push'])
      expect(refsBeside({ ann, bob, hub, id })).toEqual([])
    },
  )

  byNight('replaces what a killed push of its own has sent, and nothing of somebody else', async () => {
    const { ann, bob, hub, id } = await makePair()
    ann.write('a.txt', '1\n')
    await done(ann, ['push', '--work'])
    rmSync(join(ann.root, '.git/handoff/work'), { recursive: true })
    ann.write('a.txt', '2\n')
    await done(ann, ['push', '--work'])
    const other = bob.git(['commit-tree', 'HEAD^{tree}', '-m', 'other'])
    bob.git(['push', '-q', '--force', 'origin', `${other}:refs/handoff/work/${id}`])
    ann.write('a.txt', '3\n')
    expect(await refused(ann, ['push', '--work'])).toMatchObject({
      code: 'E_PUSH_REFUSED',
      message: expect.stringContaining('other work beside this brief'),
    })
    expect(hub.git(['rev-parse', `refs/handoff/work/${id}`])).toBe(other)
  })

  byNight('goes as a branch where the host takes nothing else, which open deletes', async () => {
    const { ann, bob, hub, id } = await makePair([], ['receive.hideRefs', 'refs/handoff'])
    ann.write('a.txt', 'x\n')
    const { stdout } = await cli(ann, ['push', '--work'])
    expect(stdout).toContain(
      `1 uncommitted file, as branch handoff/work/${id}, which \`open\` deletes, to origin`,
    )
    ann.write('a.txt', 'y\n')
    await done(ann, ['push', '--work'])
    expect(refsBeside({ ann, bob, hub, id })).toEqual([`refs/heads/handoff/work/${id}`])
    expect((await done(bob, ['open', BRANCH])).work).toMatchObject({ files: 1 })
    expect(bob.read('a.txt')).toBe('y\n')
    expect(refsBeside({ ann, bob, hub, id })).toEqual([])
    expect((await cli(ann, ['push', '--no-work'])).stderr).toContain('was picked up by somebody')
  })

  byNight('runs the pre-push hook once, and no other', async () => {
    const { ann, bob } = await makePair()
    const seen = join(ann.base, 'seen')
    for (const name of ['pre-push', 'pre-commit', 'post-index-change', 'post-commit'])
      hook(join(ann.root, '.git/hooks', name), `echo ${name} >> "${seen}"; cat >/dev/null`)
    ann.write('a.txt', 'x\n')
    await done(ann, ['push', '--work'])
    expect(readFileSync(seen, 'utf8')).toBe('pre-push\n')
    for (const name of ['pre-push', 'post-index-change', 'post-checkout'])
      hook(join(bob.root, '.git/hooks', name), `echo ${name} >> "${seen}"; cat >/dev/null`)
    await done(bob, ['open', BRANCH])
    expect(readFileSync(seen, 'utf8')).toBe('pre-push\n')
  })
})

describe('handoff open with work', () => {
  byNight('merges where the branch has moved on, and says so', async () => {
    const { ann, bob, hub, id } = await makePair()
    ann.write('a.txt', ann.read('a.txt').replace('one', 'ONE'))
    ann.git(['add', 'a.txt'])
    ann.write('new.txt', 'new\n')
    await done(ann, ['push', '--work'])
    bob.write('a.txt', bob.read('a.txt').replace('seven', 'SEVEN'))
    bob.commit('moves on', { 'b2.txt': 'b\n' })
    await done(bob, ['push'])
    const { stdout } = await cli(bob, ['open', BRANCH])
    expect(stdout).toContain('The branch has moved on since; it was merged without conflicts.')
    expect(bob.read('a.txt')).toBe('ONE\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n')
    expect(bob.git(['status', '--porcelain'])).toBe('M  a.txt\n?? new.txt')
    expect(refsBeside({ ann, bob, hub, id })).toEqual([`refs/handoff/taken/${id}`])
  })

  byNight('merges upon a branch that was rewritten and force-pushed', async () => {
    const { ann, bob } = await makePair()
    ann.write('a.txt', ann.read('a.txt').replace('one', 'ONE'))
    await done(ann, ['push', '--work'])
    bob.write('a.txt', bob.read('a.txt').replace('four', 'FOUR'))
    // The commit that the work was made at is on no branch any more.
    bob.git(['commit', '-q', '-a', '--amend', '-m', 'rewritten'])
    bob.git(['push', '-q', '--force', 'origin', BRANCH])
    expect((await done(bob, ['open', BRANCH])).work).toMatchObject({ isMerged: true })
    expect(bob.read('a.txt')).toBe('ONE\ntwo\nthree\nFOUR\nfive\nsix\nseven\n')
  })

  it('stops at conflicts with nothing changed, and its hint works', async () => {
    const { ann, bob, hub, id } = await makePair()
    ann.write('a.txt', 'hers\n')
    ann.write('new.txt', 'new\n')
    await done(ann, ['push', '--work'])
    bob.commit('his', { 'a.txt': 'his\n' })
    const before = stateOf(bob)
    const { code, files, hint } = await refused(bob, ['open', BRANCH])
    expect({ code, files }).toEqual({ code: 'E_IN_THE_WAY', files: ['a.txt'] })
    expect(stateOf(bob)).toEqual(before)
    expect(refsBeside({ ann, bob, hub, id })).toEqual([`refs/handoff/work/${id}`])
    await done(bob, ['open', BRANCH, '--no-work'])
    const command = /`(git cherry-pick[^`]*)`/.exec(hint)?.[1] ?? ''
    expect(() =>
      execFileSync('sh', ['-c', command], { cwd: bob.root, env: bob.env, stdio: 'ignore' }),
    ).toThrow()
    expect(bob.read('new.txt')).toBe('new\n')
    expect(bob.read('a.txt')).toContain('<<<<<<<')
  })

  byNight('is done once: whoever comes later, from another clone, is not given it again', async () => {
    const { ann, bob, hub } = await makePair()
    ann.write('a.txt', 'x\n')
    await done(ann, ['push', '--work'])
    await done(bob, ['open', BRANCH])
    expect((await done(bob, ['open', BRANCH])).work).toBeNull()
    const eve = cloneOf(hub, { name: 'eve' })
    expect((await done(eve, ['open', BRANCH])).work).toBeNull()
    expect(eve.git(['status', '--porcelain'])).toBe('')
  })

  byNight(
    'leaves the sender’s own work where it is, also after a reset, when it brings it back',
    async () => {
      const { ann, bob, hub, id } = await makePair()
      ann.write('a.txt', 'x\n')
      await done(ann, ['push', '--work'])
      const { stdout } = await cli(ann, ['open', BRANCH])
      expect(stdout).toContain(`Your own uncommitted work beside ${id} waits on origin`)
      expect(refsBeside({ ann, bob, hub, id })).toEqual([`refs/handoff/work/${id}`])
      ann.git(['reset', '-q', '--hard'])
      expect((await done(ann, ['open', BRANCH])).work).toMatchObject({ by: 'Ann', files: 1 })
      expect(ann.read('a.txt')).toBe('x\n')
    },
  )

  byNight('replaces what was sent before, and nothing that changed since', async () => {
    const { ann, bob } = await makePair()
    ann.write('a.txt', 'hers\n')
    ann.write('scratch.txt', 'hers\n')
    ann.write('.env.local', `TOKEN=${token()}\n`)
    await done(ann, ['push', '--work'])
    await done(bob, ['open', BRANCH])
    bob.write('a.txt', 'his\n')
    await handOver(bob, 'the queue')
    ann.write('scratch.txt', 'changed since\n')
    const before = stateOf(ann)
    const { code, files } = await refused(ann, ['open', BRANCH])
    expect({ code, files }).toEqual({ code: 'E_IN_THE_WAY', files: ['scratch.txt'] })
    expect(stateOf(ann)).toEqual(before)
    ann.write('scratch.txt', 'hers\n')
    await done(ann, ['open', BRANCH])
    expect(ann.read('a.txt')).toBe('his\n')
    // What never travelled is there still.
    expect(ann.read('.env.local')).toMatch(/^TOKEN=ghp_/)
  })

  byNight('takes back what was sent where it comes as commits, and nothing else', async () => {
    const { ann, bob, id } = await makePair()
    ann.write('a.txt', 'hers\n')
    ann.git(['add', 'a.txt'])
    ann.write('new.txt', 'hers\n')
    await done(ann, ['push', '--work'])
    await done(bob, ['open', BRANCH])
    bob.commit('all of it', { 'a.txt': 'his\n' })
    await done(bob, ['push'])
    ann.write('dir/b.txt', 'mine\n')
    const before = stateOf(ann)
    expect((await refused(ann, ['open', BRANCH])).code).toBe('E_IN_THE_WAY')
    expect(stateOf(ann)).toEqual(before)
    ann.git(['checkout', '-q', 'dir/b.txt'])
    const { stdout } = await cli(ann, ['open', BRANCH])
    expect(stdout).toContain(`git cherry-pick --no-commit -m 1 refs/handoff/work/${id}`)
    expect(ann.git(['status', '--porcelain'])).toBe('')
    expect([ann.read('a.txt'), ann.read('new.txt')]).toEqual(['his\n', 'hers\n'])
    expect(ann.git(['show', `refs/handoff/work/${id}:a.txt`])).toBe('hers')
  })

  byNight('restores into a new folder beside changes of one’s own', async () => {
    const { ann, bob } = await makePair()
    bob.git(['switch', '-q', 'main'])
    ann.write('a.txt', 'x\n')
    await done(ann, ['push', '--work'])
    bob.write('dir/b.txt', 'mine\n')
    const before = stateOf(bob)
    await done(bob, ['open', BRANCH, '--worktree', '../bob-two'])
    const two = atFolder(bob.base, join(bob.base, 'bob-two'), bob.env)
    expect(two.git(['status', '--porcelain'])).toBe(' M a.txt')
    expect(stateOf(bob)).toEqual(before)
    // And from there back.
    two.write('new.txt', 'x\n')
    await handOver(two, 'the queue')
    expect((await done(ann, ['open', BRANCH])).work).toMatchObject({ by: 'Bob', files: 2 })
  })

  byNight('says in pull that work waits', async () => {
    const { ann, bob } = await makePair()
    ann.write('a.txt', 'x\n')
    await handOver(ann, 'the queue')
    expect((await cli(bob, ['pull'])).stderr).toContain(
      `Uncommitted work waits beside it: \`git handoff open ${BRANCH}\``,
    )
    expect((await cli(ann, ['pull'])).stderr).not.toContain('Uncommitted work waits')
  })
})
