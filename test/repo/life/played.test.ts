import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { byNight, isNightly, runs } from '../../sampled.ts'
import { dataOf } from '../../unit/report/sample-brief.ts'
import { writeClaudeSession } from '../claude-session.ts'
import { type CliOptions, cli } from '../cli.ts'
import { atFolder, cloneOf, makeRepo, type TempRepo, writeOwn } from '../make-repo.ts'
import { itemsOf, later, sectionOf, succeeded } from '../usual.ts'
import { handOver, openHere, pruneAll, states } from './lines.ts'

/** What one person and one agent say to each other, written as that agent records it. */
type Talk = readonly { user?: string; says?: string; edits?: string }[]

function writeCodex({ home, root }: TempRepo, id: string, at: number, talk: Talk): string {
  const folder = join(home, '.codex/sessions/2026/11/22')
  mkdirSync(folder, { recursive: true })
  const time = (minute: number): string => later(at + minute).toISOString()
  const row = (type: string, payload: object, minute: number): string =>
    JSON.stringify({ timestamp: time(minute), type, payload })
  const meta = {
    id,
    timestamp: time(0),
    cwd: root,
    originator: 'codex_cli_rs',
    cli_version: '0.171.0',
    source: 'cli',
  }
  const rows = talk.flatMap(({ user, says, edits }, minute) => [
    ...(user === undefined ? [] : [row('event_msg', { type: 'user_message', message: user }, minute)]),
    ...(edits === undefined
      ? []
      : [
          row(
            'response_item',
            {
              type: 'custom_tool_call',
              call_id: `c${minute}`,
              name: 'apply_patch',
              input: `*** Begin Patch\n*** Update File: ${edits}\n@@\n-a\n+b\n*** End Patch\n`,
            },
            minute,
          ),
          row(
            'response_item',
            { type: 'custom_tool_call_output', call_id: `c${minute}`, output: 'ok' },
            minute,
          ),
        ]),
    ...(says === undefined ? [] : [row('event_msg', { type: 'agent_message', message: says }, minute)]),
  ])
  const path = join(folder, `rollout-2026-11-22T09-50-00-${id}.jsonl`)
  writeFileSync(path, `${[row('session_meta', meta, 0), ...rows].join('\n')}\n`)
  return path
}

function writeGemini({ home, root }: TempRepo, id: string, at: number, talk: Talk): string {
  const folder = join(home, '.gemini/tmp/repo/chats')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, '../.project_root'), root)
  const time = (minute: number): string => later(at + minute).toISOString()
  const rows: object[] = [
    { sessionId: id, projectHash: 'x', startTime: time(0), lastUpdated: time(0), kind: 'main' },
  ]
  for (const [minute, { user, says }] of talk.entries()) {
    if (user !== undefined)
      rows.push({ id: `u${minute}`, timestamp: time(minute), type: 'user', content: [{ text: user }] })
    if (says !== undefined)
      rows.push({
        id: `g${minute}`,
        timestamp: time(minute),
        type: 'gemini',
        content: says,
        thoughts: [],
        model: 'gemini-2.5-pro',
      })
  }
  const path = join(folder, `session-2026-11-22T10-00-${id.slice(0, 8)}.jsonl`)
  writeFileSync(path, `${rows.map((one) => JSON.stringify(one)).join('\n')}\n`)
  return path
}

const json = async (repo: TempRepo, argv: string[], options: CliOptions = {}) =>
  succeeded(await cli(repo, [...argv, '--json'], options))

/** What a new session of Claude Code hears. */
const hear = (repo: TempRepo) =>
  cli(repo, ['hook', 'session-start', '--agent', 'claude-code'], {
    stdin: JSON.stringify({ session_id: 'new', source: 'startup', cwd: repo.root }),
  })

