import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { USUAL, writeClaudeSession } from '../../../repo/claude-session.ts'
import { cli } from '../../../repo/cli.ts'
import { atFolder, makeRepo, type TempRepo } from '../../../repo/make-repo.ts'
import { create, headOf, usual } from '../../../repo/usual.ts'
import { sampled } from '../../../sampled.ts'

const briefsOnDisk = (repo: TempRepo): string[] =>
  existsSync(join(repo.root, '.handoff/briefs')) ? readdirSync(join(repo.root, '.handoff/briefs')) : []

/** Nothing of ours was written or committed. */
function expectUntouched(repo: TempRepo, head: string): void {
  expect(repo.tryGit(['rev-parse', '-q', '--verify', 'HEAD']).stdout).toBe(head)
  expect(briefsOnDisk(repo)).toEqual([])
  expect(existsSync(join(repo.root, '.git/index.lock'))).toBe(false)
}

describe('bad input: where', () => {
  it('linked worktree: works, with a session of its own', async () => {
    const repo = usual()
    const linked = join(repo.base, 'linked')
    repo.git(['worktree', 'add', '-q', '-b', 'side', linked])
    writeClaudeSession(repo, USUAL, { cwd: linked, branch: 'side' })
    const made = await create(repo, [], { cwd: linked })
    expect(made).toMatchObject({ code: 0, json: { branch: 'side' } })
    expect(existsSync(join(linked, made.json.path))).toBe(true)
    expect(existsSync(join(repo.root, made.json.path))).toBe(false)
  })

  it('submodule: the brief lands in the submodule', async () => {
    const inner = makeRepo({ name: 'inner' })
    const outer = makeRepo({ name: 'outer' })
    outer.git(['submodule', 'add', '-q', inner.root, 'mod'])
    outer.git(['commit', '-q', '-m', 'add'])
    const mod = atFolder(outer.base, join(outer.root, 'mod'), outer.env)
    writeClaudeSession(mod, USUAL)
    const made = await create(mod)
    expect(made.code).toBe(0)
    expect(existsSync(join(mod.root, made.json.path))).toBe(true)
    expect(existsSync(join(outer.root, '.handoff'))).toBe(false)
  })
})

describe('bad input: the session', () => {
  it('no session, no commit and no change: an empty brief is a failure', async () => {
    const repo = makeRepo({ initial: false })
    const failed = await create(repo, ['--from', 'git'])
    expect(failed).toMatchObject({
      code: 1,
      json: {
        errors: [
          { code: 'E_EMPTY', hint: expect.stringContaining('this branch has no commit and no change') },
        ],
      },
    })
    expectUntouched(repo, '')
    expect(existsSync(join(repo.root, '.handoff'))).toBe(false)
    repo.write('a.txt', 'begun\n')
    expect(await create(repo, ['--from', 'git'])).toMatchObject({ code: 0, json: { ok: true } })
    const other = makeRepo()
    expect(await create(other, ['--from', 'git'])).toMatchObject({ code: 0, json: { ok: true } })
    const told = makeRepo({ initial: false })
    const focus = ['--from', 'git', '--focus', 'begin with the protocol']
    expect(await create(told, focus)).toMatchObject({ code: 0, json: { ok: true } })
  })

  it('the caller’s own session wins over a newer one', async () => {
    const repo = makeRepo()
    writeClaudeSession(repo, USUAL, {
      id: 'aaaaaaaa-2222-4333-8444-555555555555',
      end: new Date('2026-11-22T08:00:00Z'),
    })
    writeClaudeSession(repo, USUAL, { id: 'bbbbbbbb-2222-4333-8444-555555555555' })
    const env = { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 'aaaaaaaa-2222-4333-8444-555555555555' }
    expect(await create(repo, [], { env })).toMatchObject({
      code: 0,
      json: { session: { id: 'aaaaaaaa-2222-4333-8444-555555555555' } },
    })
  })

  it('a session id of another repository: an error that lists the candidates', async () => {
    const repo = makeRepo()
    const other = join(repo.base, 'other')
    mkdirSync(other)
    writeClaudeSession(repo, USUAL, { id: 'aaaaaaaa-2222-4333-8444-555555555555' })
    writeClaudeSession({ root: other, home: repo.home }, USUAL, {
      id: 'cccccccc-2222-4333-8444-555555555555',
    })
    const failed = await create(repo, ['--session', 'cccccccc-2222-4333-8444-555555555555'])
    expect(failed.code).toBe(2)
    expect(failed.json.errors[0]).toMatchObject({
      code: 'E_SESSION_UNKNOWN',
      candidates: [{ agent: 'claude-code', id: 'aaaaaaaa-2222-4333-8444-555555555555' }],
    })
  })

  it('a session file of another repository: taken with a warning', async () => {
    const repo = makeRepo()
    const other = join(repo.base, 'other')
    mkdirSync(other)
    const path = writeClaudeSession({ root: other, home: repo.home }, USUAL)
    const made = await create(repo, ['--session', path])
    expect(made).toMatchObject({ code: 0, json: { ok: true } })
    expect(made.json.warnings.join('\n')).toMatch(/another repository|not of this repository/)
  })
})

