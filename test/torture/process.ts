import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { adapters } from '../../src/agents/table.ts'
import { CLEAN_FILTER } from '../../src/git/settings.ts'
import { writeClaudeSession } from '../repo/claude-session.ts'
import { cli } from '../repo/cli.ts'
import { fakeAgent } from '../repo/fake-agent.ts'
import type { TempRepo } from '../repo/make-repo.ts'
import { made, usual } from '../repo/usual.ts'
import type { ByForm, Context, Part } from './part.ts'
import { hostileWords, PAYLOADS, SLOTS } from './process-words.ts'
import { plantDefect } from './program.ts'
import { firstOfEach, sample, shuffled } from './random.ts'
import { canTrace, trace } from './strace.ts'
import { asOption, type GitCall, type WatchedGit, watchGit } from './watched-git.ts'

/** Words for each place, hostile names, commands whose git is watched, agents, and commands under strace beside the first. */
const SAMPLE: ByForm<{ words: number; names: number; watched: number; agents: number; traced: number }> = {
  ci: { words: 1, names: 1, watched: 3, agents: 1, traced: 1 },
  short: { words: 1, names: 1, watched: 5, agents: 2, traced: 2 },
  long: { words: 99, names: 99, watched: 99, agents: 99, traced: 99 },
}

/** What goes between us, git, the agents and the system. */
export const part: Part = {
  name: 'process',
  async run(context) {
    await typedWords(context)
    await namesOfTheRepository(context)
    await environmentOfGit(context)
    await environmentOfAgents(context)
    tracedCommands(context)
    shellString(context)
  },
}

// ---------------------------------------------------------------- text that is typed

/** A repository with two briefs whose git is watched. */
async function watched(folder: string): Promise<{ repo: TempRepo; git: WatchedGit; canary: string }> {
  const repo = usual()
  await made(repo)
  repo.commit('second', { 'src/queue.ts': 'x2\n' })
  repo.git(['switch', '-q', '-c', 'topic'])
  await made(repo)
  const git = watchGit(folder)
  repo.env.PATH = `${git.bin}:${repo.env.PATH}`
  return { repo, git, canary: join(folder, 'canary') }
}

async function typedWords({ scratch, form, random, row, case: tell }: Context): Promise<void> {
  const { repo, git, canary } = await watched(scratch('words'))
  const words = Object.entries(hostileWords(canary))
  const every = [
    ...Object.entries(SLOTS).map(([name, of]) => ({
      name,
      of: (text: string) => ({ argv: of(text), stdin: '' }),
    })),
    ...Object.entries(PAYLOADS).map(([name, of]) => ({ name, of })),
  ]
  const commandOf = (name: string): string => name.split(' ')[0] as string
  // In CI one place of each command.
  const places = form === 'ci' ? firstOfEach(shuffled(every, random), ({ name }) => commandOf(name)) : every
  const wrong = new Map<string, string[]>()
  const counts = new Map<string, number>()
  for (const { name, of } of places)
    for (const [word, text] of sample(words, SAMPLE[form].words, random)) {
      const { argv, stdin } = of(text)
      git.calls()
      const { code, stdout, stderr } = await cli(repo, argv, { stdin })
      const calls = git.calls()
      const faults = [
        ...(existsSync(canary) ? ['something was run or written'] : []),
        ...asOption(calls, text).map((line) => `git could take it for an option: ${line}`),
        ...(/E_UNEXPECTED|This is a bug in handoff/.test(`${stdout}${stderr}`)
          ? [`a bug: ${stderr.slice(0, 300)}`]
          : []),
      ]
      tell({ place: name, word, code, git: calls.length, faults })
      counts.set(commandOf(name), (counts.get(commandOf(name)) ?? 0) + 1)
      if (faults.length > 0) wrong.set(name, [...(wrong.get(name) ?? []), `${word}: ${faults.join(', ')}`])
    }
  for (const [command, count] of [...counts].sort()) {
    const faults = [...wrong].filter(([name]) => commandOf(name) === command)
    row(
      'words that git or a shell could take for more than words',
      command,
      count,
      faults.map(([name, list]) => `${name}: ${list.join(' | ')}`),
    )
  }
}

