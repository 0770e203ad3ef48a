import { rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { commands } from '../../src/commands/table.ts'
import { mcpTools } from '../../src/mcp/mcp-tools.ts'
import { openOutput } from '../../src/output/output.ts'
import { cli, NOW } from '../repo/cli.ts'
import type { TempRepo } from '../repo/make-repo.ts'
import { made, usual } from '../repo/usual.ts'
import { heldTo } from './fuzz-held.ts'
import { hookSubjects } from './fuzz-hooks.ts'
import type { Subject } from './fuzz-hunt.ts'
import { type DamagedState, damagedState, writeState } from './fuzz-state.ts'
import { oddText, oddValue } from './fuzz-texts.ts'
import { type Edit, edit, edited, jsonOf } from './fuzz-values.ts'

/** What comes in from outside while a command runs: payloads of hooks, requests, arguments, and state that something else wrote. */
export async function commandSubjects(): Promise<Subject[]> {
  const repo = usual()
  await made(repo)
  // Nobody is started, whatever the arguments ask for.
  repo.env.PATH = `${join(repo.base, 'no-agents')}:/usr/local/bin:/usr/bin:/bin`
  return [...hookSubjects(repo), requests(repo), argumentsOf(repo), states(repo)] as Subject[]
}

const edits = fc.array(edit, { maxLength: 5 })

const TOOLS: readonly [tool: string, args: object][] = [
  ['handoff_create', { goal: 'finish the retry queue and document it', notes: '## Next step\nGo on.' }],
  [
    'handoff_finalize',
    {
      currentLineOfAttack: 'x',
      openQuestions: ['y'],
      decisions: [{ what: 'z', why: null, alternatives: [] }],
    },
  ],
  ['handoff_read', { id: 'latest' }],
  ['handoff_read', { log: 'all' }],
  ['handoff_read', { question: 'why the queue?', id: 'latest' }],
]

const requests = (repo: TempRepo): Subject<{ at: number; edits: Edit[]; meta: Edit[] }> => ({
  kind: 'arguments of MCP tools',
  operation: 'check, call',
  counts: [15, 500],
  inputs: fc.record({
    at: fc.nat({ max: TOOLS.length - 1 }),
    edits,
    meta: fc.array(edit, { maxLength: 2 }),
  }),
  async meets({ at, edits: all, meta }) {
    const [tool, given] = TOOLS[at] as (typeof TOOLS)[number]
    const quiet = { write: () => true }
    const out = openOutput({ stdout: quiet, stderr: quiet, json: true, color: false, interactive: false })
    const place = {
      root: repo.root,
      home: repo.home,
      env: repo.env,
      now: () => NOW,
      newId: () => '20261122T100000-000abc00',
    }
    const found = mcpTools({ place, out, stderr: quiet, readStdin: async () => '', version: '0' }).find(
      ({ name }) => name === tool,
    )
    const args: unknown = JSON.parse(jsonOf(edited(given, all)))
    const checked = await found?.input['~standard'].validate(args)
    if (found === undefined || checked === undefined || checked.issues !== undefined)
      return 'refused by its schema'
    const about = edited({ threadId: 't', sessionId: 's' }, meta)
    const known = typeof about === 'object' && about !== null ? (about as Record<string, unknown>) : {}
    const { text, isError } = await found.call(checked.value, known)
    heldTo(tool, { code: isError ? 1 : 0, stdout: text, stderr: '' }, [0, 1])
    return isError ? (/^E_\w+/.exec(text)?.[0] ?? 'error') : 'answered'
  },
})

/** Whoever waits is told to stop after so many ms, as a person tells it. */
function stopIn(ms: number): AbortSignal {
  const controller = new AbortController()
  setTimeout(() => controller.abort(), ms).unref()
  return controller.signal
}

/** Commands that wait for somebody, or for a client. */
const WAITING = new Set(['mcp'])
const FLAGS = [
  ...[
    '--json',
    '--cwd',
    '--all',
    '--from',
    '--session',
    '--notes',
    '--to',
    '--persona',
    '--skill',
    '--branch',
    '--mode',
    '--print',
  ],
  ...[
    '--dry-run',
    '--preview',
    '--exact',
    '--allow-vague',
    '--redact',
    '--limit',
    '--since',
    '--range',
    '--format',
    '--html',
    '--staged',
  ],
  ...[
    '--list',
    '--clear',
    '--revoke',
    '--origin',
    '--keep',
    '--older-than',
    '--agent',
    '--agents',
    '--yes',
    '--remove',
    '--cancel',
    '--via',
  ],
  ...[
    '--pane',
    '--reason',
    '--timeout',
    '--base',
    '--help',
    '--no-commit',
    '--no-edit',
    '--force',
    '--headless',
    '--decision',
    '--file',
    '--',
  ],
]

/** Puts the repository back to where it was, so that an input says by itself what it does. */
function reset(repo: TempRepo, head: string): void {
  repo.tryGit(['checkout', '-q', '-f', 'main'])
  repo.tryGit(['reset', '-q', '--hard', head])
  repo.tryGit(['clean', '-fdq'])
  rmSync(join(repo.root, '.git/handoff'), { recursive: true, force: true })
}

const argumentsOf = (repo: TempRepo): Subject<{ name: string; args: string[]; stdin: string }> => ({
  kind: 'arguments',
  operation: 'every command',
  counts: [20, 900],
  inputs: fc.record({
    name: fc.oneof(
      {
        weight: 12,
        arbitrary: fc.constantFrom(...commands.map(({ name }) => name).filter((name) => !WAITING.has(name))),
      },
      { weight: 1, arbitrary: oddText },
    ),
    args: fc.array(
      fc.oneof(
        { weight: 3, arbitrary: oddText.map((text) => text.slice(0, 5000)) },
        { weight: 3, arbitrary: fc.constantFrom(...FLAGS) },
        fc.constantFrom('latest', 'HEAD', 'git', 'x', '0', '-1', '1e9', 'codex', 'HEAD..HEAD', '2 d', '-'),
      ),
      { maxLength: 5 },
    ),
    stdin: fc.oneof(oddText, oddValue.map(jsonOf)),
  }),
  async meets({ name, args, stdin }) {
    const head = repo.git(['rev-parse', 'HEAD'])
    const result = await cli(repo, [name, ...args], { stdin, signal: stopIn(5000) }).catch(
      (error: unknown) => {
        if (error instanceof SyntaxError) throw new Error(`${name} --json prints no JSON: ${error.message}`)
        throw error
      },
    )
    const outcome = heldTo(`${name} ${JSON.stringify(args).slice(0, 300)}`, result, [0, 1, 2, 65, 130])
    reset(repo, head)
    return outcome
  },
})

const states = (repo: TempRepo): Subject<DamagedState & { argv: string[] }> => ({
  kind: 'private state of a clone',
  operation: 'status, hook, create, trust, note, init',
  counts: [8, 250],
  inputs: fc
    .tuple(
      damagedState,
      fc.constantFrom<string[][]>(
        ['status'],
        ['status', '--json'],
        ['note', '--list'],
        ['trust', '--list'],
        ['sessions'],
        ['await'],
        ['request', '--cancel', 'x'],
        ['create', 'go on with the queue and its tests', '--print'],
        ['init', '--dry-run', '--json'],
        ['hook', 'prompt', '--agent', 'claude-code'],
        ['hook', 'stop', '--agent', 'claude-code'],
        ['hook', 'session-end', '--agent', 'claude-code'],
      ),
    )
    .map(([state, argv]) => ({ ...state, argv })),
  async meets({ argv, ...state }) {
    writeState(join(repo.root, '.git'), state)
    const stdin = JSON.stringify({ session_id: 's', cwd: repo.root, prompt: 'go on' })
    return heldTo(argv.join(' '), await cli(repo, argv, { stdin, signal: stopIn(5000) }), [0, 1, 2, 130])
  },
})
