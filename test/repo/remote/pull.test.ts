import { describe, expect, it } from 'vitest'
import { byNight } from '../../sampled.ts'
import { cli } from '../cli.ts'
import { hashFiles } from '../hash-files.ts'
import { AGENT, GOAL, headOf, later, made } from '../usual.ts'
import { BRANCH, done, makeTeam, pushed, refsOf, refused } from './team.ts'

/** Bob has the branch as it was before Ann's handoff. */
async function behind(extra: string[] = []) {
  const team = await makeTeam()
  await done(team.ann, ['push'])
  team.bob.git(['fetch', '-q'])
  team.bob.git(['switch', '-q', BRANCH])
  const { id } = await made(team.ann, extra, AGENT)
  await done(team.ann, ['push'])
  return { ...team, id }
}

byNight('status says what was fetched and waits to be pulled, and no more after that', async () => {
  const { ann, bob } = await pushed()
  bob.git(['fetch', '-q'])
  bob.git(['switch', '-q', BRANCH])
  const said = async () => (await done(bob, ['status'])).warnings
  expect(await said()).toEqual([])
  const { id } = await made(ann, ['--from', 'git'], { now: later(20) })
  await done(ann, ['push'])
  expect(await said()).toEqual([])
  bob.git(['fetch', '-q'])
  expect(await said()).toEqual([`origin/${BRANCH} has a newer brief, ${id}; \`git handoff pull\` brings it`])
  await done(bob, ['pull'])
  expect(await said()).toEqual([])
})

