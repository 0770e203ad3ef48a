import { describe, expect, it } from 'vitest'
import { edit, extract, gitState, inDirectory, prompt, read, reply, run, type Step } from './session.ts'

const git = gitState(['src/a.ts', 'src/b.ts', 'src/c.ts', 'src/d.ts'])
const since = (...steps: Step[]) => extract(steps, { git }).closing?.after
const atWork = (count: number) =>
  `The agent was still at work: ${count} tool ${count === 1 ? 'call' : 'calls'} came after it.`
const done = [prompt('Fix it.'), reply('It is fixed.')]

describe('a commit of code after the session', () => {
  const commit = { sha: 'c0ffee12'.repeat(5), subject: 'Let sub subtract', trailers: [], files: ['src/a.ts'] }
  const session = [prompt('Fix sub.'), run('npm test', 1, 'not ok 2'), reply('The test of sub fails.')]
  const committed = (at: string, files = commit.files) =>
    extract(session, { git: { ...git, commits: [{ ...commit, at, files }] } })

  it('makes what failed something that failed earlier', () => {
    const evidence = committed('2099-01-01T10:00:00+02:00')
    expect(evidence.closing?.after).toEqual(['After the session came a commit: `c0ffee12` Let sub subtract'])
    expect(evidence.questions.map(({ text }) => text)).toEqual([
      'Failed earlier, not run whole since: `npm test`',
    ])
    expect(evidence.commands).toMatchObject([{ command: 'npm test', outcome: 'unknown', exitCode: null }])
    // The commit may hold just what was checked.
    expect(evidence.lastCheck).toMatchObject({ outcome: 'failed' })
    expect(evidence.lastCheck).not.toHaveProperty('stale')
  })

  it('tells nothing of one in another repository than that of the session', () => {
    const elsewhere = (files: string[]) => {
      const commits = [{ ...commit, at: '2099-01-01T10:00:00Z' }]
      const there = gitState(files, { root: '/home/dev/new', worktrees: ['/home/dev/new'], commits })
      return extract([edit('src/a.ts'), edit('src/b.ts'), edit('README.md'), ...session], { git: there })
    }
    const evidence = elsewhere(['README.md', 'main.go'])
    expect(evidence.closing?.after).toEqual([])
    expect(evidence.lastCheck).not.toHaveProperty('stale')
    expect(evidence.files.map(({ path }) => path)).not.toContain('main.go')
    // Another checkout of the same repository.
    expect(elsewhere(['README.md', 'src/a.ts']).closing?.after).toHaveLength(1)
  })

  it.each([
    ['an earlier commit', committed('2000-01-01T10:00:00Z')],
    ['a commit of prose', committed('2099-01-01T10:00:00Z', ['README.md'])],
  ])('but not %s', (_, evidence) => {
    expect(evidence.closing?.after).toEqual([])
    expect(evidence.commands).toMatchObject([{ outcome: 'failed', exitCode: 1 }])
  })
})

