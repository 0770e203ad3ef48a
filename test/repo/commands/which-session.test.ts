import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { byNight, describeByNight } from '../../sampled.ts'
import { USUAL, writeClaudeSession } from '../claude-session.ts'
import { cli } from '../cli.ts'
import { makeRepo, type TempRepo } from '../make-repo.ts'
import { create, later, SESSION, usual } from '../usual.ts'

const OTHER = 'bbbbbbbb-2222-4333-8444-555555555555'
const HELLO = [{ user: 'hello' }, { says: 'Hello! What shall we do?' }] as const

/** A linked worktree on a branch of its own, beside the repository. */
function linkedWorktree(repo: TempRepo): string {
  const path = join(repo.base, 'linked')
  repo.git(['worktree', 'add', '-q', '-b', 'elsewhere', path])
  return path
}

/** A repository of its own inside the work tree. */
function nestedRepository(repo: TempRepo): string {
  const path = join(repo.root, 'vendor', 'lib')
  mkdirSync(path, { recursive: true })
  repo.git(['init', '-q', '-b', 'main'], { cwd: path })
  return path
}

/** Another session, newer than the usual one by nine minutes, in `cwd` and on `branch`. */
const newer = (repo: TempRepo, where: { cwd?: string; branch?: string }, minute = 8): string =>
  writeClaudeSession(repo, HELLO, { id: OTHER, end: later(minute), ...where })
const atNine = (repo: TempRepo, args: string[] = [], cwd?: string) =>
  create(repo, args, { now: later(9), ...(cwd === undefined ? {} : { cwd }) })
const took = (id: string) => ({ code: 0, json: { session: { id } } })

/** Moves HEAD at this minute after `NOW`, as its log will say. */
const switchAt = (repo: TempRepo, minute: number, args: string[]): string =>
  repo.git(['switch', '-q', ...args], { env: { GIT_COMMITTER_DATE: later(minute).toISOString() } })

describeByNight('an id that two installations have', () => {
  byNight('is taken from the newest of this worktree, and the other is named', async () => {
    const repo = usual()
    const own = writeClaudeSession(repo, USUAL, { id: SESSION })
    const linked = linkedWorktree(repo)
    const other = writeClaudeSession(repo, HELLO, { id: SESSION, cwd: linked, end: later(8) })
    for (const named of [SESSION, SESSION.slice(0, 8)]) {
      const { code, json } = await atNine(repo, ['--session', named])
      expect([code, json.session.path, json.warnings]).toEqual([
        0,
        own,
        [
          `2 sessions have this id. ${own} is taken, the newest of this worktree. For another name its file with \`--session\`: ${other}`,
        ],
      ])
    }
  })
})

describeByNight('a session that was opened and left', () => {
  byNight('does not stand before the one with the work', async () => {
    const repo = usual()
    writeClaudeSession(repo, [{ user: 'hm, no' }], { id: OTHER, end: later(8) })
    const made = await atNine(repo)
    expect(made).toMatchObject(took(SESSION))
    expect(made.json.warnings).toEqual([])
    // By its name it is meant, and where there is no other.
    const tooShort = { code: 2, json: { errors: [{ code: 'E_TOO_SHORT' }] } }
    expect(await atNine(repo, ['--session', OTHER])).toMatchObject(tooShort)
    const alone = makeRepo()
    writeClaudeSession(alone, [{ user: 'hm, no' }], { id: OTHER, end: later(8) })
    expect(await atNine(alone)).toMatchObject(tooShort)
  })
})

