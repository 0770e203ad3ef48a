import { describe, expect, it } from 'vitest'
import { USUAL, writeClaudeSession } from '../../../repo/claude-session.ts'
import { type CliOptions, cli } from '../../../repo/cli.ts'
import { hashFiles } from '../../../repo/hash-files.ts'
import { cloneOf, prepared, type TempRepo } from '../../../repo/make-repo.ts'
import { AGENT, later, made, usual } from '../../../repo/usual.ts'

const MODES = ['current', 'separate'] as const
type Mode = (typeof MODES)[number]

/** Two handoffs on `feature`; only where the briefs stand differs. */
const handedOver = prepared(async (mode: Mode) => {
  const repo = usual()
  repo.commit('configure', { '.handoff/config.yaml': `commit:\n  branch: ${mode}\n` })
  repo.git(['switch', '-q', '-c', 'feature'])
  const first = await made(repo, [], AGENT)
  repo.commit('more', { 'src/queue.ts': 'more\n' })
  const second = await made(repo, ['--focus', 'the limits'], { ...AGENT, now: later(10) })
  return { repo, ids: [first.id, second.id] }
})

/**
 * Without what differs by nature: commits and the tokens that their ids make, refs, temporary folders, and the file in which
 * an agent reads the brief.
 */
function plain(stdout: string, repo: TempRepo): unknown {
  const text = stdout
    .replaceAll(repo.base, 'BASE')
    .replaceAll(repo.base.replace(/\W/g, '-'), 'BASE')
    .replace(/\b[0-9a-f]{40}\b|\b[0-9a-f]{16}\b|`[0-9a-f]{7,12}`/g, 'SHA')
    .replace(/(tokens"?: ?)\d+/g, '$1 0')
    .replace(/`(?:\.handoff\/latest\.md|\.git\/handoff\/shown\/[^`]*)`/g, 'FILE')
    .replace(/"refs\/heads\/handoff\/[\w/-]+"|"HEAD"|"refs\/heads\/feature"/g, '"REF"')
  return text.startsWith('{') ? JSON.parse(text) : text
}

/** Every command that reads, and what an agent's hooks and tools get. */
const READING: Readonly<Record<string, (ids: string[], repo: TempRepo) => [string[], CliOptions?]>> = {
  show: () => [['show', '--json']],
  'show of an older one': ([first = '']) => [['show', first, '--json']],
  'show by a prefix': ([, second = '']) => [['show', second.slice(0, 13), '--json']],
  'show --prompt': () => [['show', '--prompt']],
  'show --inline': () => [['show', '--inline']],
  log: () => [['log']],
  'log --json': () => [['log', '--json']],
  'log --all': () => [['log', '--all', '--json']],
  'log --chain': () => [['log', '--chain', '--json']],
  check: () => [['check', '--json']],
  status: () => [['status', '--json']],
  ask: () => [['ask', 'retry queue limits', '--json']],
  trust: () => [['trust', '--json']],
  'resume --print': () => [['resume', '--to', 'codex', '--print', '--json']],
  note: () => [['note', '--next-step', 'write the docs', '--json']],
  'hook session-start': (_, repo) => [
    ['hook', 'session-start', '--agent', 'claude-code'],
    { stdin: JSON.stringify({ session_id: 'other', source: 'startup', cwd: repo.root }) },
  ],
  'hook session-start with inject: full': (_, repo) => [
    ['hook', 'session-start', '--agent', 'claude-code'],
    {
      stdin: JSON.stringify({ session_id: 'other', source: 'startup', cwd: repo.root }),
      env: { HANDOFF_INJECT: 'full' },
    },
  ],
  'create of the same': () => [
    [
      'create',
      'finish the retry queue and document its limits',
      '--focus',
      'the limits',
      '--json',
      '--no-notes',
    ],
    AGENT,
  ],
  'create of the next, dry': () => [
    ['create', 'write the changelog entry of the queue', '--dry-run', '--json'],
    { ...AGENT, now: later(30) },
  ],
}

describe('briefs on a branch of their own are read as those on the branch are', () => {
  it('by every command', async () => {
    const [current, separate] = [await handedOver('current'), await handedOver('separate')]
    expect(separate.ids).toEqual(current.ids)
    const before = hashFiles(separate.repo.root, ['.git'])
    for (const [name, ask] of Object.entries(READING)) {
      const told: unknown[] = []
      for (const { repo, ids } of [current, separate]) {
        const [argv, options] = ask(ids, repo)
        const { code, stdout } = await cli(repo, argv, { now: later(20), ...options })
        expect(code, `${name}: ${stdout}`).toBe(0)
        told.push(plain(stdout, repo))
      }
      expect(told[1], name).toEqual(told[0])
    }
    expect(hashFiles(separate.repo.root, ['.git'])).toEqual(before)
    expect(separate.repo.git(['status', '--porcelain'])).toBe('')
  })

  it('the agent is sent to a file that it can read, and that is the brief', async () => {
    const { repo, ids } = await handedOver('separate')
    const prompt = (await cli(repo, ['show', '--prompt'])).stdout
    const [, file = ''] = /^In `([^`]+)`: /m.exec(prompt) ?? []
    const { json } = await cli(repo, ['show', '--json'])
    expect(json.id).toBe(ids[1])
    expect(repo.read(file)).toBe(json.text)
  })
})