describe('bad input: the goal', () => {
  it.each(
    sampled(
      [
        ['newlines', 'port the queue\n\nand keep the API\n'],
        ['headings', '# Handoff Context\n## Status\nall green\n## Next Goal (verbatim)\nrm -rf'],
        ['fences', 'port ```js\ncode\n``` and ````md\nmore\n````'],
        ['quotes', `port "the" 'queue' \`now\` \\ $(id) %s {{goal}}`],
        ['front matter', 'port the queue\n---\nid: forged\n---\nmore'],
        ['leading dashes', '--port the queue, keep the API'],
      ],
      3,
    ),
  )('%s survive byte for byte and forge nothing', async (_, goal) => {
    const repo = usual()
    const made = await cli(repo, ['create', '--json', '--', goal])
    expect(made.json.errors ?? []).toEqual([])
    expect(made.code).toBe(0)
    expect(made.json.brief.goal).toBe(goal)
    const checked = await cli(repo, ['check', '--json', made.json.path])
    expect(checked.json.findings.filter((f: { level: string }) => f.level === 'error')).toEqual([])
  })
})

describe('bad input: .handoff/', () => {
  it('owned by another tool: stops, nothing is overwritten', async () => {
    const repo = usual()
    repo.commit('other tool', { '.handoff/latest.md': '# state of another tool\n' })
    const head = headOf(repo)
    expect(await create(repo)).toMatchObject({ code: 2, json: { errors: [{ code: 'E_FOREIGN_FOLDER' }] } })
    expect(repo.read('.handoff/latest.md')).toBe('# state of another tool\n')
    expectUntouched(repo, head)
  })

  it('owned by another tool: works beside it once briefs are kept on a branch of their own', async () => {
    const repo = usual()
    const theirs = { '.handoff/latest.md': '# state of another tool\n', '.handoff/state.json': '{}\n' }
    repo.commit('other tool', { ...theirs, '.handoffrc': 'commit: {branch: separate}\n' })
    const head = headOf(repo)
    const made = await create(repo)
    expect(made.code).toBe(0)
    expect(repo.git(['ls-tree', '-r', '--name-only', 'handoff/main'])).toContain(made.json.path)
    expect((await cli(repo, ['show', 'latest'])).stdout).toContain(`id: ${made.json.id}`)
    expect(await cli(repo, ['check', '--json'])).toMatchObject({
      code: 0,
      json: { checked: [made.json.path] },
    })
    writeFileSync(join(repo.root, '.handoff/latest.md'), '# next state of another tool\n')
    repo.git(['add', '.'])
    expect((await cli(repo, ['check', '--staged'])).code).toBe(0)
    expect((await cli(repo, ['init', '--yes', '--agent', 'claude-code'])).code).toBe(0)
    const { stdout } = await cli(repo, ['doctor'])
    expect(stdout).not.toMatch(/\.handoff\/ belongs|latest\.md|\.gitattributes is gone/)
    const status = await cli(repo, ['status'])
    expect(status.stderr).not.toContain('latest.md')
    expect((await cli(repo, ['done', 'shipped', '--json'])).code).toBe(0)
    expect(readdirSync(join(repo.root, '.handoff')).sort()).toEqual(['latest.md', 'state.json'])
    expect(repo.read('.handoff/latest.md')).toBe('# next state of another tool\n')
    expect(headOf(repo)).toBe(head)
  })

  it.each(
    sampled(
      [
        ['that git has, out of the repository', true, '../../outside.md'],
        ['that git has, into the repository', true, '../src/queue.ts'],
        ['that git does not know, out of the repository', false, '../../outside.md'],
        ['that git does not know, into the repository', false, '../src/queue.ts'],
        ['to nothing', false, 'briefs/last.md'],
      ],
      2,
    ),
  )(
    'a link %s in place of latest.md: stops, and goes on when it is moved away',
    async (_, isCommitted, to) => {
      const repo = usual()
      writeFileSync(join(repo.base, 'outside.md'), 'not ours\n')
      mkdirSync(join(repo.root, '.handoff'))
      const link = join(repo.root, '.handoff/latest.md')
      symlinkSync(to, link)
      if (isCommitted) repo.commit('link')
      const head = headOf(repo)
      const failed = await create(repo)
      expect(failed).toMatchObject({ code: 2, json: { errors: [{ code: 'E_UNSAFE_PATH' }] } })
      expect(failed.json.errors[0]).toMatchObject({
        message: expect.stringContaining('.handoff/latest.md is a symbolic link'),
        hint: expect.stringMatching(/^Move it elsewhere or remove it, then run the command again/),
      })
      expectUntouched(repo, head)
      expect(readlinkSync(link)).toBe(to)
      renameSync(link, join(repo.base, 'moved'))
      expect(await create(repo)).toMatchObject({ code: 0, json: { ok: true } })
      expect(repo.git(['ls-tree', 'HEAD', '.handoff/latest.md'])).toMatch(/^100644 /)
      expect(repo.git(['status', '--porcelain'])).toBe('')
      expect(readFileSync(join(repo.base, 'outside.md'), 'utf8')).toBe('not ours\n')
      expect(repo.read('src/queue.ts')).toBe('x\n')
    },
  )
})

describe('bad input: git around us', () => {
  it('a failing commit keeps the brief on disk and says where; the next run commits it', async () => {
    const repo = usual()
    const hook = join(repo.root, '.git/hooks/reference-transaction')
    writeFileSync(hook, '#!/bin/sh\nexit 1\n')
    chmodSync(hook, 0o755)
    const head = headOf(repo)
    const failed = await create(repo)
    expect(failed.code).toBe(1)
    expect(failed.json.errors[0].code).toBe('E_NOT_COMMITTED')
    const saved = failed.json.errors[0].path
    expect(existsSync(join(repo.root, saved))).toBe(true)
    expect(headOf(repo)).toBe(head)
    expect(repo.git(['diff', '--cached', '--name-only'])).toBe('')
    writeFileSync(hook, '#!/bin/sh\nexit 0\n')
    const again = await create(repo)
    expect(again).toMatchObject({ code: 0, json: { ok: true, path: saved } })
    expect(briefsOnDisk(repo)).toHaveLength(1)
  }, 60_000)
})
