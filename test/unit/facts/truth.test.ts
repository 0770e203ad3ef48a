import { describe, expect, it } from 'vitest'
import { besidePage } from '../../../src/brief/relevance.ts'
import { trailLines } from '../../../src/brief/trail.ts'
import { clipSentence } from '../../../src/text/blocks.ts'
import {
  edit,
  extract,
  gitState,
  inDirectory,
  paths,
  prompt,
  read,
  reply,
  run,
  type Step,
} from './session.ts'

const git = gitState(['src/a.ts', 'src/b.ts', 'package.json', '.editorconfig'])
const of = (...steps: Step[]) => extract(steps, { git })
const told = (...steps: Step[]): string => trailLines(of(...steps).turns, 0, '', 1_000).join('\n')

describe('a check', () => {
  it.each([
    [
      'a summary without failures below an error that a test prints',
      'error: boom\n 1309 pass\n 0 fail',
      'ok',
    ],
    ['one failure among many', 'FAIL a.test.ts\n 1 failed | 12 passed', 'failed'],
    ['an error of a compiler', 'src/a.ts(1,2): error TS2322: no', 'failed'],
    ['words of a linter', "Change 'x' is valid", 'ok'],
    [
      'a runner that broke down between tests',
      'ok 1 adds\nTypeError: t.match is not a function\n    at a.js:2',
      'failed',
    ],
    [
      'a script that failed behind tests that passed',
      ' 12 pass\nerror: script "lint" exited with code 1',
      'failed',
    ],
  ])('ends as its summary says: %s', (_, output, outcome) => {
    expect(of(prompt('Go.'), run('bun run test 2>&1 | tail -30', 0, output)).checks).toMatchObject([
      { outcome },
    ])
  })

  it('is not known by the status of a line that ends well whatever happened', () => {
    const quiet = (output: string) =>
      of(prompt('Go.'), run('npm run lint | grep "a.ts" || echo "No issues here"', 0, output))
    expect(quiet('src/a.ts').lastCheck).toBeNull()
    expect(quiet('No issues here').lastCheck).toBeNull()
    expect(quiet('0 errors\nNo issues here').lastCheck?.outcome).toBe('ok')
  })

  it('is proven by what the agent says next, and by nothing later', () => {
    const quiet = [prompt('Go.'), run('npm test | tail -1', 0, 'done')]
    expect(of(...quiet, reply('All 229 tests pass.')).lastCheck?.outcome).toBe('ok')
    expect(of(...quiet, reply('All but 2 tests pass, 2 fail.')).lastCheck).toBeNull()
    expect(of(...quiet, reply('I look.'), reply('All tests pass.')).lastCheck).toBeNull()
  })

  it.each([
    ['go build ./... && git add a.go && git diff --cached --stat', 'go build ./...'],
    ['npm run lint 2>&1 | tail -3; echo "--- exit: $? ---"; ls -R src', 'npm run lint'],
    ['cd web && npm test | tail -4 && git status', 'cd web && npm test'],
    ['# the tests once more\nnpm test', null],
    [
      "cat > t.py <<'EOF'\nimport a; a.b()\nEOF\npython -m pytest -q t.py | tail -4",
      'python -m pytest -q t.py',
    ],
    ["python - <<'EOF'\nimport test; test.build()\nEOF", null],
    ['CI=1 FORCE_COLOR=0 npm test', 'CI=1 FORCE_COLOR=0 npm test'],
    ['git add \\\n  src/a.test.ts \\\n  src/b.ts && git commit -m x', null],
    ['npm test | grep -E "Tests:|Suites:" | tail -2', 'npm test'],
  ])('is told without what stands beside it: %s', (line, command) => {
    expect(of(prompt('Go.'), run(line, 0, '3 passed')).lastCheck?.command ?? null).toBe(command)
  })
})

it.each([
  ['error: unrecognized subcommand "bun"', 2],
  ['/usr/bin/python: No module named pytest', 0],
])('lists no check of which nothing ran: %s', (output, code) => {
  const told = of(prompt('Go.'), run('python -m pytest tests | tail -2', code, output), edit('src/a.ts'))
  expect(told.commands).toEqual([])
})

