import { describe, expect, it } from 'vitest'
import { defines, targetsOf } from '../../../src/verify/command-targets.ts'
import { expectLinear } from '../../growth.ts'

/** Kind, name and where it is looked for first; `!` where nothing else can be meant. */
const called = (command: string, cwd: string | null = null): string[] =>
  targetsOf(command, cwd).map(
    ({ kind, name, files, isSure }) => `${kind} ${name} in ${files[0]}${isSure ? '!' : ''}`,
  )

describe('what a command calls', () => {
  it.each([
    ['npm run build', ['script build in package.json!']],
    ['npm test -- queue', ['script test in package.json!']],
    ['npm t', ['script test in package.json!']],
    ['npm start', ['script start in package.json']],
    ['npm run', []],
    ['npm ci', []],
    ['npm --prefix web run build', ['script build in web/package.json!']],
    ['npm run build --workspace=web', []],
    ['npm run build --if-present', []],
    ['pnpm -C web test', ['script test in web/package.json']],
    ['pnpm --filter web build', []],
    ['yarn lint && yarn run test:unit', ['script lint in package.json', 'script test:unit in package.json']],
    ['bun run dev', ['script dev in package.json']],
    ['CI=1 timeout 60 npm run e2e 2>&1 | tail -5', ['script e2e in package.json!']],
    ['bash -lc "cd web && npm run build"', ['script build in web/package.json!']],
    ['make', []],
    ['make -j4 build CFLAGS=-O2', ['target build in GNUmakefile']],
    ['make -C native -f build.mk all', ['target all in native/build.mk']],
    ['just ship prod', ['recipe ship in justfile']],
    ['just --justfile ops/justfile ship', ['recipe ship in ops/justfile']],
    ['task gen seed', ['task gen in Taskfile.yml', 'task seed in Taskfile.yml']],
    ['./scripts/deploy.sh --dry', ['file scripts/deploy.sh in scripts/deploy.sh']],
    [
      'node tools/gen.mjs --out=src/x.ts',
      ['file tools/gen.mjs in tools/gen.mjs', 'file src/x.ts in src/x.ts'],
    ],
    ['pytest tests/test_a.py::test_b -k c', ['file tests/test_a.py in tests/test_a.py']],
    ['npx vitest run test/a.test.ts:12', ['file test/a.test.ts in test/a.test.ts']],
    ['go test ./pkg/queue/...', ['file pkg/queue in pkg/queue']],
    ['node a.ts > out/b.ts', ['file a.ts in a.ts']],
  ])('%s', (command, expected) => {
    expect(called(command)).toEqual(expected)
  })

  it('looks for a manifest from the folder upwards', () => {
    expect(targetsOf('npm test', 'a/b')[0]?.files).toEqual([
      'a/b/package.json',
      'a/package.json',
      'package.json',
    ])
    expect(called('cd web && npm run dev', 'apps')).toEqual(['script dev in apps/web/package.json!'])
    expect(called('cd .. && npm run dev', 'apps')).toEqual(['script dev in package.json!'])
  })

  it.each([
    'cd .. && npm test',
    'cd /srv/app && npm test',
    'cd "$DIR" && npm test',
    'cd ~/x && ./run.sh',
    '(cd web && npm run build) && npm test',
    'pushd web; npm test',
    'npm --prefix ../other test',
    'node ../x.js /etc/passwd ~/y.js https://example.com/z.js',
    'git add src/a.ts && gh pr view x/y',
    'cat src/a.ts',
    'npm run "$NAME"',
    '',
    '\u0000 `',
  ])('leaves alone what a shell would have to tell: %s', (command) => {
    expect(called(command)).toEqual([])
  })

  it('takes a line in time that grows with its length alone', async () => {
    await expectLinear(30, (n) => {
      targetsOf('npm run a && '.repeat(n), 'a/'.repeat(200).slice(0, -1))
      targetsOf(`make ${'x/y.z '.repeat(2 * n)}`, null)
    })
    expect(called(`npm test && ${'x'.repeat(4000)}`), 'a script, written for one moment').toEqual([])
  })
})

describe('what a file defines', () => {
  const script = { kind: 'script' as const, name: 'test' }
  const target = { kind: 'target' as const, name: 'build' }
  const recipe = { kind: 'recipe' as const, name: 'ship' }
  const task = { kind: 'task' as const, name: 'gen' }

  it.each([
    [script, '{"scripts":{"test":"x"}}', true],
    [script, '\ufeff{"scripts":{"tests":"x"}}', false],
    [script, '{}', false],
    [script, '[]', false],
    [script, '{"scripts":null}', false],
    [script, '<<<<<<< HEAD\n{}', null],
    [target, 'all: build\nbuild:\n\tx\n', true],
    [target, 'a build: c\r\n', true],
    [target, 'build:: x\n', true],
    [target, 'build := x\nbuild ::= y\nall: build\n', false],
    [target, '\tbuild: x\n# build: y\n', false],
    [target, 'include other.mk\n', null],
    [target, '-include other.mk\n', null],
    [target, '%.o: %.c\n', null],
    [target, '$(BINS): x\n', null],
    [target, 'X = $(shell a:b)\n', false],
    [recipe, 'ship target="x":\n  y\n', true],
    [recipe, '@ship *args: build\n', true],
    [recipe, 'alias ship := deploy\n', true],
    [recipe, 'ship := "1"\n', false],
    [recipe, 'import "other.just"\n', null],
    [recipe, 'mod ship\n', null],
    [task, 'version: 3\ntasks:\n  gen:\n    cmds: [x]\n', true],
    [task, "tasks:\n  'gen': x\n", true],
    [task, 'tasks:\n  other:\n    gen: x\nvars:\n  gen: x\n', false],
    [task, 'includes:\n  a: ./a\ntasks:\n  other: x\n', null],
  ])('%o in %j: %s', (called, text, expected) => {
    expect(defines(called, text)).toBe(expected)
  })

  it('comes to an end with a hostile text', () => {
    for (const char of ['%', ':', '$(', 'a ', '@', '\t', "'"])
      for (const one of [script, target, recipe, task]) {
        const text = char.repeat(250_000 / char.length)
        defines(one, text)
        defines(one, `tasks:\n  ${text}:`)
      }
  })
})
