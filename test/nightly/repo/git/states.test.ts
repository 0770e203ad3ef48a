import { chownSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commitFiles } from '../../../../src/git/commit-files.ts'
import { openRepo } from '../../../../src/git/open-repo.ts'
import { readWork } from '../../../../src/life/trunk.ts'
import {
  BRIEF,
  CONTENT,
  expectNoHarm,
  expectOnlyOurs,
  ID,
  MESSAGE,
  snapshot,
} from '../../../repo/git/harm.ts'
import { states } from '../../../repo/git/repository-states.ts'
import { makeEnv, makeFolder, makeRepo } from '../../../repo/make-repo.ts'

describe.each(Object.entries(states))('%s', (_name, state) => {
  test('the brief is committed, parked or refused, and nothing of the user changes', async () => {
    const temp = state.make()
    if (!temp.tryGit(['ls-files', '-s', '.handoff']).stdout.startsWith('120000')) temp.write(BRIEF, CONTENT)
    const before = snapshot(temp)
    const tip = temp.tryGit(['rev-parse', 'HEAD']).stdout
    const env = { ...temp.env, ...state.env?.(temp) }
    const repo = await openRepo(state.cwd?.(temp) ?? temp.root, { env })
    const attempt = commitFiles(repo, {
      id: ID,
      files: [{ path: BRIEF, content: CONTENT }],
      message: MESSAGE,
      patience: 300,
    })
    if (state.fails !== undefined) {
      await expect(attempt).rejects.toMatchObject({ code: state.fails })
      expect(temp.tryGit(['rev-parse', 'HEAD']).stdout).toBe(tip)
      // Our index entry is taken back where the index could be written.
      if (!state.locks?.includes('index.lock')) expect(temp.git(['ls-files', BRIEF])).toBe('')
    } else {
      const outcome = await attempt
      expect(outcome).toMatchObject({ state: state.state ?? 'committed', identity: state.identity ?? 'own' })
      expectOnlyOurs(temp, outcome.commit)
      if (outcome.state === 'parked') {
        expect(temp.git(['rev-parse', 'HEAD'])).toBe(tip)
        expect(temp.git(['rev-parse', `refs/handoff/${ID}`])).toBe(outcome.commit)
        expect(temp.git(['ls-files', BRIEF])).toBe('')
      } else {
        expect(temp.git(['rev-parse', 'HEAD'])).toBe(outcome.commit)
        expect(temp.tryGit(['rev-parse', 'HEAD~1']).stdout.replace(/^HEAD~1\n?$/, '')).toBe(
          tip.replace(/^HEAD\n?$/, ''),
        )
      }
      state.also?.(temp, outcome.commit)
    }
    expectNoHarm(temp, before, { locks: state.locks ?? [], ...(state.fsck === false ? { fsck: false } : {}) })
    const status = temp.tryGit(['--no-optional-locks', 'status', '--porcelain', '--', '.handoff']).stdout
    if (
      (state.state ?? 'committed') === 'committed' &&
      state.fails === undefined &&
      _name !== 'index missing'
    )
      expect(status).toBe('')
    // Reading works in every state in which git works.
    const read = await readWork(repo)
    expect(read.changes.some((change) => change.path.startsWith('.handoff/'))).toBe(false)
  })
})

describe('where no brief can be committed', () => {
  test('no repository', async () => {
    const folder = makeFolder()
    const env = { ...makeEnv(join(folder, 'home')), GIT_CEILING_DIRECTORIES: folder }
    await expect(openRepo(folder, { env })).rejects.toMatchObject({ code: 'E_NO_REPOSITORY' })
    await expect(openRepo(join(folder, 'absent'), { env })).rejects.toMatchObject({ code: 'E_NO_FOLDER' })
  })
  test('bare repository', async () => {
    const source = makeRepo()
    source.git(['clone', '-q', '--bare', source.root, join(source.base, 'bare.git')])
    const opened = openRepo(join(source.base, 'bare.git'), { env: source.env })
    await expect(opened).rejects.toMatchObject({ code: 'E_BARE_REPOSITORY' })
  })
  test('linked worktree of a bare repository works', async () => {
    const source = makeRepo()
    const bare = join(source.base, 'bare.git')
    source.git(['clone', '-q', '--bare', source.root, bare])
    source.git(['worktree', 'add', '-q', '-b', 'w', join(source.base, 'w')], { cwd: bare })
    const repo = await openRepo(join(source.base, 'w'), { env: source.env })
    expect(repo).toMatchObject({ root: join(source.base, 'w'), commonDir: bare })
  })
  test.runIf(process.getuid?.() === 0)('repository of another user', async () => {
    const temp = makeRepo()
    chownSync(temp.root, 12345, 12345)
    chownSync(join(temp.root, '.git'), 12345, 12345)
    await expect(openRepo(temp.root, { env: temp.env })).rejects.toMatchObject({ code: 'E_DUBIOUS_OWNER' })
  })
})