it('lists a check without an outcome where it ran again', () => {
  const open = run('gofmt -l . | head', 0, '')
  const listed = (...steps: Step[]) => of(prompt('Go.'), ...steps).commands.map(({ command }) => command)
  expect(listed(open, run('go test ./...'))).toEqual(['go test ./...'])
  expect(listed(open, open)).toEqual(['gofmt -l .'])
})

it('offers no question to a service that failed behind a pipe', () => {
  const ask = (output: string) => run('gh pr view 531 --json state | head -3', 0, output)
  const listed = (output: string) =>
    extract([prompt('Go.'), ask(output)], { git, goal: 'Merge PR 531' }).commands
  expect(listed('failed to determine base repo: no remotes')).toEqual([])
  expect(listed('OPEN')).toHaveLength(1)
})

it('takes no command that only reads for a check, whatever its paths are called', () => {
  const line = "rtk proxy sed -n '446,520p' .github/workflows/build.yml"
  const looked = of(prompt('Go.'), run(line), run("rtk proxy sed -n '1,9p' openspec/specs/a/spec.md"))
  const closed = run('bd close av-1 --reason="Implemented the option with docs, schema and tests."')
  expect([looked.commands, of(prompt('Go.'), closed).lastCheck, looked.lastCheck]).toEqual([[], null, null])
  expect(of(prompt('Go.'), run('bash -lc "cd web && npm test"')).lastCheck?.outcome).toBe('ok')
})

it('says which checks passed before the last edit, and which edits those are', () => {
  const passed = [prompt('Go.'), edit('src/a.ts'), run('npm test', 0, '3 passed'), run('npm run lint')]
  const stale = (...more: Step[]) => of(...passed, ...more).commands.map((one) => one.stale ?? false)
  expect(stale(edit('src/b.ts'), run('npm run lint'))).toEqual([false, true])
  expect(stale(run('rm -rf /tmp/dogfood .agentv/results && cat a > /tmp/out.txt'))).toEqual([false, false])
  expect(stale(run('git rm src/b.ts'))).toEqual([true, true])
  const both = run('npm run lint && npm test', 0, '3 passed')
  expect(stale(edit('src/b.ts'), both, run('npm run lint; npm test | tail -1', 0, '3 passed'))).not.toContain(
    true,
  )
})

it('does not take the branch of another repository for the one that the session was last on', () => {
  const committed = inDirectory(
    '/home/dev/evidence',
    run('git commit -m x', 0, '[proof (root-commit) 1a2b3c4] x'),
  )
  const start: Step[] = [prompt('Go.'), run('git switch fix/a', 0, "Switched to branch 'fix/a'")]
  expect(of(...start, ...committed, run('git status')).work?.branch).toBe('fix/a')
  expect(
    of(...start, run('cd /home/dev/other && git switch b', 0, "Switched to branch 'b'")).work?.branch,
  ).toBe('fix/a')
})

it('says of a commit in which other repository it was made, and not that the session was on its branch', () => {
  const there = inDirectory(
    '/home/dev/infra',
    run('git checkout -b limits', 0, "Switched to a new branch 'limits'"),
    run('git commit -m x', 0, '[limits 1a2b3c4] Raise the limits'),
  )
  const { work } = of(prompt('Raise the limits.'), read('src/a.ts'), ...there)
  expect(work).toMatchObject({ branch: null, commits: [{ branch: 'limits', place: '~/infra' }] })
  const here = of(prompt('Go.'), run('git commit -m x', 0, '[fix 1a2b3c4] Mend it')).work
  expect([here?.branch, here?.commits[0]?.place]).toEqual(['fix', undefined])
})

it('tells of no clean work tree in a turn before the last', () => {
  const state = reply('The working tree is clean on `main`. The queue drops slots.')
  expect(told(prompt('Look.'), state, prompt('Mend it.'), edit('src/a.ts'), reply('Mended.'))).toMatch(
    /^- "Look\."\n {2}- The queue drops slots\.\n/,
  )
})

