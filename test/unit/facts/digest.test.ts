import { describe, expect, it } from 'vitest'
import type { GitState } from '../../../src/types/git.ts'
import {
  bySub,
  commandOf,
  edit,
  extract,
  fileOf,
  gitState,
  inDirectory,
  paths,
  plan,
  prompt,
  ROOT,
  read,
  refusedRun,
  reply,
  run,
  type Step,
  search,
  texts,
} from './session.ts'

const git = gitState(['src/a.ts', 'src/b.ts', 'docs/x.md', 'lib/deep/only.ts', 'README.md', 'package.json'])
const of = (...steps: Step[]) => extract(steps, { git })

describe('rules of the person', () => {
  it.each([
    'Never push to main.',
    "Don't touch src/api.",
    'Keep the public names as they are.',
    'Always run the linter before you commit.',
    'You must not change the schema.',
    'Use pnpm instead of npm.',
    'Only edit files in src.',
  ])('keep "%s" word for word', (text) => {
    expect(texts(of(prompt(`Fix add. ${text}`)).constraints)).toEqual([text])
  })

  it('are not questions, code, logs, quotes, or what an agent or a subagent said', () => {
    const pasted = 'Look:\n```\nnever do that\n```\n> never quote\n2026-01-01T10:00 never log\n'
    expect(of(prompt(`${pasted}Should I never do that?`), reply('Never do that.')).constraints).toEqual([])
    expect(of(prompt('The branch path issues a ref-only push:')).constraints).toEqual([])
    expect(of(...bySub(prompt('Never write tests.'))).constraints).toEqual([])
  })

  it('stand once, the newest last, however long ago they were said', () => {
    const filler = Array.from({ length: 200 }, (_, i) => prompt(`Look at module ${i} and tell me more.`))
    const said = of(
      prompt('Never push to main.'),
      prompt('Always lint.'),
      prompt('Never push to main!'),
      ...filler,
    )
    expect(texts(said.constraints)).toEqual(['Always lint.', 'Never push to main!'])
  })

  it('hold the words with which a call was refused', () => {
    const refused = of(prompt('Clean up.'), refusedRun('rm -rf build', 'no', 'Never delete build by hand.'))
    expect(texts(refused.constraints)).toEqual(['Never delete build by hand.'])
    expect(refused.turns[0]?.steps).toMatchObject([
      { kind: 'refused', text: '`rm -rf build`: "Never delete build by hand."' },
    ])
  })
})

describe('decisions', () => {
  it('tell the question with its answer, and the options that were not taken', () => {
    const asked: Step[] = [
      { kind: 'question', id: 'q', text: 'Which store?', options: ['SQLite', 'Files'] },
      { kind: 'answer', id: 'q', text: 'SQLite' },
    ]
    expect(of(prompt('Build it.'), ...asked).decisions).toMatchObject([
      { what: 'Which store? → SQLite', alternatives: ['Files'], by: 'user' },
    ])
  })

  it.each(['2', 'Option 2.', 'option 2 please', 'go with 2'])(
    'resolve "%s" to the text of the option',
    (text) => {
      const offered = reply('Two ways:\n\n1. Patch the lexer\n2. Write a new parser\n\nWhich one?')
      expect(of(prompt('Plan.'), offered, prompt(text)).decisions[0]?.what).toBe(
        `"${text}" → 2. Write a new parser`,
      )
    },
  )

  it('tell an accepted plan with its headings, and a plan without an answer as a question', () => {
    const proposal = (accepted: boolean | null): Step => ({
      kind: 'proposal',
      text: '# Retry queue\n## Drain it',
      accepted,
    })
    expect(of(prompt('Plan.'), proposal(true)).decisions[0]?.what).toBe(
      'Plan accepted: Retry queue; Drain it',
    )
    const open = of(prompt('Plan.'), proposal(null))
    expect([open.decisions, open.questions[0]?.text]).toEqual([
      [],
      'Plan proposed last, not approved in this session: Retry queue; Drain it',
    ])
    expect(of(prompt('Plan.'), proposal(null), prompt('Do something else.')).questions).toEqual([])
  })

  it('keep an unanswered question open until the agent goes on or the person speaks', () => {
    const question: Step = { kind: 'question', id: 'q', text: 'Drop v1?', options: [] }
    expect(texts(of(prompt('Go.'), question).questions)).toEqual(['Drop v1?'])
    expect(of(prompt('Go.'), question, reply('I go on.')).questions).toEqual([])
    expect(of(prompt('Go.'), question, prompt('Wait.')).questions).toEqual([])
  })
})

