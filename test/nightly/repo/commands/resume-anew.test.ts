import { mkdirSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseBrief } from '../../../../src/brief/parse.ts'
import { writeClaudeSession } from '../../../repo/claude-session.ts'
import { cli } from '../../../repo/cli.ts'
import { fakeAgent } from '../../../repo/fake-agent.ts'
import { atFolder, cloneOf, makeRepo, type TempRepo } from '../../../repo/make-repo.ts'
import { HOUR, resume, resumed } from '../../../repo/resumed.ts'
import {
  AGENT,
  GOAL,
  headOf,
  itemsOf,
  later,
  made,
  SESSION,
  sectionOf,
  succeeded,
  usual,
  withBrief,
} from '../../../repo/usual.ts'
import { byNight, sampled } from '../../../sampled.ts'

/** The usual repository, with demands enough to tell what becomes of them. */
const DEMANDS = [
  { user: 'Fix the retry queue. Do NOT touch src/api.ts, the public API must stay as it is.' },
  { edit: 'src/queue.ts' },
  { bash: 'npm test', exit: 1, output: 'Error: expected 3 retries, got 2' },
  { says: 'One test still fails.' },
]

describe('resume', () => {
  it('makes a new brief at today’s HEAD as the child of the old one, which stays byte for byte', async () => {
    const repo = usual()
    const first = await made(repo, ['--focus', 'src/queue.ts: the  counter'])
    const old = repo.read(first.path)
    repo.git(['switch', '-q', '-c', 'later'])
    const work = repo.commit('a week later', { 'src/api.ts': 'changed\n' })
    const json = await resumed(repo, [], 7 * 24 * HOUR)
    const parsed = parseBrief(repo.read(json.path))
    expect(parsed.meta).toMatchObject({
      parents: [first.id],
      resumedFrom: { id: first.id, createdAt: first.brief.createdAt },
      goal: GOAL,
      focus: 'src/queue.ts: the  counter',
      head: work,
      branch: 'later',
      dirty: false,
    })
    expect(json.id > first.id).toBe(true)
    expect(json).toMatchObject({ transcript: 'rebuilt', drift: 'Since then: 1 commit.', repeat: false })
    expect(repo.read(first.path)).toBe(old)
    expect(repo.git(['show', '--name-only', '--format=', 'HEAD'])).toBe(json.path)
    expect(repo.git(['log', '-1', '--format=%(trailers:key=Handoff-Parent,valueonly)']).trim()).toBe(first.id)
    expect((await cli(repo, ['show', '--json'])).json.id).toBe(json.id)
    expect(repo.read('.handoff/latest.md')).toContain(`id: ${json.id}`)
    expect((await cli(repo, ['check', '--mode', 'strict'])).code).toBe(0)
    expect(repo.git(['status', '--porcelain'])).toBe('')
  })

  byNight('finds a session again that was named as a file, wherever it lies, and ask does too', async () => {
    const repo = usual()
    const path = join(repo.base, 'notes', 'talk.md')
    mkdirSync(join(repo.base, 'notes'))
    writeFileSync(
      path,
      '## User\n\nNever rename retry().\n\n## Assistant\n\nThe counter of the queue is off by one.\n',
    )
    const first = await made(repo, ['--session', path])
    // Another one of that name is another session.
    const other = join(repo.root, 'talk.md')
    writeFileSync(other, '## User\n\nSomething else.\n\n## Assistant\n\nYes.\n')
    await made(repo, ['--session', 'talk.md'], { now: later(30) })
    repo.commit('later', { 'src/api.ts': 'changed\n' })
    const again = await resumed(repo, [first.id])
    expect(again).toMatchObject({ transcript: 'rebuilt', session: { path, agent: 'plain' } })
    expect(sectionOf(again.markdown, 'Constraints & Preferences')).not.toContain('— from')
    repo.commit('later still', { 'src/api.ts': 'changed again\n' })
    const third = await resumed(repo, [again.id], 2 * HOUR)
    expect(third).toMatchObject({ transcript: 'rebuilt', session: { path } })
    const asked = succeeded(
      await cli(repo, ['ask', 'which counter is off by one?', '--json'], { now: later(180) }),
    )
    expect(asked.hits[0].quote).toContain('The counter of the queue is off by one.')
    unlinkSync(path)
    expect(await resumed(repo, [third.id], 4 * HOUR)).toMatchObject({ transcript: 'carried', session: null })
  })

  it('nothing changed: the brief that is there is the answer, also a day later', async () => {
    const { repo, first } = await withBrief()
    const again = await resumed(repo)
    expect(again.repeat).toBe(false)
    const head = headOf(repo)
    for (const argv of [[], [first.id], [again.id], ['latest']])
      expect(await resumed(repo, argv, 24 * HOUR)).toMatchObject({ id: again.id, repeat: true, commit: null })
    expect(headOf(repo)).toBe(head)
    repo.commit('more', { 'src/queue.ts': 'more\n' })
    expect(await resumed(repo, [], 25 * HOUR)).toMatchObject({ parents: [again.id], repeat: false })
  })

  it('carries the goal of the brief, not that of the chain, with its session and without', async () => {
    const { repo } = await withBrief()
    succeeded(await cli(repo, ['create', 'write the page about limits', '--json'], { now: later(10) }))
    const clone = cloneOf(repo)
    for (const where of [repo, clone]) {
      const { brief, markdown } = await resumed(where)
      expect(brief.goal).toBe('write the page about limits')
      expect(sectionOf(markdown, 'Next Goal (verbatim)')).toContain('write the page about limits')
      expect(markdown).not.toContain('Mission')
    }
  })

  it('says no more that a check fails once code changed, where the session is not here', async () => {
    const { repo, markdown } = await withBrief()
    expect(markdown).toContain('failing: `npm test` failed')
    rmSync(join(repo.home, '.claude'), { recursive: true })
    repo.commit('fix', { 'src/queue.ts': 'fixed\n' })
    const open = sectionOf(repo.read((await resumed(repo)).path), 'Open Questions / Risks')
    expect(open).toContain('Failed earlier, not run whole since: `npm test`')
    expect(open).not.toContain('failing:')
  })

  it('uses the notes whatever their age, prints it, and keeps the time they were taken at', async () => {
    const repo = usual()
    await cli(repo, ['note', '--active-hypothesis', 'the timer is cleared twice'], AGENT)
    const first = await made(repo, [], AGENT)
    expect(first.markdown).not.toContain('before this brief')
    for (const where of [repo, cloneOf(repo)]) {
      const { stderr } = await cli(where, ['resume'], { now: later(7 * 24 * HOUR) })
      expect(stderr.match(/^Notes: recorded 7 d ago$/gm)).toHaveLength(1)
      const shown = (await cli(where, ['show', '--raw'])).stdout
      expect(sectionOf(shown, 'Working Memory')).toContain('the timer is cleared twice')
      expect(sectionOf(shown, 'Working Memory')).toContain('Recorded 7 d before this brief.')
      expect(parseBrief(shown).meta.notes).toEqual({ capturedAt: first.brief.notes.capturedAt })
    }
  })

  it('takes what the same session noted since; another session’s notes are not its own', async () => {
    const repo = usual()
    await cli(repo, ['note', '--active-hypothesis', 'the timer is cleared twice'], AGENT)
    await made(repo, [], AGENT)
    await cli(repo, ['note', '--active-hypothesis', 'it is the counter'], { ...AGENT, now: later(30) })
    const stranger = { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 'aaaaaaaa-2222-4333-8444-555555555555' }
    await cli(repo, ['note', '--active-hypothesis', 'not mine'], { env: stranger, now: later(40) })
    const memory = sectionOf((await resumed(repo, [], 3 * HOUR)).markdown, 'Working Memory')
    expect(memory).toContain('it is the counter')
    expect(memory).not.toMatch(/not mine|cleared twice/)
    expect(memory).toContain('Recorded 2 h before this brief.')
  })

  it('rebuilds from the session where it is: what was said since is there, in the session’s own name', async () => {
    const repo = usual()
    writeClaudeSession(repo, DEMANDS, { id: SESSION })
    const first = await made(repo)
    expect(itemsOf(first.markdown, 'Constraints & Preferences')).toHaveLength(1)
    writeClaudeSession(
      repo,
      [...DEMANDS, { user: 'Never use a global variable for the counter.' }, { says: 'Understood.' }],
      { id: SESSION, end: later(30) },
    )
    const json = await resumed(repo)
    const quoted = itemsOf(json.markdown, 'Constraints & Preferences').join('\n')
    expect(quoted).toContain('Never use a global variable')
    expect(quoted).toContain('Do NOT touch')
    expect(quoted).not.toContain(' — from ')
  })

  it('keeps what only the brief says: notes that are gone and what a person wrote into it', async () => {
    const repo = usual()
    const notes = JSON.stringify({ decisions: [{ what: 'Cap the backoff at 30 s' }], nextSteps: ['ship it'] })
    const first = await made(repo, ['--notes', '-'], { stdin: notes })
    const text = repo
      .read(first.path)
      .replace('## Progress', '## Key Decisions\n\n- Written by hand into the brief\n\n## Progress')
    repo.write(first.path, text)
    repo.commit('edit the brief')
    const json = await resumed(repo)
    expect(json.transcript).toBe('rebuilt')
    const head = String(first.brief.head).slice(0, 8)
    expect(itemsOf(json.markdown, 'Key Decisions')).toEqual([
      `- Written by hand into the brief [by user] — from ${first.id}@${head}`,
    ])
    expect(itemsOf(json.markdown, 'Working Memory')).toEqual([
      '- Decision: Cap the backoff at 30 s',
      '- Next step: ship it',
    ])
  })

  byNight('carries what the brief says when its session has become of no use, and says why', async () => {
    const { repo, first } = await withBrief()
    writeClaudeSession(repo, [{ user: 'hello' }], { id: SESSION })
    const json = await resumed(repo)
    expect(json).toMatchObject({ transcript: 'carried', parents: [first.id] })
    expect(json.warnings.join('\n')).toContain(
      `the session behind ${first.id} cannot be used: Nothing to hand off`,
    )
    expect(itemsOf(json.markdown, 'Constraints & Preferences')).toHaveLength(1)
  })

  byNight('looks files up again: renamed, gone and come back', async () => {
    const repo = usual()
    repo.commit('lines', { 'src/queue.ts': `${'the same line\n'.repeat(20)}\n` })
    await made(repo)
    repo.git(['mv', 'src/queue.ts', 'src/line.ts'])
    repo.commit('rename')
    const clone = cloneOf(repo)
    const json = await resumed(clone)
    const files = itemsOf(json.markdown, 'Relevant Files').join('\n')
    expect(files).toMatch(/- `src\/line\.ts` — .*renamed from src\/queue\.ts.* — from /)
    clone.git(['rm', '-q', 'src/line.ts'])
    clone.git(['commit', '-q', '-m', 'drop'])
    const gone = await resumed(clone, [], HOUR)
    expect(itemsOf(gone.markdown, 'Relevant Files').join('\n')).toMatch(
      /- `src\/line\.ts` — .*; no longer here — from /,
    )
    clone.commit('back again', { 'src/line.ts': 'z\n' })
    const back = await resumed(clone, [], 2 * HOUR)
    expect(back.markdown).not.toMatch(/no longer|not seen here/)
    expect((await cli(clone, ['check', '--mode', 'strict'])).code).toBe(0)
  })

  it('says what was not committed and stayed where the brief was made', async () => {
    const repo = usual()
    repo.write('src/queue.ts', 'not committed\n')
    const first = await made(repo)
    const json = await resumed(cloneOf(repo))
    const left = 'what was uncommitted then is not in this checkout: 1 modified: `src/queue.ts`'
    expect(json.warnings).toContain(left)
    expect(sectionOf(json.markdown, 'Open Questions / Risks')).toContain(
      `risk: ${left} [git] — from ${first.id}@`,
    )
    expect(sectionOf(json.markdown, 'Relevant Files')).not.toContain('uncommitted')
  })
})