// ---------------------------------------------------------------- text that a repository brings

/** Names that somebody else gave to a branch, to files, to a commit and to a session. */
const names = (canary: string): Record<string, string> => ({
  'a branch like an option': '-x',
  'a branch that writes a file': `--output=${canary.replaceAll('/', '\u2215')}`,
  'a branch for a shell': `a$(touch\${IFS}${canary})`,
  'a branch with a second command': `a;touch\${IFS}${canary};b`,
  'a branch with old words for a shell': `a\`touch\${IFS}${canary}\``,
  'a branch with quotes': `a"b'c`,
})

const READERS: string[][] = [
  ['show'],
  ['show', '--prompt'],
  ['log', '--all'],
  ['verify'],
  ['check', '--range', 'main..HEAD'],
  ['review', 'main..HEAD'],
  ['status'],
  ['resume', '--dry-run'],
  ['ask', 'what about the queue?'],
  ['doctor'],
  ['hook', 'post-checkout', '--', 'HEAD~1', 'HEAD', '1'],
  ['create', 'finish the retry queue and its limits', '--no-notes'],
  ['done', 'it is finished now'],
]

async function namesOfTheRepository({ scratch, form, random, row, case: tell }: Context): Promise<void> {
  const folder = scratch('names')
  const list = Object.entries(names(join(folder, 'x', 'canary')))
  for (const [name, branch] of sample(list, SAMPLE[form].names, random)) {
    const { repo, git } = await watched(scratch('names'))
    const canary = join(folder, 'x', 'canary')
    mkdirSync(join(folder, 'x'), { recursive: true })
    hostileRepository(repo, branch, canary)
    const wrong: string[] = []
    for (const argv of READERS) {
      git.calls()
      const { code, stdout, stderr } = await cli(repo, argv)
      const calls = git.calls()
      const faults = [
        ...(existsSync(canary) ? ['something was run or written'] : []),
        ...asOption(calls, branch),
        ...(/E_UNEXPECTED|This is a bug in handoff/.test(`${stdout}${stderr}`) ? [stderr.slice(0, 300)] : []),
      ]
      tell({ name, argv, code, git: calls.length, faults })
      if (faults.length > 0) wrong.push(`${argv.join(' ')}: ${faults.join(', ')}`)
    }
    row(`a repository that brings ${name}`, 'readers, create, done', READERS.length, wrong)
  }
}

/** The branch of that name, files and a session whose names say the same. */
function hostileRepository(repo: TempRepo, branch: string, canary: string): void {
  const head = repo.git(['rev-parse', 'HEAD'])
  // Porcelain refuses some of these names; what is fetched from elsewhere is not asked.
  repo.git(['update-ref', `refs/heads/${branch}`, head])
  repo.git(['symbolic-ref', 'HEAD', `refs/heads/${branch}`])
  for (const path of ['-x', '--output=a', '$(touch b)', 'a;b', "it's", 'new\nline', ':(top)x'])
    repo.write(path, 'x\n')
  repo.git(['add', '-A'])
  repo.git(['commit', '-q', '-m', `$(touch ${canary})`])
  writeClaudeSession(repo, [
    { user: `Fix the queue; run \`touch ${canary}\` and $(touch ${canary})` },
    { edit: '--output=a' },
    { edit: '$(touch b)' },
    { bash: `touch ${canary}`, exit: 1, output: 'no' },
    { says: `Run $(touch ${canary}) next.` },
  ])
}

// ---------------------------------------------------------------- environment

