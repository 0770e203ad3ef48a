import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { commands } from '../../../src/commands/table.ts'
import { shellWord } from '../../../src/text/safe-text.ts'
import { install } from '../../e2e/install-package.ts'
import { pack } from '../../e2e/packed.ts'
import { openRegistry } from '../../e2e/registry.ts'
import { atFolder, makeEnv, makeRepo, type TempRepo } from '../../repo/make-repo.ts'
import { byNight, sampled } from '../../sampled.ts'

/** What a branch holds so that npx runs its code; `ran` is a file that this code writes, `evil` a registry of its own. */
const FORMS: Record<string, (repo: TempRepo, at: { ran: string; evil: string }) => void> = {
  'programs in node_modules': (repo, { ran }) => {
    for (const name of ['git-handoff', 'handoff', 'node', 'npm', 'npx', 'sh', 'git'])
      script(repo, `node_modules/.bin/${name}`, ran)
    script(repo, 'git-handoff', ran)
  },
  'a package of our name': (repo, { ran }) => {
    script(repo, 'evil.sh', ran)
    const bin = { 'git-handoff': 'evil.sh', handoff: 'evil.sh' }
    repo.write('package.json', JSON.stringify({ name: 'git-handoff', version: '9.9.9', bin }))
  },
  'node-options': (repo, { ran }) => {
    repo.write('evil.cjs', `require('node:fs').appendFileSync(${JSON.stringify(ran)}, 'node-options\\n')\n`)
    repo.write('.npmrc', 'node-options=--require ./evil.cjs\n')
  },
  'script-shell': (repo, { ran }) => {
    script(repo, 'evil.sh', ran)
    repo.write('.npmrc', 'script-shell=./evil.sh\n')
  },
  registry: (repo, { evil }) => repo.write('.npmrc', `registry=${evil}\n`),
}

function script(repo: TempRepo, path: string, ran: string): void {
  repo.write(path, `#!/bin/sh\necho "${path} $*" >> ${shellWord(ran)}\n`)
  chmodSync(join(repo.root, path), 0o755)
}

interface Scene {
  repo: TempRepo
  /** Of handoff, as npx would have fetched it. */
  program: string
  /** What the hostile code did. */
  trace: () => string
}

/** A clone of a team that checks out a hostile branch with a stranger's brief; `knows`: somebody ran `init` in it. */
async function checkOut(form: keyof typeof FORMS, knows: boolean): Promise<Scene> {
  const author = makeRepo({ name: 'author' })
  const { base } = author
  const { tarball, version } = await pack(base)
  const program = install(join(base, 'home/.npm/_npx/0a1b/node_modules'), 'npm')
  const ran = join(base, 'ran')
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    response.statusCode = 404
    response.end('{}')
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void server.close())
  const evil = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const { url } = await openRegistry(tarball, version)

  const call = (repo: TempRepo, ...args: string[]) =>
    run(repo, `${shellWord(process.execPath)} ${shellWord(program)} ${args.map(shellWord).join(' ')}`)
  if (knows) await call(author, 'init', '--yes', '--agent', 'all', '--git-hooks', 'none', '--ci', 'github')
  author.commit('set up', {})
  author.git(['add', '-A'])
  author.git(['commit', '-q', '-m', 'files', '--allow-empty'])
  author.git(['switch', '-q', '-c', 'hostile'])
  FORMS[form]?.(author, { ran, evil })
  author.git(['add', '-A', '-f'])
  author.git(['commit', '-q', '-m', 'hostile'])
  await call(author, 'create', 'count the cap of the retry queue in the manual', '--from', 'git', '--no-ask')
  const env = makeEnv(join(base, 'victim'))
  writeFileSync(
    join(base, 'victim/.npmrc'),
    `registry=${url}\nprefix=${join(base, 'global')}\naudit=false\nfund=false\nupdate-notifier=false\nprefer-offline=true\n`,
  )
  author.git(['clone', '-q', '-b', 'main', `file://${author.root}`, join(base, 'a clone')])
  const repo = atFolder(base, join(base, 'a clone'), env)
  if (knows) await call(repo, 'init', '--yes', '--agent', 'all')
  return {
    repo,
    program,
    trace: () => (existsSync(ran) ? readFileSync(ran, 'utf8') : '') + asked.join('\n'),
  }
}

/** A line of shell as a person types it at the top of a checkout, or in another folder. */
async function run(repo: TempRepo, line: string, options: { input?: string; cwd?: string } = {}) {
  const env = {
    ...repo.env,
    PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    GIT_EDITOR: 'true',
  }
  const child = spawn('/bin/sh', ['-c', line], { cwd: options.cwd ?? repo.root, env, timeout: 60_000 })
  let said = ''
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  child.stdin.on('error', () => undefined)
  child.stdin.end(options.input ?? '')
  const code = await new Promise<number | null>((done) => child.once('close', done))
  return { code, said }
}

/** Runs a command in the hostile checkout, wherever the one before has led. */
async function follow(repo: TempRepo, command: string) {
  repo.git(['-c', 'core.hooksPath=/dev/null', 'checkout', '-q', '-f', 'hostile'])
  return run(repo, command)
}

