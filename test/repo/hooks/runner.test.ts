import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  gitHookLine,
  hookLine,
  hookLineOf,
  mcpServer,
  NOT_SET_UP,
  notSetUpLine,
  runnerText,
  withoutLines,
} from '../../../src/hooks/runner.ts'
import { HOOK_ALIAS } from '../../../src/workspace/keep-program.ts'
import { byNight, sampled } from '../../sampled.ts'
import { makeRepo, type TempRepo } from '../make-repo.ts'

/** Stands for node and for the program at once: it tells how it was called and what came in. */
const TELLS = `#!/bin/sh
echo "called: $*; certs: [$NODE_EXTRA_CA_CERTS]"
cat
`

/** What `init` sets beside the runner. */
const ALIASES = [
  ['handoff.hooks', '.'],
  ['alias.handoff-hook', HOOK_ALIAS],
] as const

/** A clone with a runner that calls a stand-in; a quote and a space in every path, and what one of Windows has. */
function setUp(
  options: { node?: string } = {},
): TempRepo & { node: string; program: string; runner: string } {
  const repo = makeRepo({ name: "it's a repo" })
  const tools = join(repo.base, "C:\\Program ol's")
  mkdirSync(tools)
  const node = join(tools, 'node')
  const program = join(tools, 'handoff.cjs')
  writeFileSync(node, options.node ?? TELLS)
  chmodSync(node, 0o755)
  writeFileSync(program, '')
  const runner = join(repo.root, '.git/handoff/hook')
  mkdirSync(join(repo.root, '.git/handoff'))
  writeFileSync(runner, runnerText({ node, program }))
  for (const [key, value] of ALIASES) repo.git(['config', key, value])
  return Object.assign(repo, { node, program, runner })
}

function call(repo: TempRepo, command: string, options: { cwd?: string; env?: Record<string, string> } = {}) {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], {
    cwd: options.cwd ?? repo.root,
    env: { ...repo.env, NODE_EXTRA_CA_CERTS: '/certs.pem', ...options.env },
    input: '{"payload":1}',
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

it('U-M7, TL-7: what a client shows of a hook is one short line without a script, of git a line', () => {
  for (const agent of ['claude-code', 'copilot-cli']) {
    const lines = (['session-start', 'prompt', 'stop', 'pre-compact', 'session-end'] as const).map((event) =>
      hookLine(agent, event),
    )
    for (const line of lines) expect(line).toMatch(/^git [\w.=/ -]{1,130}$/)
  }
  for (const event of ['pre-commit', 'post-checkout', 'post-merge', 'post-rewrite'] as const)
    expect(gitHookLine(event, '"$@"').length).toBeLessThanOrEqual(320)
})

/** A line in words, as PowerShell takes it to a program: what stands in single quotes as it is, `''` for one of them. */
const powerShellWords = (line: string): string[] =>
  [...line.matchAll(/'((?:[^']|'')*)'|[^\s'"`$;|&(){}]+/g)].map(
    ([word, quoted]) => quoted?.replaceAll("''", "'") ?? word,
  )

/** A test for each shell. Not every machine has every one: then the name says that it was not run. */
function shellTests(shells: readonly string[], name: string, body: (shell: string) => void): void {
  for (const shell of shells) {
    const [program = ''] = shell.split(' ')
    if (spawnSync(program, ['-c', 'exit']).error === undefined) it(`${name} ${shell}`, () => body(shell))
    else it.skip(`${name} ${shell} [not run: it is not installed]`, () => body(shell))
  }
}

/** As it was written before; the last two have an answer. */
const FORMER = [
  "git -c safe.bareRepository=explicit -c 'alias.handoff-hook=!unset GIT_DIR; set -f; IFS=; cd ./$GIT_PREFIX; d=$(git rev-parse --git-common-dir 2>/dev/null) && unset GIT_CONFIG_PARAMETERS && [ -f $d/handoff/hook ] && exec sh $d/handoff/hook codex session-start || exit 0' handoff-hook",
  "git -c safe.bareRepository=explicit -c 'alias.handoff-hook=!set -f; IFS=; h=$(git rev-parse --git-common-dir 2>/dev/null)/handoff/hook || exit 0; [ ! -f $h ] || exec sh $h codex session-start' handoff-hook",
  `git -c safe.bareRepository=explicit -c 'alias.handoff-hook=!set -f; IFS=; h=$(git rev-parse --git-common-dir 2>/dev/null)/handoff/hook || exit 0; [ ! -f $h ] || exec sh $h codex session-start; [ 0$HANDOFF != 00 ] && mkdir -m 700 \${h%/hook} 2>/dev/null && git for-each-ref --count=1 --format=%7B%22a%22%3A1%7D; exit 0' handoff-hook`,
  `git -c safe.bareRepository=explicit -c 'alias.handoff-hook=!IFS=; h=$(git rev-parse --git-common-dir 2>/dev/null)/handoff || exit 0; [ ! -f $h/hook ] || exec sh $h/hook codex session-start; [ 0$HANDOFF = 00 ] || ! mkdir -m 700 $h 2>/dev/null || git for-each-ref --count=1 --format={%22a%22:%22$1%22}; :' handoff-hook '${NOT_SET_UP}'`,
]
const start = hookLine('codex', 'session-start')
const ANSWER = `{"systemMessage":"${NOT_SET_UP}"}\n`
const note = notSetUpLine('codex', '{"systemMessage":"TEXT"}\n')
const silent = { status: 0, stdout: '', stderr: '' }