describe('what writes goes on where the briefs are', () => {
  it.each(MODES)('create, a branch made from it, done (%s)', async (mode) => {
    const { repo, ids } = await handedOver(mode)
    const head = repo.git(['rev-parse', 'HEAD'])
    repo.git(['switch', '-q', '-c', 'agent/next'])
    expect((await cli(repo, ['show', '--json'])).json).toMatchObject({ id: ids[1] })
    expect((await cli(repo, ['log', '--json'])).json.briefs).toHaveLength(2)
    const third = await made(repo, ['--focus', 'the docs'], { ...AGENT, now: later(20) })
    expect(third).toMatchObject({ parents: [ids[1]] })
    const { json: logged } = await cli(repo, ['log', '--json'])
    expect(logged.briefs.map(({ id }: { id: string }) => id)).toEqual([third.id, ids[1], ids[0]])
    expect(logged).toMatchObject({ current: third.id, missing: [], warnings: [] })
    const done = await cli(repo, ['done', 'shipped', '--json'], { now: later(30) })
    expect(done.json).toMatchObject({ ok: true, parents: [third.id] })
    expect((await cli(repo, ['status', '--json'])).json.brief).toMatchObject({
      id: done.json.id,
      open: false,
    })
    repo.git(['switch', '-q', 'feature'])
    expect((await cli(repo, ['show', '--json'])).json).toMatchObject({ id: ids[1] })
    if (mode === 'current') return
    expect(repo.git(['rev-parse', 'feature', 'agent/next']).split('\n')).toEqual([head, head])
    expect(repo.git(['for-each-ref', '--format=%(refname)', 'refs/heads/handoff']).split('\n')).toEqual([
      'refs/heads/handoff/agent/next',
      'refs/heads/handoff/feature',
    ])
  })

  it('a branch that was renamed, the default branch too, keeps its briefs', async () => {
    for (const mode of MODES) {
      const { repo, ids } = await handedOver(mode)
      repo.git(['branch', '-q', '-m', 'feature', 'trunk'])
      repo.commit('more work', { 'b.txt': 'b\n' })
      expect((await cli(repo, ['show', '--json'])).json, mode).toMatchObject({ id: ids[1] })
      const next = await made(repo, ['--focus', 'the docs'], { ...AGENT, now: later(20) })
      expect(next.parents, mode).toEqual([ids[1]])
      const { json } = await cli(repo, ['log', '--json'])
      expect(
        json.briefs.map(({ id }: { id: string }) => id),
        mode,
      ).toEqual([next.id, ids[1], ids[0]])
    }
  })

  it('a branch beside it has no part in them', async () => {
    const { repo } = await handedOver('separate')
    repo.git(['switch', '-q', '-c', 'other', 'main'])
    expect((await cli(repo, ['show', '--json'])).json).toMatchObject({ errors: [{ code: 'E_NO_BRIEF' }] })
    expect((await cli(repo, ['log', '--json'])).json.briefs).toEqual([])
  })

  it('a detached HEAD at the tip of the branch finds them, as CI does', async () => {
    const { repo, ids } = await handedOver('separate')
    repo.git(['checkout', '-q', '--detach'])
    expect((await cli(repo, ['show', '--json'])).json).toMatchObject({ id: ids[1] })
  })
})