it('tells why a check failed by a line that says it, not by the rule above', () => {
  const output =
    '=========== FAILURES ===========\n____ test_add ____\nE   assert 3 == 4\n=== 1 failed in 0.1s ==='
  expect(of(prompt('Go.'), run('python -m pytest -q', 1, output)).lastCheck?.firstError).toBe(
    'E assert 3 == 4',
  )
})

it('asks nothing of a program that is not known here, nor of a line of which a part passed since', () => {
  const failing = (...steps: Step[]) => of(prompt('Go.'), ...steps).questions
  expect(failing(run('rtk bun run test', 2, "error: unrecognized subcommand 'bun'"))).toEqual([])
  const both = run('bun run test && bun run lint', 1, 'error: script "lint" exited with code 1')
  expect(failing(both)).toHaveLength(1)
  expect(failing(both, run('bun run lint:fix && bun run lint'))).toEqual([])
})

it('names the issue that the person asked about, not the end of a list of all', () => {
  const list = Array.from({ length: 30 }, (_, n) => `- Issue #${n + 400} is stale`).join('\n')
  const { references } = of(prompt('Is issue #386 stale?'), reply('It is not, see PR #390.'), reply(list))
  expect(references.map(({ name }) => name)).toEqual(['PR #390', 'Issue #386'])
})

it('takes a file of the goal for the one that the session touched, whatever its case', () => {
  const files = gitState(['docs/STATE.md', 'templates/state.md'])
  const found = extract([prompt('Go.'), edit('docs/STATE.md')], {
    git: files,
    goal: 'Update the note in state.md',
  })
  expect(paths(found)).toEqual(['docs/STATE.md'])
})

it('tells no pick that the person stopped before the agent said a word', () => {
  const stop: Step = { kind: 'interrupt' }
  const list = [prompt('What is left?'), reply('1. Mend the cache\n2. Split the room\nWhich one?')]
  expect(of(...list, prompt('2'), stop, prompt('1')).decisions).toMatchObject([
    { what: '"1" → 1. Mend the cache' },
  ])
  expect(of(...list, prompt('2'), reply('I split it.'), stop).decisions).toHaveLength(1)
})

it('takes an Agents.md of the goal for the one at the top alone', () => {
  const evidence = (...files: string[]) =>
    extract([prompt('Go.'), read('src/a.ts')], {
      git: gitState(['src/a.ts', ...files]),
      goal: 'Merge Agents.md',
    })
  expect(paths(evidence('test/fixtures/one/AGENTS.md'))).toEqual(['src/a.ts'])
  expect(paths(evidence('test/fixtures/one/AGENTS.md', 'AGENTS.md'))).toContain('AGENTS.md')
})

it('tells of no command as under way once the agent spoke', () => {
  const started = [prompt('Go.'), run('npm run dev', null)]
  expect(of(...started).work?.running).toBe('npm run dev')
  expect(of(...started, reply('It is up.')).work?.running).toBeUndefined()
})

describe('commits of the session', () => {
  it('are none that a line made in a repository of its own', () => {
    const line = 'cd /tmp && mkdir try && cd try && git init && git commit -am initial && app reset'
    const { work } = of(
      prompt('Go.'),
      edit('src/a.ts'),
      run(line, 0, '[master (root-commit) 83cc426] initial'),
    )
    expect([work?.commits, work?.isEdited]).toEqual([[], true])
  })
  const commit = (id: string) => run('git commit -m x', 0, `[fix/a ${id}] Fix add\n 1 file changed`)
  it('are told by no id that was rewritten, also in words of the agent, pushed or not', () => {
    const steps = [prompt('Go.'), commit('1a2b3c4'), run('git push'), reply('Committed as `1a2b3c4`.')]
    const amended = run('git commit --amend', 0, '[fix/a 5d6e7f8] Fix add')
    expect(JSON.stringify(of(...steps, amended, prompt('Next.'), reply('Done.')))).not.toContain('1a2b3c4')
    expect(JSON.stringify(of(...steps, run('git reset src/a.ts'), reply('Done.')))).toContain('1a2b3c4')
  })
  it('count when git was quiet', () => {
    const work = of(prompt('Go.'), edit('src/a.ts'), run('git add . && git commit -qm "Cap the delay"')).work
    expect(work).toMatchObject({ commits: [{ sha: null, subject: 'Cap the delay' }], isEdited: false })
  })
  it('do not when they were made in a worktree of their own', () => {
    const line = 'git worktree add -q --detach /tmp/w && cd /tmp/w && git commit -qam "Cap the delay"'
    expect(of(prompt('Go.'), run(line)).work?.commits).toEqual([])
  })
})