describe('commands', () => {
  it.each([
    ['npm test', 'test'],
    ['cd web && npx vitest run src/a.test.ts', 'test'],
    ['go test ./...', 'test'],
    ['npm run lint', 'lint'],
    ['cargo clippy', 'lint'],
    ['make', 'build'],
    ['go build ./...', 'build'],
    ['node server.js', 'run'],
    ['npm ci', 'install'],
  ])('tell %s as %s', (command, kind) => {
    expect(of(prompt('Go.'), run(command)).commands).toMatchObject([{ command, kind, outcome: 'ok' }])
  })

  it.each([
    'ls -la',
    'cat src/a.ts',
    'git status',
    'rg foo',
    'python -c "print(1)"',
    `echo ${'x'.repeat(300)}`,
  ])('leave out %s', (command) => expect(of(prompt('Go.'), run(command)).commands).toEqual([]))

  it.each<[string, string, number, string, string]>([
    ['by its exit status', 'npm test', 1, '', 'failed'],
    ['by its output behind a pipe: failed', 'npm test | tail -3', 0, '2 failed, 3 passed', 'failed'],
    ['by its output behind a pipe: passed', 'npm test | tail -3', 0, '3 passed', 'ok'],
    [
      'as unknown where a pipe hides it and the output says nothing',
      'npm test | tail -1',
      0,
      'done',
      'unknown',
    ],
    [
      'as unknown where it went on in the background',
      'npm test',
      0,
      'Command running in background',
      'unknown',
    ],
  ])('judge a run %s', (_, command, code, output, outcome) => {
    expect(of(prompt('Go.'), run(command, code, output)).checks).toMatchObject([{ outcome }])
  })

  it('tell the last check with its first error, and that files were edited since', () => {
    const failed = [prompt('Go.'), run('npm test', 1, 'TAP version 13\nError: boom\nmore')]
    expect(of(...failed).lastCheck).toMatchObject({
      command: 'npm test',
      outcome: 'failed',
      firstError: 'Error: boom',
    })
    expect(texts(of(...failed).questions)).toEqual(['`npm test` failed (exit 1): Error: boom'])
    const stale = of(...failed, edit('src/a.ts'))
    expect([stale.lastCheck?.stale, stale.questions]).toEqual([true, []])
    expect(of(...failed, edit('README.md')).lastCheck?.stale).toBeUndefined()
  })

  it('forget a failure once a check of its kind passed', () => {
    const told = of(prompt('Go.'), run('npm test a', 1, 'FAIL a'), run('npm test'))
    expect([told.questions, told.lastCheck?.outcome]).toEqual([[], 'ok'])
  })

  it('take off the folder of a checkout that was recorded elsewhere', () => {
    const told = extract(
      [prompt('Go.'), ...inDirectory('/Users/ann/shop', run('cd /Users/ann/shop/api && go test ./...'))],
      {
        git: gitState(['api/main.go']),
        sessionCwd: '/Users/ann/shop',
      },
    )
    expect(commandOf(told, 'go test ./...')?.cwd).toBe('api')
  })
})