/** What every command says is open here: one answer, or this fails. */
async function told(repo: TempRepo): Promise<string | null> {
  const status = await json(repo, ['status'])
  const hook = await hear(repo)
  const open = status.brief?.open === true ? status.brief.id : null
  if (isNightly) await expectSame(repo, open)
  const latest = repo.read('.handoff/latest.md')
  if (open === null) {
    expect(hook.stdout).toBe('')
    expect(latest).toContain('No brief is open here.')
  } else {
    expect(hook.stdout).toContain(status.brief.goal)
    expect(latest).toContain(open)
  }
  return open
}

/** The commands whose answers generated.test.ts compares by day. */
async function expectSame(repo: TempRepo, open: string | null): Promise<void> {
  const log = await json(repo, ['log', '--all'])
  expect(log.current).toBe(open)
  const page = (await cli(repo, ['log', '--all', '--html', '-'])).stdout
  const states = (briefs: { id: string; state: string }[]) => briefs.map(({ id, state }) => `${id} ${state}`)
  expect(states(dataOf(page).briefs)).toEqual(states(log.briefs))
  const show = await cli(repo, ['show', '--json'])
  if (open !== null) expect(show.json.brief.id).toBe(open)
}

const POINTER = 'Read .handoff/latest.md and continue.'

it('(a) one person, four hops in two days and four sessions: two goals, done, a new branch', {
  timeout: 240_000,
}, async () => {
  const repo = makeRepo({ second: { 'src/store.js': 'a\n', 'src/window.js': 'a\n', 'README.md': 'a\n' } })
  repo.git(['switch', '-q', '-c', 'feat/eviction'])
  const [one, two, three] = ['1', '2', '3'].map(
    (digit) => `${digit.repeat(8)}-2222-4333-8444-555555555555`,
  ) as [string, string, string]

  writeClaudeSession(
    repo,
    [
      {
        user: 'Add eviction of idle keys to src/store.js. Never call Date.now() inside a limiter. Do not touch src/window.js.',
      },
      { edit: 'src/store.js' },
      {
        todo: [
          { content: 'Evict keys', status: 'completed' },
          { content: 'Document it in README.md', status: 'pending' },
        ],
      },
      { says: 'Eviction works. Should the idle time be an option of the constructor?' },
    ],
    { id: one, end: later(0), branch: 'feat/eviction' },
  )
  repo.commit('evict idle keys', { 'src/store.js': 'b\n' })
  const first = await json(
    repo,
    ['create', 'finish eviction of idle keys in src/store.js', '--session', one],
    { now: later(1) },
  )
  expect(first.brief.parents).toEqual([])
  expect(await told(repo)).toBe(first.id)

  // Codex goes on; the person answers and takes one rule back.
  const codex = writeCodex(repo, '019aab00-0000-7000-8000-000000000001', 60, [
    { user: POINTER },
    { user: 'Yes, the idle time is an option of the constructor. And you may change src/window.js now.' },
    { says: 'The option is there.', edits: 'src/store.js' },
  ])
  const second = await json(
    repo,
    ['create', 'write the tests of eviction in test/store.test.js', '--session', codex],
    { now: later(70) },
  )
  expect(second.brief.parents).toEqual([first.id])
  expect(itemsOf(second.markdown, 'Constraints & Preferences')).toEqual([
    `- "Never call Date.now() inside a limiter." — from ${first.id}`,
  ])
  expect(sectionOf(second.markdown, 'Key Decisions')).toMatch(
    /answers: Should the idle time[^\n]*\n|takes back: Do not touch src\/window\.js/,
  )
  expect(sectionOf(second.markdown, 'Key Decisions')).toContain('takes back: Do not touch src/window.js.')
  expect(sectionOf(second.markdown, 'Open Questions / Risks')).not.toContain('Should the idle time')
  expect(itemsOf(second.markdown, 'Progress')).toEqual(
    expect.arrayContaining([
      `- Document it in README.md — from ${first.id}`,
      `- goal, not said to be done: finish eviction of idle keys in src/store.js [user] — from ${first.id}`,
    ]),
  )
  expect(await told(repo)).toBe(second.id)

  // The next day: Claude Code documents it, so that step is done; nothing comes back.
  writeClaudeSession(
    repo,
    [
      { user: POINTER },
      { read: '.handoff/latest.md' },
      { user: 'Document it now, please.' },
      { edit: 'README.md' },
      { says: 'Documented.' },
    ],
    { id: two, end: later(1500), branch: 'feat/eviction' },
  )
  const third = await json(repo, ['create', 'publish the limiter with its new option', '--session', two], {
    now: later(1510),
  })
  expect(third.brief.parents).toEqual([second.id])
  expect(third.markdown).not.toContain('Do not touch src/window.js')
  expect(sectionOf(third.markdown, 'Progress')).not.toContain('Document it in README.md')
  expect(sectionOf(third.markdown, 'Constraints & Preferences')).toContain('Never call Date.now()')
  expect(await states(repo)).toEqual(
    new Map([
      [third.id, 'open'],
      [second.id, 'followed'],
      [first.id, 'followed'],
    ]),
  )

  // Gemini CLI finishes, the person closes the work.
  const gemini = writeGemini(repo, 'aaaaaaaa-0000-4000-8000-000000000007', 1600, [
    { user: POINTER },
    { user: 'Publish it.' },
    { says: 'Version 1.5.0 is published.' },
  ])
  const fourth = await json(repo, ['create', 'tell the users of version 1.5.0', '--session', gemini], {
    now: later(1610),
  })
  expect(fourth.brief.parents).toEqual([third.id])
  await json(repo, ['done', 'published as 1.5.0'], { now: later(1620) })
  expect(await told(repo)).toBeNull()
  expect([...new Set((await states(repo)).values())]).toEqual(['closed'])

  repo.git(['switch', '-q', 'main'])
  repo.git(['merge', '-q', '--squash', 'feat/eviction'])
  repo.git(['commit', '-q', '-m', 'Eviction (#1)'])
  repo.git(['switch', '-q', '-c', 'feat/next'])
  writeClaudeSession(
    repo,
    [{ user: 'Write a FAQ.' }, { write: 'docs/faq.md' }, { says: 'The FAQ is begun.' }],
    {
      ...{ id: three, end: later(2000), branch: 'feat/next' },
    },
  )
  expect(await told(repo)).toBeNull()
  const fresh = await json(repo, ['create', 'finish the FAQ in docs/faq.md', '--session', three], {
    now: later(2001),
  })
  expect(fresh.brief).toMatchObject({ parents: [], previous: null })
  expect(fresh.markdown).not.toMatch(/Date\.now|not said to be done|eviction/)
})