describe('the last message', () => {
  it('is there when the agent said something, and not told a second time by its turn', () => {
    expect(extract([prompt('Fix it.')]).closing).toBeNull()
    const { closing, turns } = extract([
      prompt('Fix it.'),
      reply('I look.'),
      reply('Fixed.'),
      prompt('And b?'),
    ])
    expect(closing?.text).toBe('Fixed.')
    expect(turns.flatMap(({ steps }) => steps.map(({ text }) => text))).toEqual(['I look.'])
  })

  const REPORT =
    `The queue loses jobs, for nothing waits for the drain. ${'One more of its findings stands here. '.repeat(5)}`.trim()

  it('is the last one that says more than what comes next, and the word on the way stands below', () => {
    const closing = (...steps: Step[]) => extract([prompt('Fix it.'), ...steps], { git }).closing
    const underWay = [
      read('src/a.ts'),
      reply(REPORT),
      edit('src/a.ts'),
      reply('Good. Let me now run the tests.'),
    ]
    const told = [
      'After it the agent edited `src/a.ts`.',
      'The agent said last: "Good. Let me now run the tests."',
    ]
    expect(closing(...underWay)).toMatchObject({ text: REPORT, after: told })
    expect(closing(...underWay, run('npm test', null))).toMatchObject({ text: REPORT, after: told })
    // It was asked something else meanwhile.
    const asked = [reply(REPORT), prompt('And b?'), reply('Let me look at b.'), read('src/b.ts')]
    expect(closing(...asked)).toMatchObject({
      text: REPORT,
      after: [
        'The last request came after this message and has no answer yet.',
        atWork(1),
        'The agent said last: "Let me look at b."',
      ],
    })
  })

  it('is the last one where that ends the turn, or where none says more', () => {
    const closing = (...steps: Step[]) => extract([prompt('Fix it.'), ...steps], { git }).closing
    expect(closing(reply(REPORT), edit('src/a.ts'), reply('Done.'))).toMatchObject({
      text: 'Done.',
      after: [],
    })
    expect(closing(reply(REPORT), prompt('Leave b?'), reply("I'll leave b."))?.text).toBe("I'll leave b.")
    expect(closing(reply('Let me look.'), read('src/a.ts'))).toMatchObject({
      text: 'Let me look.',
      after: [atWork(1)],
    })
  })

  it.each<[string, Step[], string[]]>([
    ['nothing', [], []],
    [
      'an interrupt',
      [read('src/a.ts'), { kind: 'interrupt' }],
      ['After it the person interrupted the agent.'],
    ],
    ['a look', [read('src/a.ts'), run('cat src/a.ts')], [atWork(2)]],
    ['a request', [prompt('And b?')], ['The last request came after this message and has no answer yet.']],
    ['an edit', [edit('src/a.ts'), edit('src/a.ts')], ['After it the agent edited `src/a.ts`.']],
    [
      'many edits',
      ['a', 'b', 'c', 'd'].map((name) => edit(`src/${name}.ts`)),
      ['After it the agent edited `src/a.ts`, `src/b.ts`, `src/c.ts` and 1 more.'],
    ],
    ['a command that passed', [run('npm test', 1), run('npm run seed')], ['After it `npm run seed` passed.']],
    [
      'a command that failed',
      [run('npm test', 1, 'FAIL src/a.test.ts')],
      ['After it `npm test` failed: FAIL src/a.test.ts.'],
    ],
    ['a command elsewhere', [inDirectory('/srv/other', run('npm test'))].flat(), [atWork(1)]],
    ['a command without an end', [run('npm run dev', null)], [atWork(1)]],
    ['a handoff', [prompt('/handoff go on'), run('npx handoff create x')], []],
  ])('says what came after it: %s', (_, steps, told) => {
    expect(since(...done, ...steps)).toEqual(told)
  })

  it('says nothing of what came before it', () => {
    expect(since(prompt('Fix it.'), edit('src/a.ts'), run('npm run seed'), reply('It is fixed.'))).toEqual([])
  })
})

describe('a message that says that tests pass', () => {
  const claim = 'All 12 tests pass now.'
  it.each<[string, Step[], string, string[]]>([
    ['after a run', [edit('src/a.ts'), run('npm test')], claim, []],
    [
      'after lint only',
      [run('npm run lint')],
      claim,
      ['It says that tests pass; no test is on record in this session.'],
    ],
    [
      'after a failing run',
      [run('npm test', 1)],
      claim,
      ['It says that tests pass; the last run of `npm test` failed.'],
    ],
    [
      'before later edits',
      [run('npm test'), edit('src/a.ts')],
      'The test suite passes.',
      ['It says that tests pass; files were edited after the last run of `npm test`.'],
    ],
    [
      'after a commit whose hook ran them',
      [
        run('npm test'),
        edit('src/a.ts'),
        run('git commit -m a', 0, ' 12 pass\n 0 fail\n[main 1a2b3c4] a\n 1 file changed'),
      ],
      claim,
      [],
    ],
    [
      'before later edits, in a script written for one moment',
      [
        run('npm test', 1),
        run(
          `cat > a.py <<'PY'\n${'x = 1\n'.repeat(300)}PY\nuv run pytest tests -q 2>&1 | tail -5`,
          0,
          '12 passed in 1s',
        ),
        edit('src/a.ts'),
      ],
      claim,
      ['It says that tests pass; files were edited after the last run of `uv run pytest tests -q`.'],
    ],
    ['as a wish', [run('npm run lint')], 'Run it until all tests pass. Do the tests pass?', []],
    [
      'with those that failed',
      [run('npm run lint')],
      '80 of 84 tests pass. 3 failed, the other tests pass.',
      [],
    ],
    ['not at all', [run('npm run lint')], 'The password test is new.', []],
  ])('%s', (_, steps, text, told) => {
    expect(since(prompt('Fix it.'), ...steps, reply(text))).toEqual(told)
  })
})
