import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commitFiles } from '../../../src/git/commit-files.ts'
import { openRepo } from '../../../src/git/open-repo.ts'
import { branchOfWork } from '../../../src/git/operation.ts'
import { listParked } from '../../../src/git/parked.ts'
import { readWork } from '../../../src/life/trunk.ts'
import { byNight, describeByNight, sampled } from '../../sampled.ts'
import type { TempRepo } from '../make-repo.ts'
import { adoptHere, BRIEF, CONTENT, expectNoHarm, expectOnlyOurs, ID, MESSAGE, snapshot } from './harm.ts'
import { cases, copyOf, facts, forked } from './operation-cases.ts'

describe.each(sampled(Object.entries(cases), 1))('%s', (_name, operation) => {
  test('is parked, then goes on and is aborted as without us, and the brief is adopted afterwards', async () => {
    const temp = forked()
    operation.begin(temp)
    const untouched = [copyOf(temp, 'plain-go-on'), copyOf(temp, 'plain-abort')] as const
    temp.write(BRIEF, CONTENT)
    const before = snapshot(temp)
    const repo = await openRepo(temp.root, { env: temp.env })
    expect(await readWork(repo)).toMatchObject({ operation: operation.operation, branch: 'main' })
    const outcome = await commitFiles(repo, {
      id: ID,
      files: [{ path: BRIEF, content: CONTENT }],
      message: MESSAGE,
    })
    expect(outcome).toMatchObject({
      state: 'parked',
      ref: `refs/handoff/${ID}`,
      operation: operation.operation,
    })
    expectOnlyOurs(temp, outcome.commit)
    expectNoHarm(temp, before)
    expect(await listParked(repo)).toMatchObject([{ id: ID, path: BRIEF, branch: 'refs/heads/main' }])
    // A second try parks nothing new, and nothing is adopted while the operation is unfinished.
    const again = await commitFiles(repo, {
      id: ID,
      files: [{ path: BRIEF, content: CONTENT }],
      message: MESSAGE,
    })
    expect(again).toMatchObject({ state: 'parked', commit: outcome.commit })
    expect(await adoptHere(repo)).toEqual({ adopted: [], left: [] })

    const ways = [operation.proceed, (copy: TempRepo) => copy.git(operation.abort)]
    for (const [at, way] of ways.entries()) {
      const copy = copyOf(temp, `ours-${at}`)
      const plain = untouched[at] ?? untouched[0]
      way(copy)
      way(plain)
      expect(facts(copy)).toEqual(facts(plain))
      expect(readFileSync(join(copy.root, BRIEF), 'utf8')).toBe(CONTENT)
      if (operation.operation === 'bisect' && at === 0) continue
      const after = await openRepo(copy.root, { env: copy.env })
      const adoption = await adoptHere(after)
      expect(adoption).toMatchObject({ adopted: [{ id: ID, path: BRIEF }], left: [] })
      expect(copy.git(['rev-parse', 'HEAD'])).toBe(adoption.adopted[0]?.commit)
      expect(copy.git(['log', '-1', '--format=%B']).trimEnd()).toBe(MESSAGE.trimEnd())
      expect(copy.git(['for-each-ref', 'refs/handoff'])).toBe('')
      expect(copy.git(['status', '--porcelain', '-uall'])).toBe(facts(plain).status.join('\n'))
      expect(await listParked(after)).toEqual([])
      copy.git(['fsck', '--no-dangling'])
    }
  })
})