/** What no child of ours needs; names that say secret, and what would lead git or Node astray. */
const CANARIES: Record<string, string> = {
  ...Object.fromEntries(
    'MY_TOKEN SIGNING_KEY DB_SECRET DB_PASSWORD AWS_CREDENTIALS BASIC_AUTH GITHUB_TOKEN ANTHROPIC_API_KEY DATABASE_URL SOMETHING_ELSE GIT_EDITOR GIT_PAGER GIT_EXTERNAL_DIFF'
      .split(' ')
      .map((name) => [name, 'c']),
  ),
  NODE_OPTIONS: '--no-warnings',
  GIT_DIR: '/nowhere',
  GIT_INDEX_FILE: '/nowhere/index',
  GIT_WORK_TREE: '/nowhere',
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'core.fsmonitor',
  GIT_CONFIG_VALUE_0: 'false',
  CLAUDECODE: '1',
  BASH_ENV: '/nowhere',
  ENV: '/nowhere',
}
/** What we set ourselves for some call of git; the last is simple-git's own. */
const OURS = new Set(
  'GIT_OPTIONAL_LOCKS GIT_TERMINAL_PROMPT GIT_LITERAL_PATHSPECS HANDOFF_GIT LC_ALL GIT_NO_REPLACE_OBJECTS GIT_ATTR_NOSYSTEM GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_WORK_TREE GIT_DIR GIT_INDEX_FILE GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_TEST_DISALLOW_ABBREVIATED_OPTIONS'.split(
    ' ',
  ),
)

const leaked = (env: Record<string, string>, given: Record<string, string>): string[] =>
  Object.entries(env)
    .filter(([name, value]) => value === CANARIES[name] || !(name in given || OURS.has(name)))
    .map(([name]) => name)

/** Every command that goes to no remote, in an order in which each has something to do. */
const TOUR: { argv: string[]; stdin?: string }[] = [
  ['create', 'finish the retry queue and its limits', '--no-notes'],
  ...[
    ...['show', 'show --prompt', 'log', 'log --json', 'log --html page.html', 'verify', 'check'],
    ...['check --staged', 'check --range main..HEAD', 'review main..HEAD', 'status', 'sessions', 'diff'],
  ].map((line) => line.split(' ')),
  ['ask', 'what about the queue?'],
  ['note', '--decision', 'keep three retries'],
  ...[
    ...['trust', 'trust --list', 'resume --dry-run', 'resume', 'prune --dry-run', 'doctor'],
    ...['init --dry-run --agent all', 'init --yes --agent claude-code', 'hook pre-commit --'],
    ...['hook post-checkout -- HEAD~1 HEAD 1', 'request --via print'],
  ].map((line) => line.split(' ')),
  ['done', 'it is finished now'],
  ['init', '--remove', '--yes'],
].map((argv) => ({ argv }))
TOUR.push(
  {
    argv: ['hook', 'session-start', '--agent', 'claude-code'],
    stdin: '{"session_id":"other","source":"startup"}',
  },
  {
    argv: ['mcp'],
    stdin: [
      {
        method: 'initialize',
        params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
      },
      { method: 'tools/call', params: { name: 'handoff_read', arguments: {} } },
      { method: 'tools/call', params: { name: 'handoff_read', arguments: { log: 'all' } } },
    ]
      .map((message, id) => `${JSON.stringify({ jsonrpc: '2.0', id, ...message })}\n`)
      .join(''),
  },
)

async function environmentOfGit({ scratch, program, form, random, row, case: tell }: Context): Promise<void> {
  const { repo, git } = await watched(scratch('env'))
  const stops = sample(TOUR, SAMPLE[form].watched, random)
  const wrong: string[] = []
  let count = 0
  for (const { argv, stdin = '' } of stops) {
    git.calls()
    const { status } = runProgram(program, repo, argv, stdin, CANARIES)
    const calls: GitCall[] = git.calls()
    count += calls.length
    const names = [...new Set(calls.flatMap(({ env }) => leaked(env, repo.env)))]
    tell({ argv, status, git: calls.length, leaked: names })
    if (names.length > 0) wrong.push(`${argv.join(' ')}: ${names.join(' ')}`)
  }
  row('secrets and settings in our environment', `git, as ${stops.length} commands start it`, count, wrong)
}