/** The commit of a session as git has it now. */
const NOW = {
  sha: '9'.repeat(40),
  subject: 'Fix add',
  at: '2026-01-02T04:00:00.000Z',
  trailers: [],
  files: ['src/a.ts'],
}
describe('what the session did with git', () => {
  const commit = (id: string, subject: string) =>
    run('git commit -am x', 0, `[fix/a ${id}] ${subject}\n 1 file changed`)

  it('tells commits with their branch, pushed or not, and edits since', () => {
    const made = of(prompt('Go.'), edit('src/a.ts'), commit('1a2b3c4', 'Fix add'))
    expect(made.work).toMatchObject({
      branch: 'fix/a',
      commits: [{ sha: '1a2b3c4', subject: 'Fix add', isPushed: null }],
      isEdited: false,
    })
    expect(made.turns[0]?.steps).toMatchObject([{ kind: 'commit', text: '`1a2b3c4` Fix add' }])
    expect(of(commit('1a2b3c4', 'Fix add'), run('git push')).work?.commits[0]?.isPushed).toBe(true)
    expect(of(commit('1a2b3c4', 'Fix add'), run('git push', 1)).work?.commits[0]?.isPushed).toBeNull()
    expect(of(commit('1a2b3c4', 'Fix add'), edit('src/a.ts')).work?.isEdited).toBe(true)
  })

  it.each([
    ['git push', true],
    ['git push -u origin fix/a', true],
    ['git push origin HEAD', true],
    ['git push origin fix/a:refs/heads/x', true],
    ['git push --dry-run', false],
    ['git push origin main', false],
    ['git status && git log', false],
  ])('takes a commit for pushed after %s: %s', (command, isPushed) => {
    const told = of(commit('1a2b3c4', 'Fix add'), run(command)).work?.commits[0]?.isPushed
    expect(told).toBe(isPushed || null)
  })

  it.each([
    ['no remote has a branch', [NOW], undefined, false],
    ['a remote has it, whoever pushed', [NOW], new Set<string>(), null],
    ['no remote has it', [NOW], new Set([NOW.sha]), false],
    ['git here does not have it', [], undefined, null],
  ])('says of a commit that it is not pushed only where git knows: %s', (_, commits, unpushed, isPushed) => {
    const git = { ...gitState(['src/a.ts'], { commits }), ...(unpushed && { unpushed }) }
    const told = extract([prompt('Go.'), commit('1a2b3c4', 'Fix add')], { git })
    expect(told.work?.commits[0]?.isPushed).toBe(isPushed)
  })

  it.each([
    [`git commit -qm "Don't cap it twice"`, ["Don't cap it twice"]],
    [`git commit -q -m "$(cat <<'EOF'\nCap it\n\nIt isn't capped.\nEOF\n)"`, ['Cap it']],
    [
      `git add a && git commit -q -F - <<'EOF'\nCap it\n\nIt isn't capped "twice".\nEOF\ngit add b && git commit -q -F - <<'EOF'\nTell it\nEOF`,
      ['Cap it', 'Tell it'],
    ],
  ])('takes the subject of a quiet commit from its message: %j', (line, subjects) => {
    expect(of(prompt('Go.'), run(line, 0, '')).work?.commits.map(({ subject }) => subject)).toEqual(subjects)
  })

  it('follows the session to another branch', () => {
    const switched = run(
      'git switch main',
      0,
      "Switched to branch 'main'\nYour branch is up to date with 'origin/main'.",
    )
    expect(of(commit('1a2b3c4', 'Fix add'), switched).work?.branch).toBe('main')
  })

  it('tells no id that an amend or a rebase replaced', () => {
    const amended = of(
      prompt('Go.'),
      commit('1a2b3c4', 'Fix add'),
      run('git commit --amend', 0, '[fix/a 5d6e7f8] Fix add'),
    )
    expect(JSON.stringify(amended)).not.toContain('1a2b3c4')
    expect(
      JSON.stringify(of(prompt('Go.'), commit('1a2b3c4', 'Fix add'), run('git rebase main'))),
    ).not.toContain('1a2b3c4')
  })

  it('asks git for the id that a commit has now', () => {
    const told = extract([prompt('Go.'), commit('1a2b3c4', 'Fix add')], {
      git: gitState(['src/a.ts'], { commits: [NOW] }),
    })
    expect(told.work?.commits[0]?.sha).toBe('9999999')
  })

  it('names pull requests and issues with their address', () => {
    const told = of(
      prompt('See https://github.com/o/r/pull/12 and issue #7.'),
      run('gh pr view 12'),
      run('gh pr status 2>&1'),
    )
    expect(told.references).toEqual([
      { name: 'PR #12', url: 'https://github.com/o/r/pull/12' },
      { name: 'Issue #7', url: null },
    ])
  })
})