describe('the hook line', () => {
  it('is the same in every version: Codex asks for trust again when it changes', () => {
    expect(start).toBe(
      'git -c safe.bareRepository=explicit for-each-repo --config=handoff.hooks handoff-hook codex session-start',
    )
  })

  it('means the same to sh, fish and PowerShell, and is known as earlier versions wrote it', () => {
    // Each of them takes what stands in single quotes as it is; PowerShell 5 loses double quotes on the way to a program.
    expect(note.split("'")).toHaveLength(5)
    expect(note).not.toMatch(/["\\]/)
    expect(start).not.toMatch(/['"\\$;|]/)
    const lines = [start, ...FORMER, ...FORMER.map((line) => ({ args: ['-c', line] }))]
    expect(lines.map(hookLineOf)).toEqual(lines.map(() => 'codex session-start'))
    expect(withoutLines({ a: FORMER, b: 1 })).toEqual({ a: FORMER.map(() => 'codex session-start'), b: 1 })
    expect(hookLineOf(note)).toBe('codex not-set-up')
  })

  it('does nothing outside of a repository and where there is no git; the one beside it says once where there is no runner', () => {
    const repo = makeRepo({ name: "it's a repo" })
    const off = { env: { HANDOFF: '0' } }
    for (const line of [start, note]) expect(call(repo, line, { cwd: repo.base })).toEqual(silent)
    expect(call(repo, note, off)).toEqual(silent)
    expect(call(repo, start)).toEqual(silent)
    expect(call(repo, note)).toEqual({ ...silent, stdout: ANSWER })
    expect(call(repo, note)).toEqual(silent)
    expect(call(repo, `${gitHookLine('post-merge')} 1`)).toEqual(silent)
    expect(readdirSync(join(repo.root, '.git/handoff'))).toEqual([])
    expect(statSync(join(repo.root, '.git/handoff')).mode & 0o777).toBe(0o700)
    const there = setUp()
    expect(call(there, note)).toEqual(silent)
    for (const line of [start, note]) {
      expect(call(there, line, { env: { PATH: '/nowhere' } }).status).not.toBe(2)
      expect(spawnSync('/bin/sh', ['-c', line], { env: { PATH: '/nowhere' } }).stdout.toString()).toBe('')
    }
  })

  it('finds the runner from a subdirectory and from a linked worktree', () => {
    const repo = setUp()
    repo.write('.handoff/briefs/x.md', 'x')
    repo.write('sub/deep/b.txt', 'b')
    repo.commit('brief', {})
    const tree = join(repo.base, 'tr ee')
    repo.git(['worktree', 'add', '-q', '-b', 'other', tree])
    const told = 'hook session-start --agent codex; certs: []\n{"payload":1}'
    expect(call(repo, start, { cwd: join(repo.root, 'sub/deep') }).stdout).toContain(told)
    expect(call(repo, start, { cwd: tree }).stdout).toContain(told)
    // Where the program is passed on whole.
    expect(call(repo, start).stdout).toBe(`called: ${repo.program} ${told}`)
    for (const cwd of [join(repo.root, 'sub/deep'), tree]) expect(call(repo, note, { cwd })).toEqual(silent)
  })

  byNight('finds that of a submodule, which has its own', () => {
    const [repo, other] = [setUp(), makeRepo()]
    repo.git(['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', other.root, 'part'])
    const part = join(repo.root, 'part')
    expect([start, note].map((line) => call(repo, line, { cwd: part }).stdout)).toEqual(['', ANSWER])
    const own = join(repo.root, '.git/modules/part')
    mkdirSync(join(own, 'handoff'), { recursive: true })
    writeFileSync(join(own, 'handoff/hook'), 'echo "own: $*"\n')
    for (const [key, value] of ALIASES) repo.git(['config', '-f', join(own, 'config'), key, value])
    expect(call(repo, start, { cwd: part }).stdout).toBe('own: codex session-start\n')
  })

  it('takes no runner from a folder that only looks like a repository', () => {
    const repo = makeRepo()
    const trap = join(repo.root, 'trap')
    repo.git(['init', '-q', '--bare', trap])
    mkdirSync(join(trap, 'handoff'))
    writeFileSync(join(trap, 'handoff/hook'), 'echo caught')
    repo.git(['config', '-f', join(trap, 'config'), 'alias.handoff-hook', '!echo caught'])
    repo.git(['config', '-f', join(trap, 'config'), 'handoff.hooks', '.'])
    for (const line of [start, note]) expect(call(repo, line, { cwd: trap })).toEqual(silent)
    expect(readdirSync(join(trap, 'handoff'))).toEqual(['hook'])
  })
})

describe('the runner', () => {
  it('starts no node at the start of a session that has nothing to pick up', () => {
    const repo = setUp()
    expect(call(repo, start)).toEqual(silent)
    mkdirSync(join(repo.root, '.handoff/briefs'), { recursive: true })
    expect(call(repo, start)).toEqual(silent)
  })

  it.each(
    sampled<[string, (repo: TempRepo) => void]>(
      [
        ['a brief', (repo) => repo.write('.handoff/briefs/one.md', '')],
        ['a parked brief', (repo) => repo.git(['update-ref', 'refs/handoff/one', 'HEAD'])],
        [
          'a parked brief in packed refs',
          (repo) => {
            repo.git(['update-ref', 'refs/handoff/one', 'HEAD'])
            repo.git(['pack-refs', '--all'])
          },
        ],
        ['a branch of briefs', (repo) => repo.git(['update-ref', 'refs/heads/handoff/main', 'HEAD'])],
        [
          'a fetched branch of briefs',
          (repo) => repo.git(['update-ref', 'refs/remotes/origin/handoff/main', 'HEAD']),
        ],
        ['a request', (repo) => repo.write('.git/handoff/pending/one.json', '{}')],
      ],
      2,
    ),
  )('starts it for %s, without the certificates that it would read', (_, make) => {
    const repo = setUp()
    make(repo)
    expect(call(repo, start).stdout).toContain('hook session-start --agent codex; certs: []')
  })

  it('starts it for every other event', () => {
    const repo = setUp()
    for (const event of ['prompt', 'stop', 'pre-compact', 'session-end', 'interrupt'] as const)
      expect(call(repo, hookLine('codex', event)).stdout).toContain(`hook ${event} --agent codex`)
  })

  it('does nothing with HANDOFF=0', () => {
    const repo = setUp()
    repo.write('.handoff/briefs/one.md', '')
    for (const event of ['session-start', 'stop'] as const)
      expect(call(repo, hookLine('codex', event), { env: { HANDOFF: '0' } })).toEqual(silent)
  })

  it('never fails what it hooks into', () => {
    const repo = setUp({ node: '#!/bin/sh\nexit 2\n' })
    expect(call(repo, hookLine('codex', 'prompt'))).toEqual(silent)
  })

  it('does nothing when its program is gone, whatever PATH has', () => {
    const repo = setUp()
    rmSync(repo.program)
    expect(call(repo, hookLine('codex', 'stop'))).toEqual(silent)
    const bin = join(repo.base, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'git-handoff'), '#!/bin/sh\necho "on PATH: $*"\n')
    chmodSync(join(bin, 'git-handoff'), 0o755)
    const env = { PATH: `${bin}:${repo.env.PATH}` }
    expect(call(repo, hookLine('codex', 'stop'), { env })).toEqual(silent)
  })

  it('S1: takes the node on PATH when its own is gone, but none of the work tree', () => {
    const repo = setUp()
    rmSync(repo.node)
    const bin = join(repo.base, 'bin')
    const own = join(repo.root, 'tools')
    for (const [folder, text] of [
      [bin, TELLS],
      [own, '#!/bin/sh\necho caught\n'],
      [join(repo.base, 'node_modules/.bin'), '#!/bin/sh\necho caught\n'],
    ] as const) {
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, 'node'), text)
      chmodSync(join(folder, 'node'), 0o755)
    }
    symlinkSync(own, join(repo.base, 'link'))
    const traps = `${own}:tools:${repo.base}/link:${repo.base}/node_modules/.bin`
    const env = { PATH: `${traps}:${bin}:${repo.env.PATH}` }
    expect(call(repo, hookLine('codex', 'stop'), { env }).stdout).toContain(
      `called: ${repo.program} hook stop`,
    )
  })

  it('starts the MCP server of the clone, also with HANDOFF=0; where there is none, it says what to do', () => {
    const repo = setUp()
    const run = (env: Record<string, string> = {}) => {
      const { command, args } = mcpServer('codex')
      const options = { cwd: repo.root, env: { ...repo.env, ...env }, input: '', encoding: 'utf8' } as const
      const { status, stdout, stderr } = spawnSync(command, args, options)
      return { status, stdout, stderr }
    }
    expect(run({ HANDOFF: '0' }).stdout).toContain(`called: ${repo.program} mcp;`)
    rmSync(repo.runner)
    expect(run()).toEqual({ status: 1, stdout: '', stderr: `${NOT_SET_UP}\n` })
  })

  byNight('starts the settings of an earlier version as well', () => {
    const repo = setUp()
    repo.write('.handoff/briefs/one.md', '')
    repo.write('sub/a.txt', 'a')
    for (const line of FORMER)
      expect(call(repo, line, { cwd: join(repo.root, 'sub') }).stdout).toContain(
        'hook session-start --agent codex',
      )
  })

  it('is started without a shell and without sh on PATH, as on Windows: git brings its own', () => {
    const repo = setUp()
    repo.write('.handoff/briefs/one.md', '')
    const [bin, own] = [join(repo.base, 'bin'), join(repo.base, 'git-core')]
    for (const folder of [bin, own]) mkdirSync(folder)
    const place = (name: string): string =>
      execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim()
    symlinkSync(place('git'), join(bin, 'git'))
    // Git puts this folder before PATH for its aliases, as that for Windows does with its tools.
    for (const name of ['sh', 'mkdir', 'cat']) symlinkSync(place(name), join(own, name))
    const env = { ...repo.env, PATH: bin, GIT_EXEC_PATH: own }
    const run = ([program = '', ...args]: readonly string[], cwd = repo.root) =>
      spawnSync(program, args, { cwd, env, input: '{}', encoding: 'utf8' })
    expect(run(['sh', '-c', ':']).error).toMatchObject({ code: 'ENOENT' })
    const words = powerShellWords(start)
    expect(run(words).stdout).toContain('hook session-start --agent codex; certs: []\n{}')
    const { command, args } = mcpServer('codex')
    expect(run([command, ...args]).stdout).toContain(`called: ${repo.program} mcp;`)
    rmSync(join(repo.root, '.git/handoff'), { recursive: true })
    // A failure would keep the person's prompt from the agent.
    expect(run(words)).toMatchObject({ status: 0, stdout: '', stderr: '' })
    expect(run(powerShellWords(note))).toMatchObject({ status: 0, stdout: ANSWER, stderr: '' })
  })

  // The shell of some persons, and that of agents on Windows.
  shellTests(['fish', 'pwsh'], 'is started by the line in', (shell) => {
    const repo = setUp()
    repo.write('.handoff/briefs/one.md', '')
    repo.write('a b/c.txt', '')
    const cwd = join(repo.root, 'a b')
    const { stdout } = spawnSync(shell, ['-c', start], { cwd, env: repo.env, input: '{}', encoding: 'utf8' })
    expect(stdout).toContain('hook session-start --agent codex; certs: []\n{}')
    rmSync(join(repo.root, '.git/handoff'), { recursive: true })
    expect(spawnSync(shell, ['-c', note], { cwd, env: repo.env, encoding: 'utf8' }).stdout).toBe(ANSWER)
  })

  shellTests(['dash', 'bash --posix', 'busybox sh', 'ksh', 'zsh'], 'is understood by', (shell) => {
    const [name = '', ...args] = shell.split(' ')
    const repo = setUp()
    repo.write('.handoff/briefs/one.md', '')
    const run = (more: string[]) =>
      spawnSync(name, [...args, ...more], { cwd: repo.root, env: repo.env, input: '', encoding: 'utf8' })
    expect(run(['-c', start]).stdout).toContain('hook session-start --agent codex')
    expect(run(['-c', note])).toMatchObject({ status: 0, stdout: '', stderr: '' })
    // It is always called as `sh`; zsh is one only when it is told so.
    const asSh = name === 'zsh' ? ['--emulate', 'sh'] : []
    expect(run([...asSh, repo.runner, 'codex', 'session-start']).stdout).toContain(
      'hook session-start --agent codex',
    )
    // The line for hooks of git holds a script for it.
    const [, script = ''] = /^sh -c '(.*)' handoff$/.exec(gitHookLine('post-merge')) ?? []
    const merged = () => run([...asSh, '-c', script, 'handoff', '0'])
    expect(merged().stdout).toContain('hook post-merge -- 0')
    rmSync(join(repo.root, '.git/handoff'), { recursive: true })
    expect([merged(), merged()].map(({ status, stderr }) => [status, stderr.split('\n').length])).toEqual([
      [0, 2],
      [0, 1],
    ])
  })
})