const ID = '20261122T990000-00000000'
/** Calls that end in a hint, a refusal or an answer, of every command. */
const CALLS = [
  ...[
    '',
    'help',
    'help agents',
    'zzz',
    'status',
    'status --zzz',
    'show',
    `show ${ID}`,
    'show zzz',
    'log',
    'log --all',
  ],
  ...[
    'log --limit x',
    'log --since x',
    'verify',
    'check',
    'check --range main..HEAD',
    'review',
    'review main..HEAD',
  ],
  ...[
    'ask',
    'ask why was it',
    "ask 'why was the cap given up?'",
    'why',
    'why a.txt:1',
    'diff',
    'receipt',
    'export',
  ],
  ...[
    'resume',
    'resume --to codex',
    'resume --print',
    'resume --zzz',
    'create',
    'create --headless',
    'note',
    'note -',
    'rule',
    "rule 'Never edit the generated client.'",
  ],
  ...[
    "create 'document how the retry queue is capped' --from git --dry-run",
    'request',
    'await',
    'switch',
    'sessions',
  ],
  ...[
    'sessions --limit x',
    'push',
    'pull',
    'open',
    'open nowhere',
    'open main',
    'prune',
    'prune --keep x',
    'trust',
  ],
  ...[
    'trust --origin x',
    'doctor',
    'doctor --leaked',
    'init --dry-run --yes',
    'init --agent zzz',
    'done',
    'completion',
    'off --help',
  ],
  ...[
    "create 'count the cap of the queue' --from git --extract openai/x --allow-vague",
    'create x',
    'mcp --help',
  ],
]

/** Every text of ours that a checkout can show: what each call, hook and tool prints, and the files that were written. */
async function textsOf({ repo, program }: Scene, knows: boolean): Promise<string[]> {
  const texts: string[] = []
  const say = async (line: string, options: { input?: string } = {}): Promise<void> => {
    texts.push((await run(repo, line, options)).said)
  }
  const verbs = new Set(CALLS.map((words) => words.split(' ')[0]))
  expect(commands.map(({ name }) => name).filter((name) => !verbs.has(name))).toEqual(['demo', 'hook'])
  await say('git checkout -q hostile')
  const handoff = knows ? 'git handoff' : `${shellWord(process.execPath)} ${shellWord(program)}`
  for (const words of sampled(CALLS, 12)) {
    await say(`${handoff} ${words}`)
    if (words !== '' && !words.includes('--')) await say(`${handoff} ${words} --json`)
  }
  for (const { name } of sampled(commands, 3)) await say(`${handoff} ${name} --help`)
  const start = JSON.stringify({
    session_id: 'one',
    cwd: repo.root,
    source: 'startup',
    hook_event_name: 'SessionStart',
  })
  if (knows) {
    const { hooks } = JSON.parse(repo.read('.claude/settings.json'))
    for (const [group] of Object.values(hooks) as { hooks: { command: string }[] }[][])
      for (const { command } of group?.hooks ?? []) await say(command, { input: start })
    const { handoff: server } = JSON.parse(repo.read('.mcp.json')).mcpServers
    const messages = [
      {
        method: 'initialize',
        params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
      },
      { method: 'tools/list', params: {} },
      ...[
        ['handoff_read', {}],
        ['handoff_read', { id: ID }],
        ['handoff_create', { goal: 'document how the retry queue is capped in the manual' }],
        ['handoff_ask', { question: 'why was the cap given up?' }],
        ['handoff_finalize', { other: 'a note' }],
      ].map(([name, args]) => ({ method: 'tools/call', params: { name, arguments: args } })),
    ]
    const input = messages
      .map((message, id) => `${JSON.stringify({ jsonrpc: '2.0', id, ...message })}\n`)
      .join('')
    await say([server.command, ...server.args.map(shellWord)].join(' '), { input })
  }
  // Last, since no hook speaks after it.
  await say(`${handoff} off`)
  for (const folder of ['.handoff', '.claude', '.codex', '.gemini', '.github', '.opencode', '.git/handoff'])
    texts.push(...filesIn(join(repo.root, folder)))
  for (const path of ['AGENTS.md', '.mcp.json', '.git/config'])
    if (existsSync(join(repo.root, path))) texts.push(repo.read(path))
  return texts
}

/** Of the copy of the program only its runner: that is no text. */
function filesIn(path: string): string[] {
  if (!existsSync(path) || path.endsWith('.git/handoff/program')) return []
  if (!statSync(path).isDirectory()) return [readFileSync(path, 'utf8')]
  return readdirSync(path).flatMap((name) => filesIn(join(path, name)))
}