describe('files', () => {
  it('list what was edited and read, edited often and last first', () => {
    const told = of(
      prompt('Go.'),
      read('docs/x.md'),
      edit('src/b.ts'),
      edit('src/a.ts'),
      prompt('On.'),
      edit('src/a.ts'),
    )
    expect(paths(told)).toEqual(['src/a.ts', 'src/b.ts', 'docs/x.md'])
    expect(fileOf(told, 'src/a.ts')?.reason).toBe('edited in the last turn')
    expect(fileOf(told, 'docs/x.md')?.reason).toBe('read once')
  })

  it.each([
    ["sed -i 's/a/b/' src/a.ts", 'edited'],
    ['echo x > src/a.ts', 'edited'],
    ['cat src/a.ts', 'read'],
    ['rg foo src/a.ts', 'command'],
    ["apply_patch <<'EOF'\n*** Update File: src/a.ts\nEOF", 'edited'],
  ])('know what a shell line does: %s', (command, evidence) => {
    expect(fileOf(of(prompt('Go.'), run(command)), 'src/a.ts')?.evidence).toContain(evidence)
  })

  it('do not count what failed, and follow what was moved', () => {
    expect(fileOf(of(prompt('Go.'), edit('src/a.ts', 'update', false)), 'src/a.ts')).toBeUndefined()
    expect(fileOf(of(prompt('Go.'), run('echo x > src/a.ts', 1)), 'src/a.ts')?.evidence).not.toContain(
      'edited',
    )
    const moved = extract([prompt('Go.'), edit('src/old.ts'), run('git mv src/old.ts src/a.ts')], { git })
    expect(paths(moved)).toEqual(['src/a.ts'])
    expect(fileOf(moved, 'src/a.ts')?.reason).toBe('edited once')
  })

  it.each([
    'git checkout -- src/a.ts',
    'git restore src/a.ts',
    'git checkout .',
    'git reset --hard',
    'git stash',
  ])('say that %s took an edit back, but not one that was committed', (command) => {
    expect(fileOf(of(prompt('Go.'), edit('src/a.ts'), run(command)), 'src/a.ts')?.reason).toBe(
      'edited, then reverted',
    )
    const kept = of(prompt('Go.'), edit('src/a.ts'), run('git commit -am x'), run(command))
    expect(fileOf(kept, 'src/a.ts')?.evidence).toContain('edited')
  })

  it('say that commits undid an edit, where git says so', () => {
    const commit = { sha: 'c'.repeat(40), subject: 'x', at: '', trailers: [], files: ['src/a.ts'] }
    const events = [prompt('Go.'), edit('src/a.ts')]
    const told = (effect: GitState['effect']) =>
      fileOf(extract(events, { git: { ...git, commits: [commit, commit], effect } }), 'src/a.ts')?.reason
    expect(told([])).toMatch(/^edited, then reverted/)
    expect(told([{ path: 'src/a.ts', kind: 'changed' }])).toBe('edited once')
    expect(told(null)).toBe('edited once')
  })

  it('list a file that words name only where one file has that name', () => {
    expect(
      paths(extract([prompt('See only.ts and x.md.')], { git, goal: 'mend only.ts as described' })),
    ).toEqual(['lib/deep/only.ts', 'docs/x.md'])
    const two = gitState(['a/x.md', 'b/x.md'])
    expect(paths(extract([prompt('See x.md.')], { git: two }))).toEqual([])
  })

  it('never list what is not there, what is built, or what handoff wrote', () => {
    const told = of(
      prompt('Look at src/ghost.ts and node_modules/x/index.js.'),
      run('cat src/ghost.ts node_modules/x/index.js', 1),
      edit('.handoff/latest.md'),
      read('.handoff/briefs/20260101T000000-00000001.md'),
    )
    expect(paths(told)).toEqual([])
  })

  it('name what was edited outside the repository, but not in a temporary folder', () => {
    const told = of(prompt('Go.'), edit('/home/dev/other/x.ts'), edit('/tmp/y.ts'))
    expect(told.limitations).toEqual(['1 file outside the repository edited: `~/other/x.ts`.'])
    expect(paths(told)).toEqual([])
  })

  it('find the paths of a session that was recorded in another checkout', () => {
    const there = '/Users/ann/code/shop'
    const steps = [prompt('Go.'), ...inDirectory(there, edit(`${there}/src/a.ts`), edit('src/b.ts'))]
    expect(paths(extract(steps, { git, sessionCwd: there })).sort()).toEqual(['src/a.ts', 'src/b.ts'])
  })

  it('tell uncommitted and untracked work of git, without a session too', () => {
    const changes = [{ path: 'src/a.ts', staged: false, unstaged: true, state: 'modified' as const }]
    expect(fileOf(extract([], { git: gitState(['src/a.ts'], { changes }) }), 'src/a.ts')).toMatchObject({
      evidence: ['uncommitted'],
      source: 'git',
    })
  })

  it('do not count what a subagent only looked at', () => {
    expect(paths(of(prompt('Go.'), ...bySub(read('src/a.ts'), search('src/b.ts'))))).toEqual([])
    expect(fileOf(of(prompt('Go.'), ...bySub(edit('src/a.ts'))), 'src/a.ts')?.reason).toBe('edited once')
  })
})