async function environmentOfAgents({ form, random, row, case: tell }: Context): Promise<void> {
  const able = adapters.flatMap(({ id, launch }) => (launch === undefined ? [] : [{ id, launch }]))
  const chosen = sample(able, SAMPLE[form].agents, random)
  const wrong: string[] = []
  for (const { id, launch } of chosen) {
    const repo = usual()
    await made(repo)
    const agent = fakeAgent(repo, launch.program)
    const own = launch.passEnv.map((name) => name.replace(/\*$/, ''))
    const { code } = await cli(repo, ['resume', '--to', id, '--headless'], {
      env: { ...CANARIES, ...agent.env },
    })
    const seen = agent.seen()
    // Its own login may be among them, and what says nothing by its name is the person's to keep.
    const names = Object.keys(CANARIES).filter(
      (name) =>
        seen?.env[name] !== undefined &&
        !own.some((beginning) => name.startsWith(beginning)) &&
        !['DATABASE_URL', 'SOMETHING_ELSE', 'BASH_ENV', 'ENV'].includes(name),
    )
    tell({ agent: id, code, started: seen !== null, leaked: names })
    if (seen === null || names.length > 0)
      wrong.push(`${id}: ${seen === null ? 'not started' : names.join(' ')}`)
  }
  row('secrets and settings in our environment', 'agents that are started', chosen.length, wrong)
}

// ---------------------------------------------------------------- what the system saw

const FAULTS = {
  shell: 'a shell, or a program nobody expects',
  env: 'our environment in any child, traced',
  net: 'a connection to the network',
  files: 'temporary and private files that others can read',
}

function tracedCommands({ scratch, program, form, random, row, case: tell }: Context): void {
  if (!canTrace()) {
    for (const fault of Object.values(FAULTS)) row(fault, 'every command', 0, 'not run', 'no strace')
    return
  }
  const folder = scratch('traced')
  const repo = usual()
  repo.git(['remote', 'add', 'origin', 'https://example.invalid/one.git'])
  const tmp = join(folder, 'tmp')
  mkdirSync(tmp)
  const first = TOUR.slice(0, 1)
  const stops = [...first, ...sample(TOUR.slice(1), SAMPLE[form].traced, random)]
  const wrong: Record<keyof typeof FAULTS, string[]> = { shell: [], env: [], net: [], files: [] }
  const before: string[] = []
  const counts = { shell: 0, env: 0, net: 0, files: 0 }
  for (const { argv, stdin = '' } of stops) {
    const env = { ...repo.env, ...CANARIES, TMPDIR: tmp }
    // No rights of others are taken away by the mask, so that what is asked for is what counts.
    const command = ['sh', '-c', 'umask 0; exec "$@"', 'sh', process.execPath, program, ...argv]
    const seen = trace(join(folder, 'log'), command, { cwd: repo.root, env, input: stdin })
    const children = seen.started.slice(2)
    const label = argv.slice(0, 2).join(' ')
    // What stands in a folder that nobody else may enter is private, whatever its own rights.
    const closed = seen.made.filter(({ folder: isFolder, mode }) => isFolder && (mode & 0o077) === 0)
    const files = seen.made.filter(
      ({ path }) => path.startsWith(tmp) || /\/\.git\/(?:.*\/)?handoff(?:\/|$)/.test(path),
    )
    const open = files
      .filter(
        ({ path, mode }) =>
          (mode & 0o077) !== 0 && !isIn(path, [...closed.map((one) => one.path), ...before]),
      )
      .map(({ path, mode }) => `${mode.toString(8)} ${path}`)
    before.push(...closed.map(({ path }) => path))
    const left = readdirSync(tmp)
    wrong.shell.push(
      ...children.filter(isForeign).map(({ args }) => `${label}: ${args.join(' ').slice(0, 200)}`),
    )
    wrong.env.push(
      ...children
        .filter(({ path }) => path !== process.execPath)
        .flatMap(({ args, env: got }) => {
          const names = leaked(got, { ...repo.env, TMPDIR: tmp, ...BY_GIT })
          return names.length === 0 ? [] : [`${label}, ${args[0]}: ${names.join(' ')}`]
        }),
    )
    wrong.net.push(...seen.connected.map((to) => `${label}: ${to}`))
    wrong.files.push(
      ...[...open, ...left.map((name) => `left in TMPDIR: ${name}`)].map((one) => `${label}: ${one}`),
    )
    counts.shell += children.length
    counts.env += children.length
    counts.net++
    counts.files += files.length
    tell({
      argv,
      status: seen.status,
      started: children.length,
      files: files.length,
      open,
      net: seen.connected,
    })
  }
  for (const [key, fault] of Object.entries(FAULTS) as [keyof typeof FAULTS, string][])
    row(fault, `${stops.length} commands under strace`, counts[key], [...new Set(wrong[key])])
}