byNight(
  '(b) two people on one branch at once: each is told, the next follows both and has both rules',
  {
    timeout: 240_000,
  },
  async () => {
    const alice = makeRepo({ second: { 'a.js': 'a\n' } })
    const far = join(alice.base, 'far.git')
    alice.git(['clone', '-q', '--bare', alice.root, far])
    alice.git(['remote', 'add', 'origin', far])
    alice.git(['switch', '-q', '-c', 'x'])
    alice.commit('begin', { 'a.js': 'b\n' })
    alice.git(['push', '-q', '-u', 'origin', 'x'])
    const bob = cloneOf(atFolder(alice.base, far, alice.env), { name: 'bob', args: ['-b', 'x'] })
    const say = (rule: string): string =>
      `## User\n\nGo on with a.js. ${rule}\n\n## Assistant\n\nI did half of it.\n`
    const first = await json(alice, ['create', 'finish the lexer in a.js', '--session', '-'], {
      ...{ now: later(1), stdin: say('Never touch the table users_v1, legal wants it kept.') },
    })
    const second = await json(bob, ['create', 'document a.js in README.md', '--session', '-'], {
      ...{ now: later(2), stdin: say('Do not rename the exports.') },
    })
    bob.git(['push', '-q'])
    alice.git(['pull', '-q', '--rebase'])
    alice.git(['push', '-q'])
    expect(await openHere(alice)).toEqual([second.id, first.id])
    bob.git(['pull', '-q', '--rebase'])
    await cli(bob, ['trust', first.id])
    expect(await openHere(bob)).toEqual([second.id, first.id])
    const both = `Also open here: \`${first.path}\`: finish the lexer in a.js`
    expect(JSON.parse((await hear(bob)).stdout).hookSpecificOutput.additionalContext).toMatch(
      /\nIn `\.handoff\/latest\.md`: .*\nWhat .*\nAlso open here: /,
    )
    writeOwn(bob, 'config.yaml', 'inject: full\n')
    expect(JSON.parse((await hear(bob)).stdout).hookSpecificOutput.additionalContext).toContain(
      `---\n${both}\n`,
    )
    writeOwn(bob, 'config.yaml', '')
    expect((await cli(bob, ['status'])).stdout).toContain(both)
    expect(bob.read('.handoff/latest.md')).toContain(`\n${both}\n`)
    const again = ['create', 'finish what is left in a.js', '--session', '-']
    const { stderr } = await cli(bob, again, { now: later(30), stdin: say('') })
    for (const goal of ['finish the lexer in a.js', 'document a.js in README.md'])
      expect(stderr).toContain(`it goes on as an open step: ${goal}\n`)
    const next = await json(bob, again, { now: later(30), stdin: say('') })
    expect(next.brief.parents).toEqual([second.id, first.id])
    const rules = sectionOf(next.markdown, 'Constraints & Preferences')
    expect(rules).toContain(`"Never touch the table users_v1, legal wants it kept." — from ${first.id}`)
    expect(rules).toContain(`"Do not rename the exports." — from ${second.id}`)
    const steps = sectionOf(next.markdown, 'Progress')
    for (const { id, goal } of [
      { id: first.id, goal: 'finish the lexer in a.js' },
      { id: second.id, goal: 'document a.js in README.md' },
    ])
      expect(steps).toContain(`goal, not said to be done: ${goal} [user] — from ${id}`)
    expect(next.warnings).toEqual([])
    expect(await told(bob)).toBe(next.id)
  },
)