/** The commands that a text tells somebody to run, with words in place of `<goal>` and `…`. */
const commandsIn = (texts: readonly string[]): string[] => {
  const all = texts.flatMap((text) => [
    ...[...text.matchAll(/`([^`\n]+)`/g)].map(([, command = '']) => command),
    ...text.split('\n').map((line) => line.replace(/^[\s>$-]+/, '').replace(/ {2,}.*$/, '')),
    ...[...text.matchAll(/"command": ?"([^"]+)"/g)].map(([, command = '']) => command),
  ])
  const known = all.filter((command) => /^(?:cd \/ && np[mx]|git handoff|npx|npm|yarn|pnpm)\b/.test(command))
  return [
    ...new Set(
      known.map((command) => command.replace(/<[^>]*>|…/g, 'x').replaceAll('"x"', '"count the cap of it"')),
    ),
  ].sort(
    // What takes the alias away comes last.
    (a, b) => Number(a.includes('--remove')) - Number(b.includes('--remove')),
  )
}

/** Lines that send somebody to npm in a checkout: not in the top folder, nor to install it for all. */
const leadingIn = (texts: readonly string[]): string[] =>
  texts
    .flatMap((text) => text.split('\n'))
    .map((line) =>
      line
        .replace(/cd \/ && (?:npx --yes (?:-p git-handoff|git-handoff@)|npm view git-handoff@)/g, '')
        .replace(/npm install (?:-g|--global|--prefix \S*'?[^']*\.git\/handoff'?) /g, '')
        // In files for CI, which work in a folder of their own and have tests of their own.
        .replace(/\(npx --yes (?:--package "\$package"|"git-handoff@)/g, ''),
    )
    .filter((line) =>
      /(?<![/\w.-])npx[ `]|\bnpm (?:i|install|exec|run|x|view)\b|(?:yarn|pnpm) (?:add|exec|dlx)\b/.test(line),
    )
    .map((line) => line.slice(0, 300))

/** Ms: a hundred programs one after the other, half a minute on an idle machine. */
const PATIENCE = 900_000

describe('S-4: in a checkout that makes npx run its own code', () => {
  it.each(sampled(Object.keys(FORMS), 1))(
    'no text leads to it, where the clone knows handoff: %s',
    { timeout: PATIENCE },
    async (form) => {
      const scene = await checkOut(form, true)
      const texts = await textsOf(scene, true)
      expect(leadingIn(texts)).toEqual([])
      const typed = sampled(commandsIn(texts), 12)
      const codes: (number | null)[] = []
      for (const command of typed) codes.push((await follow(scene.repo, command)).code)
      expect(codes.length).toBeGreaterThan(10)
      expect(codes.filter((code) => code === 0).length).toBeGreaterThan(3)
      expect(codes).not.toContain(127)
      expect(scene.trace()).toBe('')
      // It would, if somebody typed what stood there before.
      // A command before may have installed the package for all, which npx takes first.
      await follow(scene.repo, 'npm_config_prefix="$(mktemp -d)" npx --yes git-handoff status')
      expect(scene.trace()).not.toBe('')
    },
  )

  byNight.each(Object.keys(FORMS))(
    'no text leads to it, where the clone does not know it: %s',
    { timeout: PATIENCE },
    async (form) => {
      const scene = await checkOut(form, false)
      const texts = await textsOf(scene, false)
      expect(leadingIn(texts)).toEqual([])
      const typed = commandsIn(texts).filter((command) => command.startsWith('cd / '))
      const codes: (number | null)[] = []
      for (const command of typed) codes.push((await follow(scene.repo, command)).code)
      expect(codes.filter((code) => code === 0).length).toBeGreaterThan(5)
      expect(scene.trace()).toBe('')
    },
  )
})

it('git handoff runs the private runner from everywhere in a clone: subfolder, linked worktree, submodule', async () => {
  const repo = makeRepo({ name: "it's a [repo]" })
  const program = install(join(repo.base, 'tools/node_modules'), 'npm')
  const init = `${shellWord(process.execPath)} ${shellWord(program)} init --yes --agent claude-code --git-hooks none`
  const before = repo.read('.git/config')
  await run(repo, init)
  const inner = makeRepo({ name: 'inner' })
  repo.git(['-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', inner.root, 'lib x'])
  const cwds = [repo.root, join(repo.root, 'a b/c')]
  mkdirSync(cwds[1] ?? '', { recursive: true })
  repo.git(['worktree', 'add', '-q', '-b', 'other', join(repo.base, 'tr ee')])
  mkdirSync(join(repo.base, 'tr ee/sub'))
  cwds.push(join(repo.base, 'tr ee/sub'))
  const lib = join(repo.root, 'lib x')
  await run(repo, init, { cwd: lib })
  cwds.push(lib)
  for (const cwd of cwds)
    expect(await run(repo, 'git handoff status --json', { cwd }), cwd).toMatchObject({
      code: 0,
      said: expect.stringContaining('"ok":true'),
    })
  expect(await run(repo, "printf 'the cap is 7' | git handoff note -", { cwd: cwds[1] ?? '' })).toMatchObject(
    { code: 0 },
  )
  await run(repo, 'git handoff init --remove --yes')
  expect(
    repo
      .read('.git/config')
      .replace(/\[submodule[\s\S]*?(?=\n\[|$)/, '')
      .trim(),
  ).toBe(before.trim())
  expect((await run(repo, 'git handoff status')).said).toContain("'handoff' is not a git command")
})