describeByNight('adoptParked', () => {
  async function parkedInMerge() {
    const temp = forked()
    temp.tryGit(['merge', 'side'])
    temp.write(BRIEF, CONTENT)
    const repo = await openRepo(temp.root, { env: temp.env })
    const { commit } = await commitFiles(repo, {
      id: ID,
      files: [{ path: BRIEF, content: CONTENT }],
      message: MESSAGE,
    })
    temp.git(['merge', '--abort'])
    return { temp, repo, commit }
  }

  byNight('leaves briefs of another branch parked', async () => {
    const { temp, repo } = await parkedInMerge()
    temp.git(['switch', '-q', 'side'])
    expect(await adoptHere(repo)).toEqual({ adopted: [], left: [] })
    expect(await listParked(repo)).toHaveLength(1)
  })

  byNight('puts back a brief that was cleaned away', async () => {
    const { temp, repo } = await parkedInMerge()
    temp.git(['clean', '-fdq'])
    expect(existsSync(join(temp.root, BRIEF))).toBe(false)
    expect((await adoptHere(repo)).adopted).toHaveLength(1)
    expect(temp.read(BRIEF)).toBe(CONTENT)
    expect(temp.git(['status', '--porcelain'])).toBe('')
  })

  byNight('writes a brief again that its writer takes back meanwhile', async () => {
    const { temp, repo } = await parkedInMerge()
    const hook = join(temp.root, '.git/hooks/reference-transaction')
    writeFileSync(hook, `#!/bin/sh\nif grep -q refs/heads/main; then rm -f ${BRIEF}; fi\n`, { mode: 0o755 })
    expect((await adoptHere(repo)).adopted).toHaveLength(1)
    expect(readFileSync(join(temp.root, BRIEF), 'utf8')).toBe(CONTENT)
    expect(temp.git(['status', '--porcelain', '-uall', '.handoff'])).toBe('')
  })

  byNight('does not overwrite a brief that was changed, and says so', async () => {
    const { temp, repo } = await parkedInMerge()
    temp.write(BRIEF, 'mine\n')
    const { adopted, left } = await adoptHere(repo)
    expect(adopted).toEqual([])
    expect(left).toMatchObject([{ id: ID, why: expect.stringContaining('changed') }])
    expect(temp.read(BRIEF)).toBe('mine\n')
  })

  byNight('knows a brief that the user committed in the meantime', async () => {
    const { temp, repo } = await parkedInMerge()
    temp.commit('all in')
    expect(await listParked(repo)).toEqual([])
    expect(await adoptHere(repo)).toEqual({ adopted: [], left: [] })
    expect(temp.git(['for-each-ref', 'refs/handoff'])).toBe('')
  })

  byNight(
    'a rebase that ends while HEAD is read: the brief is committed, and waits for no branch that never comes',
    async () => {
      const temp = forked()
      temp.tryGit(['rebase', 'side'])
      const disturbed = await during(temp, ' symbolic-ref ', 'git rebase --abort')
      temp.write(BRIEF, CONTENT)
      const request = { id: ID, files: [{ path: BRIEF, content: CONTENT }], message: MESSAGE }
      expect(await commitFiles(disturbed, request)).toMatchObject({
        state: 'committed',
        ref: 'refs/heads/main',
      })
      expect(temp.git(['for-each-ref', 'refs/handoff'])).toBe('')
    },
  )

  byNight('a rebase leaves the brief its branch, a detached HEAD none', () => {
    const temp = forked()
    const gitDir = join(temp.root, '.git')
    temp.tryGit(['rebase', 'side'])
    expect(branchOfWork(gitDir, null)).toBe('main')
    temp.git(['rebase', '--abort'])
    temp.git(['checkout', '-q', '--detach'])
    expect(branchOfWork(gitDir, null)).toBeNull()
  })

  byNight(
    'a rebase that begins while the commit is made: the brief is parked, and the branch stays where the rebase read it',
    async () => {
      const temp = forked()
      const before = temp.git(['rev-parse', 'HEAD'])
      writeRebase(temp, before)
      const state = join(temp.root, '.git/rebase-merge')
      renameSync(state, join(temp.base, 'rebase-merge'))
      const disturbed = await during(
        temp,
        ' commit-tree ',
        `mv '${temp.base}/rebase-merge' '${state}' 2>/dev/null`,
      )
      temp.write(BRIEF, CONTENT)
      const request = { id: ID, files: [{ path: BRIEF, content: CONTENT }], message: MESSAGE }
      expect(await commitFiles(disturbed, request)).toMatchObject({ state: 'parked', operation: 'rebase' })
      expect(temp.git(['rev-parse', 'main'])).toBe(before)
      expect(temp.git(['ls-files', BRIEF])).toBe('')
    },
  )

  byNight(
    'a branch that is left while the commit is made: nothing stays staged on the next one',
    async () => {
      const temp = forked()
      const disturbed = await during(temp, ' update-index ', 'git switch -q side')
      temp.write(BRIEF, CONTENT)
      const request = { id: ID, files: [{ path: BRIEF, content: CONTENT }], message: MESSAGE }
      expect(await commitFiles(disturbed, request)).toMatchObject({
        state: 'committed',
        ref: 'refs/heads/main',
      })
      expect(temp.git(['branch', '--show-current'])).toBe('side')
      expect(temp.git(['status', '--porcelain', '-uall'])).toBe(`?? ${BRIEF}`)
    },
  )

  byNight('a brief of a detached HEAD is kept reachable, not parked', async () => {
    const temp = forked()
    temp.git(['checkout', '-q', '--detach'])
    temp.write(BRIEF, CONTENT)
    const repo = await openRepo(temp.root, { env: temp.env })
    const { commit } = await commitFiles(repo, {
      id: ID,
      files: [{ path: BRIEF, content: CONTENT }],
      message: MESSAGE,
    })
    temp.git(['switch', '-q', 'main'])
    expect(await listParked(repo)).toEqual([])
    expect(await adoptHere(repo)).toEqual({ adopted: [], left: [] })
    expect(temp.git(['rev-parse', `refs/handoff/${ID}`])).toBe(commit)
  })
})

/** What a rebase of main onto side has written down once it has read where main is. */
function writeRebase(temp: TempRepo, branchWas: string): void {
  temp.write('.git/rebase-merge/head-name', 'refs/heads/main\n')
  temp.write('.git/rebase-merge/onto', `${temp.git(['rev-parse', 'side'])}\n`)
  temp.write('.git/rebase-merge/orig-head', `${branchWas}\n`)
}

/** The repository with a git that, having done what this word asks for, runs a line of shell before it ends. */
function during(temp: TempRepo, word: string, line: string): ReturnType<typeof openRepo> {
  const bin = join(temp.base, 'bin')
  mkdirSync(bin)
  const script = `PATH='${temp.env.PATH}'; export PATH
case " $* " in *'${word}'*) ;; *) exec git "$@" ;; esac
git "$@"
code=$?
${line} >/dev/null
exit $code`
  writeFileSync(join(bin, 'git'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  return openRepo(temp.root, { env: { ...temp.env, PATH: `${bin}:${temp.env.PATH}` } })
}