byNight(
  '(i) one renames the branch that both push to: what the other took back there stays taken back',
  {
    timeout: 240_000,
  },
  async () => {
    const ann = makeRepo({ second: { 'shop.js': 'a\n' } })
    const far = join(ann.base, 'far.git')
    ann.git(['clone', '-q', '--bare', ann.root, far])
    ann.git(['remote', 'add', 'origin', far])
    ann.git(['switch', '-q', '-c', 'feat/cart'])
    ann.commit('Add a cart', { 'shop.js': 'b\n' })
    const hop = (repo: TempRepo, goal: string, minute: number, said: string, says = 'It is half done.') => {
      const pointer = minute === 1 ? '' : `## User\n\n${POINTER}\n\n## Assistant\n\nI read it.\n\n`
      const stdin = `${pointer}## User\n\n${said}\n\n## Assistant\n\n${says}\n`
      return json(repo, ['create', goal, '--session', '-'], { now: later(minute), stdin })
    }
    const rules = 'Never store prices as floats. Leave README.md to Ben.'
    const one = await hop(ann, 'finish the cart in shop.js', 1, rules, 'Shall the tax be shown or hidden?')
    ann.git(['push', '-q', '-u', 'origin', 'feat/cart'])
    const ben = cloneOf(atFolder(ann.base, far, ann.env), { name: 'ben', args: ['-b', 'feat/cart'] })
    for (const repo of [ann, ben]) await cli(repo, ['trust', '--origin'])
    const two = await hop(ben, 'write the tests of the cart', 2, 'Hidden. You may change README.md now.')
    expect(two.markdown).toContain('takes back: Leave README.md to Ben.')
    ben.git(['push', '-q'])

    ann.git(['branch', '-q', '-m', 'feat/cart', 'feat/basket'])
    const three = await hop(ann, 'document the cart', 3, 'Document it. Do not mock the clock.')
    expect(three.brief.parents).toEqual([one.id])
    expect(three.markdown).toContain('Leave README.md to Ben.')
    expect(await openHere(ann)).toEqual([three.id])
    expect((await states(ann)).get(one.id)).toBe('followed')
    ann.git(['pull', '-q', '--rebase'])
    expect(await openHere(ann)).toEqual([three.id, two.id])
    ann.git(['push', '-q', 'origin', 'HEAD:feat/cart'])
    ben.git(['pull', '-q', '--rebase'])
    expect(await openHere(ben)).toEqual([three.id, two.id])
    for (const [minute, repo] of [ann, ben].entries()) {
      const next = await hop(repo, 'polish the cart', 10 + minute, 'Go on.')
      expect(next.brief.parents).toEqual([three.id, two.id])
      expect(itemsOf(next.markdown, 'Constraints & Preferences')).toEqual([
        `- "Never store prices as floats." — from ${one.id}`,
        `- "Do not mock the clock." — from ${three.id}`,
      ])
      expect(sectionOf(next.markdown, 'Open Questions / Risks')).not.toContain('Shall the tax')
      expect(await told(repo)).toBe(next.id)
    }
  },
)

