import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { adapters } from '../../../src/agents/table.ts'
import { byNight } from '../../sampled.ts'
import { cli } from '../cli.ts'
import { fakeAgent } from '../fake-agent.ts'
import { makeRepo, type TempRepo } from '../make-repo.ts'
import { GOAL, headOf, itemsOf, made, sectionOf, usual } from '../usual.ts'

describe('create --json', () => {
  let repo: TempRepo
  let stdout: string
  let stderr: string
  // biome-ignore lint/suspicious/noExplicitAny: its shape is what is tested
  let json: any
  beforeAll(async () => {
    repo = usual()
    repo.write('src/queue.ts', 'changed\n')
    const run = await cli(repo, ['create', GOAL, '--json', '--reason', 'shift_end'])
    ;({ stdout, stderr, json } = run)
  })

  it('is one line on standard output, and nothing on standard error', () => {
    expect(stdout).toBe(`${JSON.stringify(json)}\n`)
    expect(stderr).toBe('')
  })

  it('has the keys of the contract; claims, parked and repeat are the only others', () => {
    const contract = [
      ...['ok', 'id', 'path', 'commit', 'branch', 'parents', 'tokens', 'mode', 'session'],
      ...['warnings', 'errors', 'dropped', 'brief', 'markdown'],
    ]
    expect(Object.keys(json).sort()).toEqual([...contract, 'claims', 'parked', 'repeat'].sort())
    expect(Object.keys(json.session).sort()).toEqual(['ageSeconds', 'agent', 'bytes', 'id', 'path'])
  })

  it('tells what was made', () => {
    expect(json).toMatchObject({
      ok: true,
      id: expect.stringMatching(/^20261122T100000-000[0-9a-f]{5}$/),
      path: `.handoff/briefs/${json.id}-${GOAL.replaceAll(' ', '-')}.md`,
      commit: headOf(repo),
      branch: 'main',
      parents: [],
      mode: 'permissive',
      errors: [],
      dropped: [],
      parked: null,
      repeat: false,
    })
    expect(json.session).toMatchObject({
      agent: 'claude-code',
      id: '11111111-2222-4333-8444-555555555555',
      ageSeconds: 60,
      bytes: statSync(json.session.path).size,
    })
  })

  it('markdown is the committed brief byte for byte, and tokens is what its front matter says', () => {
    expect(`${repo.git(['show', `HEAD:${json.path}`])}\n`).toBe(json.markdown)
    expect(repo.read(json.path)).toBe(json.markdown)
    expect(json.markdown).toContain(`\n  tokens: ${json.tokens}\n`)
    expect(json.tokens).toBeGreaterThan(100)
  })

  it('brief is the structured form, with lists in the order of the markdown', () => {
    const { brief } = json
    expect(brief).toMatchObject({ id: json.id, goal: GOAL, reason: 'shift_end', dirty: true, parents: [] })
    expect(brief.relevantFiles[0]).toMatchObject({
      path: 'src/queue.ts',
      reason: expect.any(String),
      evidence: expect.arrayContaining(['edited', 'uncommitted']),
    })
    const names = (heading: string) =>
      itemsOf(json.markdown, heading).map((line) => /`([^`]+)`/.exec(line)?.[1])
    expect(brief.relevantFiles.map((file: { path: string }) => file.path)).toEqual(names('Relevant Files'))
    expect(brief.relevantCommands).toMatchObject([{ command: 'npm test', outcome: 'failed', exitCode: 1 }])
    expect(names('Relevant Commands')).toEqual(['npm test'])
    expect(brief.constraints).toMatchObject([
      { text: expect.stringContaining('Do NOT touch src/api.ts'), source: 'user' },
    ])
    expect(brief.progress.pending.map((item: { text: string }) => item.text)).toEqual([
      'Fix the off-by-one in retry() (in progress)',
      'Document the limits',
    ])
    expect(brief.openQuestions).toMatchObject([{ kind: 'failing' }])
    for (const key of ['relevantInformation', 'decisions', 'notes', 'nextSteps', 'status'])
      expect(brief).toHaveProperty(key)
    expect(sectionOf(json.markdown, 'Where it stands')).toBe(brief.whereItStands.join('\n'))
    expect(sectionOf(json.markdown, 'How it got here')).toContain(brief.howItGotHere.join('\n'))
    expect(brief.howItGotHere).not.toEqual([])
  })

  it('notes are the page, with a line for every slot that the agent filled', async () => {
    const slots = {
      currentLineOfAttack: 'the cap behind the jitter',
      activeHypothesis: null,
      abandonedApproaches: ['a cap in the scheduler'],
      openQuestions: ['with jitter?'],
      decisions: [{ what: 'cap at 30 s', why: 'the gateway', alternatives: ['none at all'] }],
      blockers: ['no access to staging'],
      nextSteps: ['write the test'],
      information: ['jobs older than a day are dropped'],
      files: [{ path: 'src/queue.ts', reason: 'the cap' }],
      other: null,
    }
    const { brief } = await made(usual(), ['--print', '--notes', '-'], { stdin: JSON.stringify(slots) })
    expect(brief.notes).toEqual({
      capturedAt: brief.createdAt,
      page: [
        '- Current line of attack: the cap behind the jitter',
        '- Decision: cap at 30 s; why: the gateway; instead of: none at all',
        '- Context: jobs older than a day are dropped',
        '- Abandoned: a cap in the scheduler',
        '- Blocker: no access to staging',
        '- Open question: with jitter?',
        '- Next step: write the test',
        '- File: `src/queue.ts` — the cap',
      ].join('\n'),
    })
  })

  it('says every failure with code, message and hint', async () => {
    const failed = await cli(repo, ['create', 'more', '--json'])
    expect(failed.code).toBe(2)
    expect(failed.json).toMatchObject({
      ok: false,
      errors: [{ code: 'E_GOAL', message: expect.any(String), hint: expect.any(String) }],
    })
    expect(failed.stdout.trimEnd().split('\n')).toHaveLength(1)
  })
})

byNight('without --json: the path alone on standard output, everything else on standard error', async () => {
  const repo = usual()
  const run = await cli(repo, [GOAL])
  expect(run.code).toBe(0)
  expect(run.stdout).toBe(`${repo.git(['ls-files', '.handoff/briefs'])}\n`)
  expect(run.stderr).toMatch(/Session: Claude Code 11111111-[^,]*, last event 60 s ago, \d+ (?:B|KB)/)
  expect(run.stderr).toContain('No hook runs in this clone')
  expect(run.stderr).toMatch(
    /Handed over: 20261122T100000-\S+ \(commit [0-9a-f]{12} directly on main, \d+ tokens, not pushed\)/,
  )
})

byNight('makes the folder where there is none, and starts nobody', async () => {
  const repo = usual()
  const folder = join(repo.root, '.handoff')
  expect(existsSync(folder)).toBe(false)
  const agents = adapters.flatMap(({ launch }) =>
    launch === undefined ? [] : [fakeAgent(repo, launch.program)],
  )
  const { path } = await made(repo, [], { env: agents[0]?.env ?? {} })
  expect(readdirSync(join(folder, 'briefs')).map((name) => `.handoff/briefs/${name}`)).toEqual([path])
  expect(agents.length).toBeGreaterThan(2)
  expect(agents.map(({ seen }) => seen())).toEqual(agents.map(() => null))
})

it('from git alone: no session, agent git', async () => {
  const repo = makeRepo()
  repo.write('a.txt', 'changed\n')
  expect(await made(repo, ['--from', 'git'])).toMatchObject({
    session: null,
    brief: { agent: { id: 'git', label: 'git' }, relevantFiles: [{ path: 'a.txt' }] },
  })
})