describe('resume: how it is written', () => {
  it('--dry-run writes nothing, --no-commit commits nothing', async () => {
    const { repo, first } = await withBrief()
    const head = headOf(repo)
    const { stdout } = await cli(repo, ['resume', '--dry-run'], { now: later(HOUR) })
    expect(parseBrief(stdout).meta.resumedFrom?.id).toBe(first.id)
    expect([headOf(repo), repo.git(['status', '--porcelain'])]).toEqual([head, ''])
    const json = await resumed(repo, ['--no-commit'])
    expect(json.commit).toBeNull()
    expect([headOf(repo), repo.git(['status', '--porcelain'])]).toEqual([head, `?? ${json.path}`])
  })

  it('touches nothing else that is staged or changed', async () => {
    const { repo } = await withBrief()
    repo.write('a.txt', 'staged\n')
    repo.git(['add', 'a.txt'])
    repo.write('a.txt', 'changed after\n')
    repo.write('loose.txt', 'loose\n')
    const before = repo.git(['status', '--porcelain'])
    await resumed(repo)
    expect(repo.git(['status', '--porcelain'])).toBe(before)
  })

  byNight('a secret in what is carried is replaced, also one in its goal', async () => {
    const { createFakes } = await import('../../../unit/secrets/fake.ts')
    const secret = createFakes(11).make('ghp_{A-Za-z0-9:36}')
    const { repo, first } = await withBrief()
    const text = repo.read(first.path)
    repo.write(first.path, text.replace('the public API must stay', `the token ${secret} must stay`))
    repo.commit('a secret')
    const json = await resumed(cloneOf(repo))
    expect(json.markdown).not.toContain(secret)
    expect(json.markdown).toContain('[REDACTED:')
    repo.write(first.path, text.replaceAll(GOAL, `${GOAL} with ${secret}`))
    repo.commit('a secret goal')
    const again = await resume(cloneOf(repo, { name: 'second' }))
    expect(again.code).toBe(0)
    expect(again.json.brief.goal).toBe(`${GOAL} with [REDACTED:github-token]`)
    expect(again.stdout).not.toContain(secret)
  })

  byNight('a failed commit leaves the brief on disk and the index as it was', async () => {
    const { repo } = await withBrief()
    writeFileSync(join(repo.root, '.git/index.lock'), '')
    const running = resume(repo)
    setTimeout(() => rmSync(join(repo.root, '.git/index.lock')), 300)
    expect(succeeded(await running)).toMatchObject({ repeat: false })
  })
})