byNight(
  '(h) two clones: a rebase of the shared branch, a squash, its revert, the merge again, a prune',
  {
    timeout: 240_000,
  },
  async () => {
    const ann = makeRepo({ second: { 'a.js': 'a\n', 'b.js': 'b\n' } })
    const far = join(ann.base, 'far.git')
    ann.git(['clone', '-q', '--bare', ann.root, far])
    ann.git(['remote', 'add', 'origin', far])
    ann.git(['fetch', '-q'])
    ann.git(['branch', '-q', '-u', 'origin/main', 'main'])
    ann.git(['switch', '-q', '-c', 'x'])
    const hop = (repo: TempRepo, file: string, goal: string, minute: number) => {
      repo.commit(`Change ${file}`, { [file]: `${minute}\n` })
      const stdin = `## User\n\nGo on with ${file}.\n\n## Assistant\n\nIt is half done.\n`
      return json(repo, ['create', goal, '--session', '-'], { now: later(minute), stdin })
    }
    const driftIn = async (repo: TempRepo): Promise<string> => (await json(repo, ['status'])).brief.drift
    const one = await hop(ann, 'a.js', 'finish the lexer in a.js', 1)
    ann.git(['push', '-q', '-u', 'origin', 'x'])
    const bob = cloneOf(atFolder(ann.base, far, ann.env), { name: 'bob', args: ['-b', 'x'] })
    for (const repo of [ann, bob]) await cli(repo, ['trust', '--origin'])

    // Main moves, and Ann rebases what both have. New since her brief is the one commit of main.
    ann.git(['switch', '-q', 'main'])
    ann.commit('Main moves', { 'b.js': 'c\n' })
    ann.git(['push', '-q', 'origin', 'main'])
    ann.git(['switch', '-q', 'x'])
    ann.git(['rebase', '-q', 'main'])
    expect(await told(ann)).toBe(one.id)
    expect(await driftIn(ann)).toBe('Since then: 1 commit.')
    ann.git(['push', '-q', '--force'])

    // Bob goes on from the old branch, and joins. The commit of his brief is nowhere else.
    const two = await hop(bob, 'a.test.js', 'test the lexer of a.js', 5)
    expect(two.brief.parents).toEqual([one.id])
    bob.git(['pull', '-q', '--rebase'])
    expect(await told(bob)).toBe(two.id)
    bob.git(['push', '-q'])
    ann.git(['pull', '-q', '--rebase'])
    expect(await told(ann)).toBe(two.id)
    expect(await driftIn(ann)).toBe('Nothing was committed since.')

    // The pull request goes in as one commit; Bob brings his main up to date.
    const onMain = (...args: string[]): void => {
      ann.git(['switch', '-q', 'main'])
      ann.git(args)
      if (args.includes('--squash')) ann.git(['commit', '-q', '-m', 'The lexer (#1)'])
      ann.git(['push', '-q', 'origin', 'main'])
      ann.git(['switch', '-q', 'x'])
      bob.git(['fetch', '-q'])
    }
    const expectStates = async (...expected: string[]): Promise<void> => {
      for (const repo of [ann, bob]) {
        const all = await states(repo)
        expect([one.id, two.id].map((id) => all.get(id))).toEqual(expected)
        expect(await told(repo)).toBe(expected[1] === 'open' ? two.id : null)
      }
    }
    onMain('merge', '-q', '--squash', 'x')
    bob.git(['fetch', '-q', 'origin', 'main:main'])
    await expectStates('landed', 'landed')

    // It is reverted. Bob's own main is behind now.
    onMain('revert', '--no-edit', 'HEAD')
    await expectStates('followed', 'open')

    // A week later it is in again, and what landed is taken out.
    onMain('revert', '--no-edit', 'HEAD')
    await expectStates('landed', 'landed')
    ann.git(['switch', '-q', 'main'])
    pruneAll(ann)
    ann.git(['push', '-q', 'origin', 'main'])
    ann.git(['switch', '-q', 'x'])
    bob.git(['fetch', '-q'])
    await expectStates('landed', 'landed')
  },
)

