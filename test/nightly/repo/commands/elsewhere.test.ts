import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { commitFiles } from '../../../../src/git/commit-files.ts'
import { openRepo } from '../../../../src/git/open-repo.ts'
import { cli } from '../../../repo/cli.ts'
import { BRIEF, CONTENT, expectNoHarm, ID, MESSAGE, snapshot } from '../../../repo/git/harm.ts'
import { prepared, type TempRepo } from '../../../repo/make-repo.ts'
import { AGENT, create, GOAL, headOf, later, made, SESSION, succeeded, usual } from '../../../repo/usual.ts'

/** An editor in which the person does something else than edit. */
function editor(repo: TempRepo, script: string): Record<string, string> {
  const path = join(repo.base, 'editor.sh')
  writeFileSync(path, `cd '${repo.root}' && ${script}\n`)
  return { GIT_EDITOR: `sh '${path}'` }
}

/** Two branches: `work`, which is checked out, and `other`, which has a file that `work` lacks. */
const twoBranches = prepared(async () => {
  const repo = usual()
  repo.git(['switch', '-q', '-c', 'other'])
  repo.commit('other', { 'other.txt': 'o\n' })
  repo.git(['switch', '-q', '-c', 'work', 'main'])
  repo.commit('ours', { 'a.txt': 'ours\n' })
  return repo
})

const edit = (repo: TempRepo, script: string, extra: string[] = []) =>
  create(repo, ['--edit', ...extra], { env: editor(repo, script) })

/** The brief waits for `work`, and nothing else has changed; afterwards it is adopted there. */
async function expectParked(repo: TempRepo, { json }: Awaited<ReturnType<typeof edit>>, tip: string) {
  expect(json).toMatchObject({ ok: true, branch: 'work', commit: null, parked: `refs/handoff/${json.id}` })
  expect(json.warnings.join()).toContain('Branch work is not checked out any more')
  expect(repo.git(['rev-parse', 'work'])).toBe(tip)
  expect(repo.git(['rev-parse', `refs/handoff/${json.id}^`])).toBe(tip)
  expect(repo.git(['status', '--porcelain', '-uall'])).toBe('')
  expect(existsSync(join(repo.root, json.path))).toBe(false)
  expect((await cli(repo, ['show', json.id])).stdout).toContain(GOAL)
  repo.git(['switch', '-q', 'work'])
  expect((await cli(repo, ['status', '--json'])).json.brief).toMatchObject({ id: json.id, open: true })
  const done = succeeded(await cli(repo, ['done', 'shipped', '--json'], { now: later(20) }))
  expect(done.parents).toEqual([json.id])
  expect(repo.git(['log', '--format=%s', '--', json.path])).toContain('handoff')
  expect(repo.git(['ls-tree', '-r', '--name-only', 'work', '.handoff'])).toContain('.handoff/latest.md')
  expect(repo.git(['status', '--porcelain', '-uall'])).toBe('')
}

