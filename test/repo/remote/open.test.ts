import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { byNight, sampled } from '../../sampled.ts'
import { cli } from '../cli.ts'
import { fakeAgent } from '../fake-agent.ts'
import { hashFiles } from '../hash-files.ts'
import { atFolder } from '../make-repo.ts'
import { GOAL, headOf, later } from '../usual.ts'
import { BRANCH, done, fromFork, PAGE, pushed, refsOf, refused, type Team } from './team.ts'

/** A pull request of that number, as the host keeps it. */
const request = ({ hub }: Team, number: number, rev: string): string =>
  hub.git(['update-ref', `refs/pull/${number}/head`, rev])

describe('handoff open', () => {
  it('goes from the line that push prints to the brief', async () => {
    const { ann, bob, id } = await pushed()
    const { stdout } = await cli(bob, ['open', `${PAGE}/tree/${BRANCH}`], { now: later(60) })
    expect(stdout).toBe(`Switched to ${BRANCH}, a branch of origin.
Open brief: ${id}  ${GOAL}
  By Dev One with Claude Code, 1 h ago
  Nothing was committed since.
  Not trusted, so no agent sees it: it was not made in this clone. Read it, then: \`git handoff trust ${id}\`, or for every brief on branches of origin: \`git handoff trust --origin\`
`)
    expect(headOf(bob)).toBe(headOf(ann))
    expect(bob.git(['rev-parse', '--abbrev-ref', '@{upstream}'])).toBe(`origin/${BRANCH}`)
    bob.commit('more')
    expect((await done(bob, ['push'])).pushed).toEqual([{ ref: `refs/heads/${BRANCH}`, state: 'moved' }])
  })

  byNight.each(
    sampled(
      [
        ['its name', () => BRANCH],
        ['its name with the remote', () => `origin/${BRANCH}`],
        ['a link to its pull request', () => `${PAGE}/pull/7/files?w=1#diff`],
        ['the id of its brief', (id: string) => id.slice(0, 17)],
      ],
      1,
    ),
  )('knows a branch by %s', async (_, where) => {
    const team = await pushed()
    request(team, 7, `refs/heads/${BRANCH}`)
    team.bob.git(['fetch', '-q'])
    const opened = await done(team.bob, ['open', where(team.id)])
    expect(opened).toMatchObject({ branch: BRANCH, ref: `refs/heads/${BRANCH}`, brief: { id: team.id } })
    expect(team.bob.git(['symbolic-ref', 'HEAD'])).toBe(`refs/heads/${BRANCH}`)
  })

  byNight('starts an agent on a trusted brief, in one command', async () => {
    const { bob, id } = await pushed()
    await done(bob, ['trust', '--origin'])
    const agent = fakeAgent(bob, 'codex')
    const opened = await done(
      bob,
      ['open', `${PAGE}/tree/${BRANCH}`, '--to', 'codex', '--headless'],
      agent.env,
    )
    expect(opened).toMatchObject({ branch: BRANCH, id, started: true, agent: 'codex', output: 'ok\n' })
    expect(agent.seen()).toMatchObject({ cwd: bob.root, stdin: expect.stringContaining(` old: ${GOAL}`) })
  })

  byNight('starts nobody on a stranger’s brief, and an agent that opens it reads no word of it', async () => {
    const { bob, theirs } = await fromFork(12)
    await done(bob, ['trust', '--origin'])
    const agent = fakeAgent(bob, 'codex')
    const { json, code } = await cli(
      bob,
      ['open', `${PAGE}/pull/12`, '--to', 'codex', '--headless', '--json'],
      {
        env: { ...agent.env, CLAUDECODE: '1' },
      },
    )
    expect(code).toBe(1)
    expect(json).toMatchObject({
      ok: false,
      branch: 'pr/12',
      started: false,
      brief: { id: theirs, trusted: false },
      errors: [{ code: 'E_NOT_TRUSTED', hint: expect.stringContaining(`git handoff trust ${theirs}`) }],
    })
    expect(JSON.stringify(json)).not.toContain('queue and')
    expect(agent.seen()).toBeNull()
    // A person is told once, with the way on.
    const { stderr } = await cli(bob, ['open', 'pr/12', '--to', 'codex', '--headless'], { env: agent.env })
    expect(stderr.match(/[Nn]ot trusted/g)).toHaveLength(1)
    expect(stderr).toContain(`git handoff trust ${theirs}\`, then \`git handoff resume --to codex\``)
  })

  byNight(
    'keeps a pull request of a fork as a copy: pulled as it grows, never pushed, told when it was rewritten',
    async () => {
      const { ann, bob, hub, head } = await fromFork(12)
      expect(await done(bob, ['open', `${PAGE}/pull/12`])).toMatchObject({
        branch: 'pr/12',
        ref: 'refs/pull/12/head',
      })
      expect(headOf(bob)).toBe(head)
      expect(bob.git(['for-each-ref', 'refs/remotes/origin'])).not.toContain('pull')
      const before = refsOf(hub)
      expect(await refused(bob, ['push'])).toMatchObject({ code: 'E_NO_BRANCH' })
      expect(refsOf(hub)).toBe(before)
      const next = ann.commit('grown')
      ann.git(['push', '-q', 'origin', 'HEAD:refs/pull/12/head'])
      expect(await done(bob, ['pull'])).toMatchObject({ commits: 1 })
      expect(headOf(bob)).toBe(next)
      ann.git(['commit', '-q', '--amend', '--allow-empty', '-m', 'rewritten'])
      ann.git(['push', '-q', '--force', 'origin', 'HEAD:refs/pull/12/head'])
      expect(await refused(bob, ['open', `${PAGE}/pull/12`])).toMatchObject({
        code: 'E_PARTED',
        hint: expect.stringContaining('git branch -D pr/12'),
      })
    },
  )

  byNight('fetches that branch and its briefs, and nothing else', async () => {
    const { ann, bob, id } = await pushed(['--branch', 'separate'])
    for (const name of ['other', 'handoff/other'])
      ann.git(['push', '-q', 'origin', `HEAD:refs/heads/${name}`])
    ann.git(['push', '-q', 'origin', 'HEAD:refs/tags/v1'])
    expect((await done(bob, ['open', BRANCH])).brief).toMatchObject({ id })
    expect(refsOf(bob).replace(/ .*/g, '').split('\n')).toEqual([
      `refs/heads/${BRANCH}`,
      'refs/heads/main',
      'refs/remotes/origin/HEAD',
      `refs/remotes/origin/${BRANCH}`,
      `refs/remotes/origin/handoff/${BRANCH}`,
      'refs/remotes/origin/main',
    ])
  })

  byNight(
    'leaves a work tree with changes alone, and names the command for a folder of its own, which works',
    async () => {
      const { bob, id } = await pushed()
      bob.write('src/api.ts', 'mine\n')
      bob.git(['add', 'src/api.ts'])
      const [files, refs] = [hashFiles(bob.root, ['.git']), refsOf(bob)]
      const { code, hint } = await refused(bob, ['open', BRANCH])
      expect({ code, hint }).toMatchObject({
        code: 'E_IN_THE_WAY',
        hint: expect.stringContaining(`\`git handoff open ${BRANCH} --worktree ../bob-feature-queue\``),
      })
      expect({ files: hashFiles(bob.root, ['.git']), refs: refsOf(bob) }).toEqual({ files, refs })

      const folder = join(bob.base, 'bob-feature-queue')
      expect(await done(bob, ['open', BRANCH, '--worktree', '../bob-feature-queue'])).toMatchObject({
        folder,
        brief: { id },
      })
      expect(hashFiles(bob.root, ['.git'])).toEqual(files)
      const there = atFolder(bob.base, folder, bob.env)
      expect(there.git(['status', '--porcelain', '--branch'])).toBe(`## ${BRANCH}...origin/${BRANCH}`)
      expect(await refused(bob, ['open', BRANCH, '--worktree', '../again'])).toMatchObject({
        code: 'E_CHECKED_OUT',
        message: `${BRANCH} is checked out in ${folder}.`,
      })
    },
  )

  byNight(
    'brings a branch that is here already up to date, and one that no remote has as it is',
    async () => {
      const { ann, bob } = await pushed()
      await done(bob, ['open', BRANCH])
      bob.git(['switch', '-q', 'main'])
      const head = ann.commit('later')
      await done(ann, ['push'])
      expect((await cli(bob, ['open', BRANCH])).stdout).toMatch(
        /^Switched to feature\/queue, with 1 new commit from origin\.\n/,
      )
      expect(headOf(bob)).toBe(head)
      expect((await cli(bob, ['open', BRANCH])).stdout).toMatch(/^Already on feature\/queue\.\n/)
      bob.git(['branch', 'mine'])
      expect((await cli(bob, ['open', 'mine'])).stdout).toMatch(/^Switched to mine, which no remote has\.\n/)
    },
  )

  byNight('keeps a file that git ignores and the branch brings', async () => {
    const { ann, bob } = await pushed()
    ann.commit('brings it', { '.env': 'theirs\n' })
    await done(ann, ['push'])
    bob.write('.git/info/exclude', '.env\n')
    bob.write('.env', 'mine\n')
    expect(await refused(bob, ['open', BRANCH])).toMatchObject({ code: 'E_IN_THE_WAY', files: ['.env'] })
    expect(bob.read('.env')).toBe('mine\n')
    expect(bob.git(['symbolic-ref', 'HEAD'])).toBe('refs/heads/main')
  })

  byNight('waits for an operation that is in progress', async () => {
    const { bob } = await pushed()
    bob.git(['bisect', 'start'])
    expect(await refused(bob, ['open', BRANCH])).toMatchObject({
      code: 'E_IN_THE_WAY',
      message: `Handoff failed: ${BRANCH} is not checked out now: a bisect is in progress here.`,
    })
  })

  byNight('refuses what it cannot open, and changes nothing', async () => {
    const { bob } = await pushed()
    const state = () => [hashFiles(bob.root, ['.git']), refsOf(bob), bob.read('.git/config')]
    const before = state()
    const cases = [
      ['https://github.com/acme/other/pull/3', 'E_NOT_CLONED'],
      [`${PAGE}/pull/99`, 'E_NO_BRANCH'],
      [`${PAGE}/tree/nowhere`, 'E_NO_BRANCH'],
      [`${PAGE}/tree/--upload-pack=touch%20ran`, 'E_NO_BRANCH'],
      [`${PAGE}/issues/3`, 'E_USAGE'],
      ['ext::sh -c touch% ran', 'E_USAGE'],
      ['file:///etc/pull/3', 'E_USAGE'],
      ['https://user:word@github.com/acme/shop/pull/1', 'E_USAGE'],
      ['git@github.com:acme/shop.git', 'E_USAGE'],
      ['@{-1}', 'E_NO_BRANCH'],
      ['a..b', 'E_NO_BRANCH'],
      ['HEAD^{tree}', 'E_NO_BRANCH'],
      ['20261122T990000', 'E_UNKNOWN_ID'],
    ] as const
    for (const [where, code] of cases)
      expect([where, (await refused(bob, ['open', '--', where])).code]).toEqual([where, code])
    expect(state()).toEqual(before)
    expect(existsSync(join(bob.root, 'ran'))).toBe(false)
  })

  byNight('takes no name out of a brief that is none of a branch', async () => {
    const { ann, bob } = await pushed()
    const [path = ''] = ann.git(['ls-files', '.handoff/briefs']).split('\n')
    const id = '20261122T110000-0001abcd'
    const text = ann
      .read(path)
      .replace(/^branch: .*$/m, 'branch: "--upload-pack=touch ran"')
      .replace(/^id: .*$/m, `id: ${id}`)
    ann.commit('hostile', { [`.handoff/briefs/${id}-x.md`]: text })
    await done(ann, ['push'])
    bob.git(['fetch', '-q'])
    expect(await refused(bob, ['open', id])).toMatchObject({ code: 'E_NO_BRANCH' })
  })

  byNight('says outside of a repository where to clone from', async () => {
    const { bob } = await pushed()
    const { json } = await cli(bob, ['open', `${PAGE}/pull/1`, '--json'], { cwd: bob.home })
    expect(json.errors[0]).toMatchObject({
      code: 'E_NOT_CLONED',
      hint: expect.stringContaining(`\`git clone ${PAGE}.git\``),
    })
    const named = await cli(bob, ['open', BRANCH, '--json'], { cwd: bob.home })
    expect(named.json.errors[0].code).toBe('E_NO_REPOSITORY')
  })

  byNight('asks who goes on before it does anything', async () => {
    const { bob } = await pushed()
    expect(await refused(bob, ['open', BRANCH, '--to', 'nobody'])).toMatchObject({ code: 'E_NO_DESTINATION' })
    expect(bob.git(['symbolic-ref', 'HEAD'])).toBe('refs/heads/main')
  })
})