it('does not tell an accepted plan beside a page, which says what became of it', () => {
  const steps = [
    prompt('Plan.'),
    { kind: 'proposal', text: '# Retry queue\n## Drain it\n## Cap it', accepted: true } as const,
    prompt('Only the cap, please.'),
    reply('The cap stands.'),
  ]
  const evidence = of(...steps)
  expect(JSON.stringify(evidence.decisions)).toContain('Plan accepted')
  expect(besidePage(evidence, 'The cap of the delay stands in src/a.ts.').decisions).toEqual([])
})

describe('what was overturned', () => {
  const report = `${'The retry loop was looked at from all sides. '.repeat(5)}\n\nThe cap in a.ts is wrong.`
  it('is no paragraph on a file that the person came back to and that was changed since', () => {
    const first = [prompt('Review the queue.'), reply(report)]
    const back = [
      prompt('Change src/a.ts as you think.'),
      edit('src/a.ts'),
      reply(`Changed. ${report.slice(0, 210)}`),
    ]
    const end = [prompt('Thanks.'), reply('Fine.')]
    expect(told(...first, ...end)).toContain('The cap in a.ts is wrong')
    expect(told(...first, ...back, ...end)).not.toContain('The cap in a.ts is wrong')
  })
  it('is no question that the person went on after', () => {
    const asked = [prompt('Look at the queue.'), reply(`${report}\n\nShall I cap it there?`)]
    const next = [prompt('Is the cache right?'), reply('The cache is fine.')]
    expect(told(...asked, ...next)).toContain('The cap in a.ts is wrong')
    expect(told(...asked, ...next)).not.toContain('Shall I cap it')
    expect(of(...asked).closing?.text).toContain('Shall I cap it')
  })
  it.each([
    ['repair all of that', true],
    ['OK. Do the 3 changes that you suggest separately.', true],
    ['yes, all 3', true],
    ['no, leave them', false],
    ['what about the queue?', false],
  ])('is nothing that was found and then done: %s', (request, isDone) => {
    const found = `Two findings. The cap is applied before the jitter. ${report} Shall I mend it?`
    const turns = [
      prompt('Review it.'),
      reply(found),
      prompt(request),
      edit('src/a.ts'),
      reply(`Mended. ${report}`),
    ]
    const end = [prompt('Thanks.'), reply('Fine.')]
    expect(told(...turns, ...end).includes('before the jitter')).toBe(!isDone)
    // Nothing was changed.
    expect(told(...turns.toSpliced(3, 1), ...end)).toContain('before the jitter')
  })
})

describe('a line of checks', () => {
  const checks = (exit: number) =>
    of(prompt('Go.'), run('cd web && npm run lint && git diff --stat && npm test', exit, 'x')).checks
  it('that passed is each of them, so that none stands beside a line that holds it', () => {
    const each = ['cd web && npm run lint', 'cd web && npm test']
    expect(checks(0).map(({ command }) => command)).toEqual(each)
    const again = of(prompt('Go.'), run('npm run lint && npm test'), run('npm run lint'))
    expect(again.commands.map(({ command }) => command)).toEqual(['npm run lint', 'npm test'])
  })
  it('that failed stays whole: which one did is not known', () => {
    expect(checks(1).map(({ command }) => command)).toEqual(['cd web && npm run lint && npm test'])
  })
})

it('cuts no request before what it forbids', () => {
  const long = `${'Port the queue to the wheel. '.repeat(4)}Do not touch the billing jobs. And then more of it.`
  expect(clipSentence(long, 118)).toContain('Do not touch the billing jobs.')
})