describe('resume: trust', () => {
  it('does not launder the words of a stranger: the new brief is no more trusted than the old', async () => {
    const { repo: theirs, first } = await withBrief()
    const mine = cloneOf(theirs)
    const told = async (argv: string[]) => succeeded(await cli(mine, ['trust', ...argv, '--json']))
    expect(await told([])).toMatchObject({ id: first.id, trusted: false })
    const json = await resumed(mine)
    expect(json.markdown).not.toContain('trust')
    expect(json.warnings.join('\n')).toContain(`then: \`git handoff trust ${json.id}\``)
    expect(await told([])).toMatchObject({ id: json.id, trusted: false })
    expect(mine.read('.handoff/latest.md')).not.toContain('Do NOT touch')
    const agent = fakeAgent(mine, 'codex')
    const started = await resume(mine, ['--to', 'codex', '--headless'], 2 * HOUR, agent.env)
    expect(started.json.errors[0]).toMatchObject({ code: 'E_NOT_TRUSTED' })
    expect(agent.seen()).toBeNull()
    // A child of it is none the better.
    mine.commit('more', { 'a.txt': 'more\n' })
    const child = await resumed(mine, [], 3 * HOUR)
    expect(await told([])).toMatchObject({ id: child.id, trusted: false })
    // Who has read it may say so, and what is made from it then is trusted.
    expect(await told([child.id])).toMatchObject({ trusted: true })
    mine.commit('and more', { 'a.txt': 'and more\n' })
    const clean = await resumed(mine, [], 4 * HOUR)
    expect(await told([])).toMatchObject({ id: clean.id, trusted: true })
  })

  it('trusting the old one afterwards makes the new one trusted when it is resumed again', async () => {
    const { repo: theirs, first } = await withBrief()
    const mine = cloneOf(theirs)
    const json = await resumed(mine)
    succeeded(await cli(mine, ['trust', first.id, '--json']))
    const again = await resumed(mine, [first.id], 2 * HOUR)
    expect(again).toMatchObject({ id: json.id, repeat: true })
    expect(succeeded(await cli(mine, ['trust', '--json']))).toMatchObject({ id: again.id, trusted: true })
  })

  it('what a trusted origin carries is trusted, and so is what is made from it', async () => {
    const { repo: theirs } = await withBrief()
    const mine = cloneOf(theirs)
    const json = await resumed(mine, [], HOUR, { HANDOFF_TRUST: 'origin' })
    expect(succeeded(await cli(mine, ['trust', '--json']))).toMatchObject({ id: json.id, trusted: true })
  })

  it('a stranger’s brief cannot choose which session of another repository is read', async () => {
    const other = usual()
    const theirs = makeRepo()
    theirs.git(['commit', '-q', '--allow-empty', '-m', 'x'])
    writeClaudeSession(theirs, DEMANDS, { id: 'bbbbbbbb-2222-4333-8444-555555555555' })
    const first = await made(theirs)
    theirs.write(first.path, theirs.read(first.path).replace(/^ {2}session: .*$/m, `  session: ${SESSION}`))
    theirs.commit('point at another session')
    theirs.git(['clone', '-q', `file://${theirs.root}`, join(other.base, 'clone')])
    const mine = atFolder(other.base, join(other.base, 'clone'), other.env)
    expect(await resumed(mine)).toMatchObject({ transcript: 'carried' })
  })

  byNight('closing a chain vouches for no word of it', async () => {
    const { repo: theirs, first } = await withBrief()
    const mine = cloneOf(theirs)
    const closed = succeeded(await cli(mine, ['done', 'shipped', '--json'], { now: later(5) }))
    expect(closed.parents).toEqual([first.id])
    expect(succeeded(await cli(mine, ['trust', '--json']))).toMatchObject({ id: closed.id, trusted: false })
  })
})