const isIn = (path: string, folders: readonly string[]): boolean =>
  folders.some((folder) => path.startsWith(`${folder}/`))

/** What git and the shell of its filters add for their own children. */
const BY_GIT = Object.fromEntries(
  'PWD OLDPWD SHLVL _ GIT_PREFIX GIT_EXEC_PATH GIT_INTERNAL_GETTEXT_SH_SCHEME GIT_CONFIG_PARAMETERS'
    .split(' ')
    .map((name) => [name, '']),
)

/** Git, the filter that git runs for us, and ourselves are all that a command starts. */
function isForeign({ path, args }: { path: string; args: string[] }): boolean {
  const name = path.split('/').at(-1) ?? ''
  if (/^git(?:-[a-z-]+)?$|^sed$|^cat$/.test(name)) return false
  if (/^(?:sh|dash|bash)$/.test(name))
    return !(args[1] === '-c' && args[2]?.startsWith(CLEAN_FILTER.split('%f')[0] ?? ''))
  return path !== process.execPath
}

// ---------------------------------------------------------------- the planted defect

/** One call of git through a shell: the branch is the one place that text of a repository reaches it. */
function shellString({ scratch, program, row, case: tell }: Context): void {
  const planted = plantDefect(
    scratch('planted'),
    'dist/cli.cjs',
    /\(0,([\w$]+)\.spawn\)\(([\w$]+),\[\.\.\.([\w$]+)\],\{windowsHide/,
    '(0,$1.spawn)($2==="git"?[$2,...$3].map(x=>\'"\'+x+\'"\').join(" "):$2,$2==="git"?[]:[...$3],{shell:$2==="git",windowsHide',
  )
  const found = [planted, program].map((copy) => {
    const repo = usual()
    const canary = join(repo.base, 'canary')
    hostileRepository(repo, `a$(touch\${IFS}${canary})`, canary)
    const codes = [
      ['create', 'finish the retry queue and its limits', '--no-notes'],
      ['log', '--all'],
      ['verify'],
      ['check', '--range', `$(touch ${canary})`],
    ].map((argv) => runProgram(copy, repo, argv, '', {}).status)
    return { ran: existsSync(canary), codes }
  })
  tell({ planted: found[0], ours: found[1] })
  row(
    'planted: git through a shell',
    'create, log, verify, check',
    1,
    found[0]?.ran === true && found[1]?.ran === false,
    found[0]?.ran ? 'caught' : 'the planted defect was not caught',
  )
}

function runProgram(
  program: string,
  repo: TempRepo,
  argv: string[],
  input: string,
  env: Record<string, string>,
): { status: number | null } {
  return spawnSync(process.execPath, [program, ...argv], {
    cwd: repo.root,
    env: { ...repo.env, ...env },
    input,
    encoding: 'utf8',
    timeout: 120_000,
  })
}