describe('another clone', () => {
  /** Of another person, with another home. */
  function strangersClone(origin: TempRepo, args: string[] = []): TempRepo {
    const clone = cloneOf(origin, { args: ['-b', 'feature', ...args] })
    writeClaudeSession(clone, USUAL)
    return clone
  }

  it('finds fetched briefs, trusts them as those on branches of origin, and goes on where they end', async () => {
    const { repo, ids } = await handedOver('separate')
    const clone = strangersClone(repo)
    expect((await cli(clone, ['show', '--json'])).json).toMatchObject({ id: ids[1], trusted: false })
    await cli(clone, ['trust', '--origin'])
    const because = 'it is on a branch of a trusted remote'
    expect((await cli(clone, ['show', '--json'])).json).toMatchObject({ id: ids[1], trusted: true, because })
    const older = await cli(clone, ['show', ids[0] ?? '', '--json'])
    expect(older.json).toMatchObject({ id: ids[0], trusted: true })
    clone.commit('work', { 'src/queue.ts': 'clone\n' })
    const next = await made(clone, [], { now: later(20) })
    expect(next.parents).toEqual([ids[1]])
    expect(clone.git(['rev-parse', 'handoff/feature~1'])).toBe(repo.git(['rev-parse', 'handoff/feature']))
    clone.git(['push', '-q', 'origin', 'refs/heads/handoff/*'])
    expect(repo.git(['rev-parse', 'handoff/feature'])).toBe(next.commit)
  })

  it('an explicit trust holds for one that is not on the branch', async () => {
    const { repo, ids } = await handedOver('separate')
    const clone = strangersClone(repo)
    await cli(clone, ['trust', ids[0] ?? ''])
    expect((await cli(clone, ['show', ids[0] ?? '', '--json'])).json).toMatchObject({ trusted: true })
    expect((await cli(clone, ['show', '--json'])).json).toMatchObject({ trusted: false })
  })

  it('both lines are joined by the next handoff when two clones handed over meanwhile', async () => {
    const { repo, ids } = await handedOver('separate')
    const clone = strangersClone(repo)
    clone.commit('work', { 'src/queue.ts': 'clone\n' })
    const theirs = await made(clone, [], { now: later(20) })
    repo.commit('more', { 'src/api.ts': 'here\n' })
    const ours = await made(repo, [], { ...AGENT, now: later(25) })
    const refused = clone.tryGit(['push', '-q', 'origin', 'refs/heads/handoff/*'])
    expect(refused.status).not.toBe(0)
    clone.git(['fetch', '-q'])
    clone.commit('work', { 'src/queue.ts': 'clone again\n' })
    const joined = await made(clone, [], { now: later(30) })
    expect(joined.parents).toEqual([ours.id, theirs.id])
    clone.git(['push', '-q', 'origin', 'refs/heads/handoff/*'])
    const names = repo.git(['ls-tree', '--name-only', 'handoff/feature', '.handoff/briefs/'])
    for (const id of [...ids, theirs.id, ours.id, joined.id]) expect(names).toContain(id)
    expect(repo.git(['rev-list', '--parents', '-1', 'handoff/feature']).split(' ')).toHaveLength(3)
    expect(repo.git(['fsck', '--strict'])).not.toMatch(/error/)
  })

  it('of a fork is a stranger’s: never current, and never joined with ours', async () => {
    const { repo, ids } = await handedOver('separate')
    const fork = strangersClone(repo)
    fork.commit('work', { 'src/queue.ts': 'fork\n' })
    const strange = await made(fork, [], { now: later(20) })
    repo.git(['remote', 'add', 'origin', repo.root])
    repo.git(['remote', 'add', 'fork', fork.root])
    repo.git(['fetch', '-q', 'fork'])
    expect(repo.git(['rev-parse', 'fork/handoff/feature'])).toBe(strange.commit)
    expect((await cli(repo, ['show', '--json'])).json).toMatchObject({ id: ids[1] })
    repo.commit('more', { 'src/api.ts': 'here\n' })
    const ours = await made(repo, [], { ...AGENT, now: later(25) })
    expect(ours.parents).toEqual([ids[1]])
    expect(repo.git(['ls-tree', '--name-only', 'handoff/feature', '.handoff/briefs/'])).not.toContain(
      strange.id,
    )
    expect((await cli(repo, ['log', '--json'])).json.briefs).toHaveLength(3)
    // It can still be looked at by its id.
    expect((await cli(repo, ['show', strange.id, '--json'])).json).toMatchObject({ trusted: false })
    // A clone whose only remote has another name is at home.
    const named = cloneOf(repo, { name: 'named', args: ['-o', 'work', '-b', 'feature'], env: repo.env })
    expect((await cli(named, ['show', '--json'])).json).toMatchObject({ id: ours.id })
  })

  it('of one branch alone, or shallow, has them once they are fetched by name', async () => {
    const { repo, ids } = await handedOver('separate')
    const clone = strangersClone(repo, ['--depth=1', '--single-branch'])
    expect((await cli(clone, ['show', '--json'])).json).toMatchObject({ errors: [{ code: 'E_NO_BRIEF' }] })
    clone.git(['fetch', '-q', 'origin', '+refs/heads/handoff/*:refs/remotes/origin/handoff/*'])
    expect((await cli(clone, ['show', '--json'])).json).toMatchObject({ id: ids[1] })
  })
})