describe('another branch is checked out while a brief is made', () => {
  it('G3: in the editor: it is parked for its own, and said', async () => {
    const repo = await twoBranches()
    const [tip, other] = [headOf(repo), repo.git(['rev-parse', 'other'])]
    const result = await edit(repo, 'git switch -q other')
    expect(repo.git(['symbolic-ref', '--short', 'HEAD'])).toBe('other')
    expect(headOf(repo)).toBe(other)
    // A branch that never had a brief gets no files of ours.
    expect(existsSync(join(repo.root, '.handoff'))).toBe(false)
    await expectParked(repo, result, tip)
  })

  it('G3: while notes are read', async () => {
    const repo = await twoBranches()
    const tip = headOf(repo)
    async function* stdin() {
      repo.git(['switch', '-q', 'other'])
      yield '- Active hypothesis: in time'
    }
    await expectParked(repo, await create(repo, ['--notes', '-'], { ...AGENT, stdin: stdin() }), tip)
  })

  it('G3: and HEAD detached, and a branch that has briefs', async () => {
    const repo = await twoBranches()
    const tip = headOf(repo)
    await expectParked(repo, await edit(repo, 'git checkout -q --detach other'), tip)
    repo.git(['switch', '-q', 'other'])
    const there = await made(repo, ['--session', SESSION], { now: later(30) })
    repo.git(['switch', '-q', 'work'])
    const before = headOf(repo)
    const second = await create(repo, ['--edit', '--focus', 'the second'], {
      env: editor(repo, 'git switch -q other'),
      now: later(40),
    })
    expect(second.json).toMatchObject({ branch: 'work', commit: null })
    expect(repo.git(['rev-parse', 'work'])).toBe(before)
    expect(headOf(repo)).toBe(there.commit)
    expect(repo.git(['status', '--porcelain', '-uall'])).toBe('')
    // What is told there is the brief of that branch.
    expect(repo.read('.handoff/latest.md')).toContain(`branch=other id=${there.id}`)
  })

  it('G3: it was renamed: the brief is committed there', async () => {
    const repo = await twoBranches()
    const { json } = await edit(repo, 'git branch -q -m renamed')
    expect(headOf(repo)).toBe(json.commit)
    expect((await cli(repo, ['show', '--json'])).json.id).toBe(json.id)
  })

  it('G3: it was deleted with its work: the brief waits for it all the same', async () => {
    const repo = await twoBranches()
    const [tip, other] = [headOf(repo), repo.git(['rev-parse', 'other'])]
    const result = await edit(repo, 'git switch -q other && git branch -q -D work')
    expect(headOf(repo)).toBe(other)
    expect(result.json).toMatchObject({ commit: null, parked: `refs/handoff/${result.json.id}` })
    repo.git(['branch', '-q', 'work', tip])
    await expectParked(repo, result, tip)
  })

  it('G3: a detached HEAD: it is parked where HEAD left its commit, and committed where HEAD has it', async () => {
    const repo = await twoBranches()
    repo.git(['checkout', '-q', '--detach'])
    const left = await edit(repo, 'git switch -q other')
    expect(left.json).toMatchObject({ branch: null, commit: null, parked: `refs/handoff/${left.json.id}` })
    expect(left.json.warnings.join()).toContain('The detached HEAD')
    expect(repo.git(['status', '--porcelain', '-uall'])).toBe('')
    repo.git(['checkout', '-q', '--detach', 'work'])
    expect((await cli(repo, ['show', '--json'])).json.id).toBe(left.json.id)
    const kept = await create(repo, ['--edit', '--focus', 'kept'], {
      env: editor(repo, 'git switch -q -c named'),
      now: later(10),
    })
    expect(kept.json).toMatchObject({ branch: null, commit: repo.git(['rev-parse', 'named']) })
  })

  it('G3: a rebase of the other branch began: the brief waits for its own', async () => {
    const repo = await twoBranches()
    const tip = headOf(repo)
    repo.git(['switch', '-q', 'other'])
    repo.commit('conflict', { 'a.txt': 'other\n' })
    repo.git(['switch', '-q', 'work'])
    const result = await edit(repo, 'git rebase -q work other || :')
    expect(result.json.errors).toEqual([])
    expect(repo.git(['log', '-1', '--format=%B', `refs/handoff/${result.json.id}`])).toContain(
      'Handoff-Parked-On: refs/heads/work',
    )
    repo.git(['rebase', '--abort'])
    repo.git(['switch', '-q', 'work'])
    expect(headOf(repo)).toBe(tip)
    expect((await cli(repo, ['show', '--json'])).json.id).toBe(result.json.id)
  })

  it('G3: in the last moment: nothing of the other branch is touched', async () => {
    const repo = await twoBranches()
    repo.git(['switch', '-q', 'other'])
    repo.write('other.txt', 'staged\n')
    repo.git(['add', 'other.txt'])
    const [before, other] = [snapshot(repo), headOf(repo)]
    const outcome = await commitFiles(await openRepo(repo.root, { env: repo.env }), {
      id: ID,
      files: [{ path: BRIEF, content: CONTENT }],
      message: MESSAGE,
      of: { branch: 'work', head: repo.git(['rev-parse', 'work']) },
    })
    expect(outcome).toMatchObject({ state: 'parked', operation: null, ref: `refs/handoff/${ID}` })
    expect(headOf(repo)).toBe(other)
    expectNoHarm(repo, before)
    expect(repo.git(['ls-tree', '-r', '--name-only', `refs/handoff/${ID}`])).not.toContain('other.txt')
  })
})