describe('C1: a session of somewhere else', () => {
  byNight('C1: in a linked worktree is neither taken nor a tie, however new it is', async () => {
    const repo = usual()
    newer(repo, { cwd: linkedWorktree(repo), branch: 'elsewhere' })
    const made = await atNine(repo)
    expect(made).toMatchObject(took(SESSION))
    expect(made.json.warnings.join()).not.toContain('worktree')
  })

  it('C1: in the main worktree is not taken in a linked one, and the error names it', async () => {
    const repo = usual()
    const failed = await atNine(repo, [], linkedWorktree(repo))
    expect(failed).toMatchObject({ code: 2, json: { errors: [{ code: 'E_NO_SESSION' }] } })
    const [{ message, candidates }] = failed.json.errors
    expect(message).toContain(SESSION)
    expect(message).toContain('worktree')
    expect(candidates).toMatchObject([{ id: SESSION }])
  })

  byNight('C1: in a linked worktree is taken when it is named, and a line says so', async () => {
    const repo = usual()
    const path = linkedWorktree(repo)
    newer(repo, { cwd: path, branch: 'elsewhere' })
    const made = await atNine(repo, ['--session', OTHER])
    expect(made).toMatchObject(took(OTHER))
    expect(made.json.warnings.join('\n')).toMatch(/another worktree .*linked.*branch elsewhere/)
  })

  it('C1: on another branch is not taken while one of this branch is there', async () => {
    const repo = usual()
    switchAt(repo, 1, ['-c', 'side'])
    repo.commit('side', { 'b.txt': 'b\n' })
    newer(repo, { branch: 'side' })
    switchAt(repo, 9, ['main'])
    expect(await atNine(repo)).toMatchObject(took(SESSION))
  })

  byNight('C1: on another branch at the same commit is not taken either', async () => {
    const repo = usual()
    switchAt(repo, 1, ['-c', 'side'])
    newer(repo, { branch: 'side' })
    switchAt(repo, 9, ['main'])
    expect(await atNine(repo)).toMatchObject(took(SESSION))
  })

  byNight('C1: alone on another branch is only taken when it is named, and a line says so', async () => {
    const repo = usual()
    switchAt(repo, 1, ['-c', 'side'])
    repo.commit('side', { 'b.txt': 'b\n' })
    repo.git(['branch', 'third', 'main'])
    switchAt(repo, 2, ['third'])
    writeClaudeSession(repo, USUAL, { id: SESSION, branch: 'side' })
    const failed = await atNine(repo)
    expect(failed).toMatchObject({ code: 2, json: { errors: [{ code: 'E_NO_SESSION' }] } })
    expect(failed.json.errors[0].message).toContain('branch side')
    const made = await atNine(repo, ['--session', SESSION])
    expect(made).toMatchObject(took(SESSION))
    expect(made.json.warnings.join('\n')).toContain('branch side')
  })

  byNight(
    'C1: in a repository nested inside is only taken when it is named, and a line says so',
    async () => {
      const repo = usual()
      const path = nestedRepository(repo)
      newer(repo, { cwd: join(path, 'src') })
      expect(await atNine(repo)).toMatchObject(took(SESSION))
      const made = await atNine(repo, ['--session', OTHER])
      expect(made).toMatchObject(took(OTHER))
      expect(made.json.warnings.join('\n')).toMatch(/another repository .*vendor\/lib/)
    },
  )

  byNight('C1: is passed over by `status` and `--from` too', async () => {
    const repo = usual()
    newer(repo, { cwd: linkedWorktree(repo), branch: 'elsewhere' })
    expect((await cli(repo, ['status', '--json'])).json.session.id).toBe(SESSION)
    expect(await atNine(repo, ['--from', 'claude-code'])).toMatchObject(took(SESSION))
  })

  it('C1: is listed by `sessions` with where it is', async () => {
    const repo = usual()
    newer(repo, { cwd: linkedWorktree(repo), branch: 'elsewhere' })
    const { stdout } = await cli(repo, ['sessions'], { now: later(9) })
    const [first, second] = stdout.split('\n')
    expect(first).toContain(OTHER)
    expect(first).toContain('elsewhere')
    expect(second).toContain(SESSION)
    expect(second).not.toContain('worktree')
  })
})

describeByNight('C1: a session of this worktree', () => {
  byNight('C1: that began on the branch which this one grew from is taken', async () => {
    const repo = usual()
    switchAt(repo, 1, ['-c', 'feature'])
    repo.commit('more', { 'b.txt': 'b\n' })
    expect(await atNine(repo)).toMatchObject(took(SESSION))
  })

  byNight('C1: that began on the branch which this one left at an earlier commit is taken', async () => {
    const repo = usual()
    switchAt(repo, 1, ['-c', 'feature', 'HEAD~1'])
    expect(await atNine(repo)).toMatchObject(took(SESSION))
  })

  byNight('C1: whose agent made this branch is taken: its record names the one it began on', async () => {
    const repo = usual()
    switchAt(repo, 1, ['-c', 'side'])
    repo.commit('side', { 'b.txt': 'b\n' })
    switchAt(repo, 5, ['main'])
    newer(repo, { branch: 'side' }, 30)
    expect(await create(repo, [], { now: later(31) })).toMatchObject(took(OTHER))
  })

  byNight('C1: is taken on a detached HEAD and after its branch was renamed', async () => {
    const repo = usual()
    repo.git(['branch', '-m', 'main', 'trunk'])
    expect(await atNine(repo)).toMatchObject(took(SESSION))
    repo.git(['switch', '-q', '--detach'])
    expect(await atNine(repo, ['--print'])).toMatchObject(took(SESSION))
  })

  byNight('C1: in a folder of it is taken', async () => {
    const repo = usual()
    newer(repo, { cwd: join(repo.root, 'packages', 'a') }, 30)
    expect(await create(repo, [], { now: later(31) })).toMatchObject(took(OTHER))
  })
})