describe('handoff pull', () => {
  it('fast-forwards, and tells the brief that came and how to trust it', async () => {
    const { ann, bob, id } = await behind()
    const { stdout } = await cli(bob, ['pull'], { now: later(180) })
    expect(stdout).toBe(`1 new commit on ${BRANCH} from origin.
Open brief: ${id}  ${GOAL}
  By Dev One with Claude Code, 3 h ago
  Nothing was committed since.
  Not trusted, so no agent sees it: it was not made in this clone. Read it, then: \`git handoff trust ${id}\`, or for every brief on branches of origin: \`git handoff trust --origin\`
`)
    expect(headOf(bob)).toBe(headOf(ann))
    const again = await cli(bob, ['pull'])
    expect(again.stdout).toBe(`Nothing new on ${BRANCH} of origin.\n`)
    expect(again.stderr).toContain('Another branch: `git handoff open <branch>`')
    expect(await done(bob, ['pull'])).toMatchObject({ commits: 0, ahead: 0, news: false, isNew: false })
  })

  byNight('says that a brief of a trusted origin is trusted', async () => {
    const { bob, id } = await behind()
    await done(bob, ['trust', '--origin'])
    const { brief, isNew } = await done(bob, ['pull'])
    expect({ brief, isNew }).toMatchObject({ brief: { id, goal: GOAL, trusted: true }, isNew: true })
    expect(bob.read('.handoff/latest.md')).toContain(GOAL)
  })

  byNight('tells an agent of a brief that is not trusted, and no word of it', async () => {
    const { bob, id } = await behind()
    const agent = { env: { CLAUDECODE: '1' } }
    const { stdout, stderr } = await cli(bob, ['pull'], agent)
    expect(stdout).toContain(`A handoff brief ${id} is in this repository, but it is not trusted`)
    expect(stdout + stderr).not.toContain('queue and')
    const json = JSON.stringify((await cli(bob, ['pull', '--json'], agent)).json)
    expect(json).toContain(id)
    expect(json).not.toContain('queue and')
  })

  byNight(
    'brings the branch of briefs alone, and moves the own one where nothing was made on it here',
    async () => {
      const { ann, bob, id } = await behind(['--branch', 'separate'])
      const before = headOf(bob)
      const { stdout } = await cli(bob, ['pull'])
      expect(stdout).toMatch(`New briefs on handoff/${BRANCH} from origin.\nOpen brief: ${id}`)
      expect(headOf(bob)).toBe(before)
      bob.git(['branch', '-q', `handoff/${BRANCH}`, `origin/handoff/${BRANCH}`])
      ann.commit('again', { 'src/queue.ts': 'again\n' })
      const { commit } = await made(ann, ['--branch', 'separate'], { ...AGENT, now: later(10) })
      await done(ann, ['push'])
      await done(bob, ['pull'])
      expect(bob.git(['rev-parse', `handoff/${BRANCH}`])).toBe(commit)
    },
  )

  byNight('fetches nothing else', async () => {
    const { ann, bob } = await behind()
    ann.git(['tag', 'v1'])
    ann.git(['branch', 'other'])
    ann.git(['push', '-q', 'origin', 'v1', 'other'])
    bob.git(['config', 'remote.origin.tagOpt', '--tags'])
    await done(bob, ['pull'])
    expect(refsOf(bob)).not.toMatch(/refs\/tags|other/)
  })

  byNight('keeps changes that are not committed, and refuses where they are in the way', async () => {
    const { ann, bob } = await behind()
    bob.git(['config', 'merge.autoStash', 'true'])
    bob.write('src/api.ts', 'mine\n')
    bob.write('new.txt', 'mine\n')
    await done(bob, ['pull'])
    expect(bob.git(['status', '--porcelain'])).toBe(' M src/api.ts\n?? new.txt')
    ann.commit('same file', { 'src/api.ts': 'theirs\n', 'new.txt': 'theirs\n' })
    await done(ann, ['push'])
    const files = hashFiles(bob.root, ['.git'])
    const head = headOf(bob)
    expect(await refused(bob, ['pull'])).toMatchObject({
      code: 'E_IN_THE_WAY',
      files: ['src/api.ts', 'new.txt'],
    })
    expect({ files: hashFiles(bob.root, ['.git']), head: headOf(bob) }).toEqual({ files, head })
    expect(bob.git(['stash', 'list'])).toBe('')
  })

  byNight('keeps a file that git ignores', async () => {
    const { ann, bob } = await behind()
    bob.write('.git/info/exclude', '.env\n')
    bob.write('.env', 'KEY=mine\n')
    ann.commit('brings it', { '.env': 'theirs\n' })
    await done(ann, ['push'])
    expect(await refused(bob, ['pull'])).toMatchObject({ code: 'E_IN_THE_WAY', files: ['.env'] })
    expect(bob.read('.env')).toBe('KEY=mine\n')
  })

  byNight('merges and rebases nothing where both sides have commits', async () => {
    const { bob } = await behind()
    const head = bob.commit('mine')
    expect(await refused(bob, ['pull'])).toMatchObject({
      code: 'E_PARTED',
      message: expect.stringContaining('(here 1, there 1)'),
    })
    expect(headOf(bob)).toBe(head)
  })

  byNight(
    'works where the clone fetches one branch only, and where the upstream has another name',
    async () => {
      const { ann, bob } = await pushed()
      bob.git(['config', 'remote.origin.fetch', '+refs/heads/main:refs/remotes/origin/main'])
      bob.git(['fetch', '-q', 'origin', BRANCH])
      bob.git(['switch', '-q', '-c', 'mine', 'FETCH_HEAD'])
      bob.git(['config', 'branch.mine.remote', 'origin'])
      bob.git(['config', 'branch.mine.merge', `refs/heads/${BRANCH}`])
      const head = ann.commit('later')
      await done(ann, ['push'])
      expect(await done(bob, ['pull'])).toMatchObject({ branch: 'mine', commits: 1, isNew: false })
      expect(headOf(bob)).toBe(head)
    },
  )

  byNight('says what is not on the remote yet', async () => {
    const { ann } = await makeTeam()
    expect(await refused(ann, ['pull'])).toMatchObject({
      code: 'E_NO_BRANCH',
      message: `origin has no branch ${BRANCH}.`,
      hint: expect.stringContaining('`git handoff push`'),
    })
  })
})