describe('branches and merges', () => {
  const work = (repo: TempRepo, name: string, from = 'main'): void => {
    repo.git(['switch', '-q', '-c', name, from])
    repo.commit(`work on ${name}`, { [`${name.replace(/\W/g, '-')}.js`]: '1\n' })
  }
  const squash = (repo: TempRepo, from: string, into = 'main'): void => {
    repo.git(['switch', '-q', into])
    repo.git(['merge', '-q', '--squash', from])
    repo.git(['commit', '-q', '-m', `${from} (#1)`])
  }

  it('(c) three stacked branches, squashed one by one, with an agent on the next each time', async () => {
    const repo = makeRepo()
    work(repo, 'a')
    const a = await handOver(repo)
    work(repo, 'b', 'a')
    const b = await handOver(repo)
    work(repo, 'c', 'b')
    const c = await handOver(repo)
    expect([a.parents, b.parents, c.parents]).toEqual([[], [a.id], [b.id]])
    squash(repo, 'a')
    expect(await openHere(repo)).toEqual([])
    repo.git(['switch', '-q', 'b'])
    expect(await openHere(repo)).toEqual([b.id])
    const goesOn = await handOver(repo)
    expect(goesOn.parents).toEqual([b.id])
    squash(repo, 'b')
    expect(await openHere(repo)).toEqual([])
    repo.git(['switch', '-q', 'c'])
    expect(await openHere(repo)).toEqual([c.id])
  })

  byNight(
    '(d) git-flow: what goes into develop has landed there, and into main with the release',
    async () => {
      const repo = makeRepo()
      repo.git(['switch', '-q', '-c', 'develop'])
      repo.commit('d', { 'd.js': '1\n' })
      work(repo, 'feature/x', 'develop')
      const x = await handOver(repo)
      expect(await openHere(repo)).toEqual([x.id])
      squash(repo, 'feature/x', 'develop')
      expect(await openHere(repo)).toEqual([])
      work(repo, 'feature/y', 'develop')
      expect(await openHere(repo)).toEqual([])
      const y = await handOver(repo)
      expect(y.parents).toEqual([])
      repo.git(['switch', '-q', 'main'])
      repo.git(['merge', '-q', '--no-ff', '--no-edit', 'develop'])
      expect(await openHere(repo)).toEqual([])
      expect(await states(repo)).toEqual(
        new Map([
          [y.id, 'open'],
          [x.id, 'landed'],
        ]),
      )
    },
  )

  byNight('(e) a pull request of a fork under another local name, handed back to its author', async () => {
    const author = makeRepo()
    const far = join(author.base, 'far.git')
    author.git(['clone', '-q', '--bare', author.root, far])
    author.git(['remote', 'add', 'origin', far])
    author.git(['fetch', '-q'])
    work(author, 'feature/x')
    author.git(['push', '-q', '-u', 'origin', 'feature/x'])
    const reviewer = cloneOf(atFolder(author.base, far, author.env), { name: 'reviewer' })
    reviewer.git(['switch', '-q', '-c', 'pr12', 'origin/feature/x'])
    reviewer.commit('review', { 'review.js': '1\n' })
    const brief = await handOver(reviewer)
    reviewer.git(['push', '-q', 'origin', 'HEAD:feature/x'])
    expect(await openHere(reviewer)).toEqual([brief.id])
    author.git(['pull', '-q', '--ff-only'])
    expect(await openHere(author)).toEqual([brief.id])
    const back = await handOver(author)
    expect(back.parents).toEqual([brief.id])
    expect(await openHere(author)).toEqual([back.id])
  })

  it('(f) two worktrees with an agent each: what one acts on is taken in the other', async () => {
    const repo = makeRepo()
    work(repo, 'feat/window')
    const talk = '## User\n\nBegin the window.\n\n## Assistant\n\nIt is begun.\n'
    const brief = await json(repo, ['create', 'finish the window in feat-window.js', '--session', '-'], {
      stdin: talk,
    })
    const place = join(repo.base, 'wt')
    repo.git(['worktree', 'add', '-q', '-b', 'feat/other', place])
    const other = atFolder(repo.base, place, repo.env)
    const start = (where: TempRepo, id: string) =>
      cli(where, ['hook', 'session-start', '--agent', 'claude-code'], {
        stdin: JSON.stringify({ session_id: id, source: 'startup', cwd: where.root }),
      })
    const now = new Date()
    await cli(repo, ['status'])
    await cli(other, ['status'])
    expect((await start(repo, 'one')).stdout).not.toBe('')
    const path = writeClaudeSession(
      repo,
      [{ user: 'Go on.' }, { read: '.handoff/latest.md' }, { says: 'I read it.' }],
      {
        ...{ id: 'one', end: now, branch: 'feat/window' },
      },
    )
    const stdin = JSON.stringify({ session_id: 'one', transcript_path: path, cwd: repo.root })
    await cli(repo, ['hook', 'stop', '--agent', 'claude-code'], { stdin, now })
    expect(await openHere(repo)).toEqual([brief.id])
    const status = await json(other, ['status'])
    expect(status.brief).toBeNull()
    // It is followed all the same, so that its rules go on.
    expect((await handOver(other)).parents).toEqual([brief.id])
  })

  byNight('(g) six weeks, ten people, 70 briefs, a prune every week', { timeout: 300_000 }, async () => {
    const repo = makeRepo()
    const ways = ['--no-ff', '--squash', '--ff-only']
    // By day the first two weeks.
    const features = runs(13, 35)
    for (let feature = 0; feature < features; feature++) {
      repo.git(['config', 'user.name', `Person ${feature % 10}`])
      const name = `f${feature}`
      work(repo, name)
      expect(await openHere(repo)).toEqual([])
      const first = await handOver(repo)
      expect(first.parents).toEqual([])
      repo.commit('more', { [`${name}-more.js`]: '1\n' })
      const second = await handOver(repo, { kind: feature % 3 === 0 ? 'done' : 'handoff' })
      expect(second.parents).toEqual([first.id])
      expect(await openHere(repo)).toEqual(feature % 3 === 0 ? [] : [second.id])
      const way = ways[feature % 3] as string
      if (way === '--ff-only') repo.tryGit(['rebase', '-q', 'main', name])
      if (way === '--squash') squash(repo, name)
      else {
        repo.git(['switch', '-q', 'main'])
        repo.git(['merge', '-q', way, ...(way === '--no-ff' ? ['--no-edit'] : []), name])
      }
      if (feature % 2 === 0) repo.git(['branch', '-q', '-D', name])
      expect(await openHere(repo)).toEqual([])
      if (feature % 6 === 5) pruneAll(repo)
    }
    const known = [...(await states(repo)).values()]
    expect(known).toHaveLength(2 * features)
    expect(known.filter((state) => state === 'open' || state === 'followed')).toEqual([])
    // The branches that were kept stay quiet, after their briefs were pruned, too.
    for (const at of [1, 3, 5, features - 2]) {
      repo.git(['switch', '-q', `f${at}`])
      expect(await openHere(repo)).toEqual([])
    }
  })
})