describe('A-2: a session of Claude Code that went elsewhere', () => {
  it('A-2: into a linked worktree is taken there, and in the first one the error says where it is', async () => {
    const repo = makeRepo({ second: { 'src/queue.ts': 'x\n' } })
    const path = linkedWorktree(repo)
    const entered = { originalCwd: repo.root, worktreePath: path, worktreeBranch: 'elsewhere' }
    const raw = { type: 'worktree-state', worktreeSession: entered }
    writeClaudeSession(repo, [...USUAL, { raw }], { id: SESSION })
    expect(await atNine(repo, [], path)).toMatchObject({ ...took(SESSION), json: { warnings: [] } })
    const failed = await atNine(repo)
    expect(failed).toMatchObject({ code: 2, json: { errors: [{ code: 'E_NO_SESSION' }] } })
    expect(failed.json.errors[0].message).toContain(`of another worktree (${path}, branch elsewhere)`)
  })

  byNight('A-2: by /cd into another repository is taken there, and is no session of the first', async () => {
    const [first, second] = [
      makeRepo({ second: { 'src/queue.ts': 'x\n' } }),
      makeRepo({ second: { 'src/queue.ts': 'x\n' } }),
    ]
    const raw = { type: 'relocated', relocatedCwd: second.root }
    const old = writeClaudeSession(first, [...USUAL, { raw }], { id: SESSION })
    const folder = join(second.home, '.claude/projects', second.root.replace(/[^A-Za-z0-9]/g, '-'))
    mkdirSync(folder, { recursive: true })
    renameSync(old, join(folder, `${SESSION}.jsonl`))
    const made = await atNine(second, ['--from', 'claude-code'])
    expect(made).toMatchObject({ ...took(SESSION), json: { warnings: [] } })
    expect(await atNine(first)).toMatchObject({ code: 2, json: { errors: [{ code: 'E_NO_SESSION' }] } })
  })
})

describe('C1: a caller that does not name its session', () => {
  /** A session of Gemini CLI 0.61, begun in `root`, that ended at this minute. */
  function gemini(repo: TempRepo, slug: string, root: string, id: string, minute: number): void {
    const folder = join(repo.home, '.gemini', 'tmp', slug)
    mkdirSync(join(folder, 'chats'), { recursive: true })
    writeFileSync(join(folder, '.project_root'), root)
    const at = later(minute).toISOString()
    const rows = [
      { sessionId: id, projectHash: 'x', startTime: later(-60).toISOString(), lastUpdated: at, kind: 'main' },
      { id: '1', timestamp: at, type: 'user', content: [{ text: 'Port the queue to the scheduler.' }] },
      { id: '2', timestamp: at, type: 'gemini', content: 'It is ported.' },
      { $set: { lastUpdated: at } },
    ]
    const path = join(folder, 'chats', `session-${id.slice(0, 8)}.jsonl`)
    writeFileSync(path, `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`)
  }
  const GEMINI = { now: later(9), env: { GEMINI_CLI: '1' } }

  byNight(
    'C1: is given the newest of its agent in this worktree, in none of another or of a nested repository',
    async () => {
      const repo = usual()
      gemini(repo, 'own', repo.root, 'aaaaaaaa-0000-4000-8000-000000000001', -30)
      gemini(repo, 'linked', linkedWorktree(repo), 'aaaaaaaa-0000-4000-8000-000000000002', 8)
      gemini(repo, 'nested', nestedRepository(repo), 'aaaaaaaa-0000-4000-8000-000000000003', 8)
      const made = await create(repo, ['--no-notes'], GEMINI)
      expect(made).toMatchObject(took('aaaaaaaa-0000-4000-8000-000000000001'))
      expect(made.json.warnings.join()).not.toContain('nearly the same time')
    },
  )

  it('C1: is given none of another worktree', async () => {
    const repo = usual()
    gemini(repo, 'linked', linkedWorktree(repo), 'aaaaaaaa-0000-4000-8000-000000000002', 8)
    const failed = await create(repo, ['--no-notes'], GEMINI)
    expect(failed).toMatchObject({ code: 2, json: { errors: [{ code: 'E_NO_SESSION' }] } })
  })
})