describe('the last message', () => {
  it('stands apart, with what came after it', () => {
    const told = of(
      prompt('Fix add.'),
      reply('add is fixed.'),
      edit('src/a.ts'),
      run('npm test', 1, 'Error: no'),
    )
    expect(told.closing).toMatchObject({
      text: 'add is fixed.',
      after: ['After it the agent edited `src/a.ts`.', 'After it `npm test` failed.'],
    })
    expect(told.turns[0]?.steps).toEqual([])
    expect(of(prompt('Go.'), reply('Yes?'), prompt('No.')).closing?.after).toEqual([
      'The last request came after this message and has no answer yet.',
    ])
    expect(of(prompt('Go.'), reply('On it.'), read('src/a.ts')).closing?.after).toEqual([
      'The agent was still at work: 1 tool call came after it.',
    ])
  })

  it('says that commits came after the session', () => {
    const commit = {
      sha: 'c'.repeat(40),
      subject: 'Mend sub',
      at: '2026-02-01T00:00:00.000Z',
      trailers: [],
      files: ['src/b.ts'],
    }
    const told = extract([prompt('Go.'), reply('Done.'), run('npm test')], {
      git: gitState(['src/b.ts'], { commits: [commit] }),
    })
    expect(told.closing?.after.at(-1)).toBe('After the session came a commit: `cccccccc` Mend sub')
    expect(told.lastCheck?.stale).toBe(true)
  })
})

describe('the plan of the agent', () => {
  it('is told while it is open and new', () => {
    const items = plan({ text: 'write tests', status: 'pending' }, { text: 'fix', status: 'done' })
    expect(of(prompt('Go.'), items).plan.map(({ text }) => text)).toEqual(['write tests'])
    expect(of(prompt('Go.'), items, prompt('A.'), prompt('B.'), prompt('C.')).plan).toEqual([])
  })
})

describe('a session that failed', () => {
  it('says so, unless the agent spoke again', () => {
    const failure: Step = { kind: 'failure', text: 'rate  limit' }
    expect(texts(of(prompt('Go.'), failure).questions)).toEqual([
      'The session ended with a failure of the agent: rate limit',
    ])
    expect(of(prompt('Go.'), failure, reply('I am back.')).questions).toEqual([])
  })
})

it('the folder of the session is the root where git is not there', () => {
  expect(paths(extract([prompt('Go.'), edit(`${ROOT}/src/a.ts`)], { git: null }))).toEqual(['src/a.ts'])
})