describe('resume --to', () => {
  const start = (repo: TempRepo, env: Record<string, string>, argv: string[] = []) =>
    resume(repo, ['--to', 'codex', '--headless', ...argv], HOUR, env)

  it('uses the brief as it is while git tells nothing else, whatever the session said since', async () => {
    const repo = usual()
    repo.write('src/queue.ts', 'not committed\n')
    const first = await made(repo)
    const head = headOf(repo)
    writeClaudeSession(repo, DEMANDS, { id: SESSION, end: later(30) })
    repo.commit('our own', { '.handoff/config.yaml': 'edit: false\n', 'src/queue.ts': 'not committed\n' })
    repo.git(['reset', '-q', '--mixed', head])
    const agent = fakeAgent(repo, 'codex')
    const json = succeeded(await start(repo, agent.env))
    expect(json).toMatchObject({ id: first.id, started: true })
    expect(json.resumedFrom).toBeUndefined()
    expect(headOf(repo)).toBe(head)
  })

  it.each(
    sampled<[string, (repo: TempRepo) => unknown]>(
      [
        ['a commit', (repo) => repo.commit('more', { 'src/queue.ts': 'more\n' })],
        ['another branch', (repo) => repo.git(['switch', '-q', '-c', 'other'])],
        ['an uncommitted change', (repo) => repo.write('a.txt', 'changed\n')],
        [
          'a rewritten history',
          (repo) => repo.git(['commit', '-q', '--amend', '--allow-empty', '-m', 'other']),
        ],
      ],
      2,
    ),
  )('makes it anew first after %s, and starts the agent on the new one', async (_, change) => {
    const repo = usual()
    if (_ === 'a rewritten history') repo.commit('to be amended', { 'b.txt': 'b\n' })
    const first = await made(repo, ['--no-commit'])
    if (_ !== 'a rewritten history') repo.commit('keep it')
    change(repo)
    if (_ === 'a rewritten history') repo.commit('keep it')
    const agent = fakeAgent(repo, 'codex')
    const json = succeeded(await start(repo, agent.env))
    expect(json).toMatchObject({ started: true, parents: [first.id], resumedFrom: { id: first.id }, exit: 0 })
    expect(json.id).not.toBe(first.id)
    expect(`${agent.seen()?.args.join('\n')}${agent.seen()?.stdin}`).toContain(GOAL)
    expect(succeeded(await start(repo, agent.env))).toMatchObject({ id: json.id })
  })

  it('settles who goes on, and whether the brief is trusted, before anything is made', async () => {
    const { repo } = await withBrief()
    repo.commit('more', { 'src/queue.ts': 'more\n' })
    const head = headOf(repo)
    expect((await resume(repo, ['--to', 'nobody'])).json.errors[0].code).toBe('E_NO_DESTINATION')
    writeFileSync(join(repo.root, '.git/handoff/created'), '')
    expect((await start(repo, fakeAgent(repo, 'codex').env)).json.errors[0].code).toBe('E_NOT_TRUSTED')
    expect(headOf(repo)).toBe(head)
  })

  it('keeps the new brief when the agent cannot be started, and tells both in one object', async () => {
    const { repo, first } = await withBrief()
    repo.commit('more', { 'src/queue.ts': 'more\n' })
    const { code, json } = await start(repo, { PATH: '/usr/bin:/bin' })
    expect(code).toBe(1)
    expect(json).toMatchObject({ ok: false, parents: [first.id], errors: [{ code: 'E_AGENT_NOT_STARTED' }] })
    expect(headOf(repo)).toBe(json.commit)
  })

  it('--print writes nothing, and during a merge the brief is used as it is', async () => {
    const { repo, first } = await withBrief()
    repo.git(['switch', '-q', '-c', 'side', 'HEAD~1'])
    repo.commit('side', { 'a.txt': 'side\n' })
    repo.git(['switch', '-q', 'main'])
    repo.commit('main', { 'a.txt': 'main\n' })
    const head = headOf(repo)
    const printed = succeeded(await resume(repo, ['--to', 'codex', '--print']))
    expect(printed).toMatchObject({ id: first.id, started: false })
    repo.tryGit(['merge', '-q', 'side'])
    const agent = fakeAgent(repo, 'codex')
    expect(succeeded(await start(repo, agent.env))).toMatchObject({ id: first.id, started: true })
    expect(headOf(repo)).toBe(head)
  })
})
