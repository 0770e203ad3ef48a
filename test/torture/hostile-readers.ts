import { existsSync, lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { mcpTools } from '../../src/mcp/mcp-tools.ts'
import { openOutput } from '../../src/output/output.ts'
import { type CliOptions, cli, NOW } from '../repo/cli.ts'
import type { TempRepo } from '../repo/make-repo.ts'

export interface Told {
  code: number
  text: string
}

/** One way in which the text of a brief reaches a person, an agent or a server. */
export interface Reader {
  name: string
  /** It comes without having been asked for, so that nothing of a stranger's may be in it. */
  unasked?: true
  /** It is asked for as bytes, for a pipe. */
  raw?: true
  /** What it tells is interpreted as markup. */
  markup?: true
  /** It lands in a log in which commands are looked for. */
  log?: true
  /** It is drawn for a terminal, in our own colours. */
  colored?: true
  /** It goes first where only a few go. */
  often?: true
  /** It writes; what follows it meets what it left. */
  writes?: true
  run(repo: TempRepo, id: string): Promise<Told>
}

const ran = async (repo: TempRepo, argv: string[], options: CliOptions = {}): Promise<Told> => {
  const { code, stdout, stderr } = await cli(repo, argv, options)
  return { code, text: `${stdout}\n${stderr}` }
}

const reader = (argv: string[], more: Partial<Reader> = {}, options: CliOptions = {}): Reader => ({
  name: argv.join(' '),
  run: (repo) => ran(repo, argv, options),
  ...more,
})

const agentHook = (event: string, agent: string, options: CliOptions = {}, name = ''): Reader => ({
  name: `hook ${event}, ${agent}${name}`,
  unasked: true,
  run: (repo) =>
    ran(repo, ['hook', event, '--agent', agent], {
      ...options,
      stdin: JSON.stringify({ session_id: 'other', source: 'startup', cwd: repo.root }),
    }),
})

const gitHook = (...argv: string[]): Reader => ({
  ...reader(['hook', ...argv], { unasked: true }),
  name: `hook of git ${argv[0]}`,
})

const tool = (name: string, args: (id: string) => object, unasked: boolean): Reader => ({
  name: `MCP ${name} ${Object.keys(args('')).join(' ')}`.trim(),
  ...(unasked ? { unasked: true as const } : {}),
  async run(repo, id) {
    const silent = { write: () => {} }
    const out = openOutput({ stdout: silent, stderr: silent, json: false, color: false, interactive: false })
    const place = {
      root: repo.root,
      home: repo.home,
      env: repo.env,
      now: () => NOW,
      newId: () => '20261122T100000-abc00001',
    }
    const tools = mcpTools({ place, out, stderr: silent, readStdin: async () => '', version: '0' })
    const found = tools.find((one) => one.name === name)
    if (found === undefined) throw new Error(`no tool ${name}`)
    const { text, isError } = await found.call(args(id), {})
    return { code: isError ? 1 : 0, text }
  },
})

/** Nothing is asked on it: the readers have nobody to answer. */
const SCREEN: CliOptions = { isTTY: true, columns: 60, env: { HANDOFF_NONINTERACTIVE: '1' } }
const ACTIONS = { env: { GITHUB_ACTIONS: 'true' } }

/** Every one of them by name. */
export const READERS: readonly Reader[] = [
  reader(['show'], { often: true }),
  reader(['show', '--raw'], { raw: true }),
  // Without colours nothing of a terminal's language may be left; with them nothing but those.
  reader(['show', '--no-color'], { often: true, name: 'show, on a terminal' }, SCREEN),
  reader(['show'], { often: true, colored: true, name: 'show, on a terminal in colours' }, SCREEN),
  reader(['show', '--section', 'goal'], { colored: true, name: 'show --section, on a terminal' }, SCREEN),
  // The pointer is for an agent, but a person asks for it here.
  reader(['show', '--prompt']),
  reader(['show', '--inline']),
  reader(['show', '--section', 'goal']),
  reader(['show', '--json'], { often: true }),
  { name: 'show <id>', run: (repo, id) => ran(repo, ['show', id]) },
  reader(['log'], { often: true }),
  reader(['log', '--graph']),
  reader(['log', '--json', '--all']),
  reader(['log', '--html', '-'], { markup: true, often: true }),
  reader(['check'], { often: true }),
  reader(['check', '--format', 'github'], { log: true }, ACTIONS),
  reader(['check', '--format', 'sarif']),
  reader(['check', '--format', 'gitlab']),
  reader(['check', '--range', 'HEAD~1..HEAD']),
  reader(['review', 'HEAD~1..HEAD'], { markup: true }),
  reader(['show'], { log: true, name: 'show, in a log of CI' }, ACTIONS),
  reader(['verify'], { often: true }),
  reader(['verify', '--json']),
  { name: 'diff', run: (repo, id) => ran(repo, ['diff', id, 'latest']) },
  reader(['resume', '--dry-run']),
  reader(['resume', '--print', '--to', 'codex'], { unasked: true }),
  reader(['status']),
  reader(['open', 'main']),
  reader(['ask', 'what about the queue ZYXMARK?']),
  reader(['trust']),
  agentHook('session-start', 'claude-code'),
  agentHook('session-start', 'codex'),
  agentHook('session-start', 'gemini-cli', { env: { HANDOFF_INJECT: 'full' } }, ', the whole text'),
  agentHook('prompt', 'claude-code'),
  agentHook('stop', 'claude-code'),
  gitHook('post-checkout', '--', 'HEAD~1', 'HEAD', '1'),
  gitHook('post-merge', '--', '0'),
  gitHook('post-rewrite', '--', 'rebase'),
  { ...reader(['hook', 'pre-commit', '--']), name: 'hook of git pre-commit' },
  {
    name: 'hook of git pre-push',
    run: (repo) => {
      const head = repo.git(['rev-parse', 'HEAD'])
      const stdin = `refs/heads/main ${head} refs/heads/main ${'0'.repeat(40)}\n`
      return ran(repo, ['hook', 'pre-push', '--', 'origin', 'url'], { stdin })
    },
  },
  { ...tool('handoff_read', () => ({}), true), often: true },
  tool('handoff_read', (id) => ({ id }), true),
  tool('handoff_read', () => ({ log: 'all' }), true),
  tool('handoff_read', () => ({ question: 'what about the queue ZYXMARK?' }), true),
  {
    name: 'latest.md',
    unasked: true,
    async run({ root }) {
      const path = join(root, '.handoff/latest.md')
      const isPlain = existsSync(path) && lstatSync(path).isFile()
      return { code: 0, text: isPlain ? readFileSync(path, 'utf8') : '' }
    },
  },
  reader(['prune', '--dry-run']),
  {
    ...reader(['create', 'finish the retry queue and its limits', '--from', 'git']),
    name: 'create after it',
    writes: true,
  },
  {
    name: 'the brief made after it',
    writes: true,
    // As committed: the way to the file in the work tree may lead through a link that was planted.
    async run({ git }) {
      const paths = git(['log', '-1', '--format=', '--name-only', '--', '.handoff/briefs'])
      const path = paths.split('\n').at(-1) ?? ''
      const isThere = path !== '' && git(['ls-tree', 'HEAD', '--', path]).startsWith('100644 ')
      return { code: 0, text: isThere ? git(['show', `HEAD:${path}`]) : '' }
    },
  },
]
