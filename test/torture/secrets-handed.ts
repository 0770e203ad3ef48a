import { chmodSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { USUAL, writeClaudeSession } from '../repo/claude-session.ts'
import type { Ended } from './collect.ts'
import { CALLER, GOAL, type Plant } from './secrets-gathered.ts'
import type { RunOptions, World } from './secrets-world.ts'

/** A call of the program with secrets handed in. */
export interface Handed {
  place: string
  argv: string[]
  options?: RunOptions
  /**
   * `refused`: exit 1 by rule and place, and with `--redact` done with the value replaced; `refused only`: the first half of it;
   * `quiet`: whatever comes of it, nothing is told again.
   */
  expect: 'refused' | 'refused only' | 'quiet'
}

type Build = (world: World, plant: (place: string) => string) => Omit<Handed, 'place'>

const create = (...more: string[]): string[] => [
  ...['create', GOAL, '--json', ...more],
  ...(more.includes('--notes') ? [] : ['--no-notes']),
]
const refused = (argv: string[], options: RunOptions = {}): Omit<Handed, 'place'> => ({
  argv,
  options: { ...options, env: { ...CALLER, ...options.env } },
  expect: 'refused',
})
const quiet = (argv: string[], options: RunOptions = {}): Omit<Handed, 'place'> => ({
  ...refused(argv, options),
  expect: 'quiet',
})
const line = (text: string): string => text.replaceAll('\n', ' ')

const SLOTS: Readonly<Record<string, (text: string) => object>> = {
  currentLineOfAttack: (text) => ({ currentLineOfAttack: text }),
  activeHypothesis: (text) => ({ activeHypothesis: text }),
  abandonedApproaches: (text) => ({ abandonedApproaches: [text] }),
  openQuestions: (text) => ({ openQuestions: [text] }),
  'decisions, what': (text) => ({ decisions: [{ what: text }] }),
  'decisions, why': (text) => ({ decisions: [{ what: 'keep the queue', why: text }] }),
  'decisions, alternatives': (text) => ({ decisions: [{ what: 'keep the queue', alternatives: [text] }] }),
  blockers: (text) => ({ blockers: [text] }),
  nextSteps: (text) => ({ nextSteps: [text] }),
  information: (text) => ({ information: [text] }),
  'files, path': (text) => ({ files: [{ path: `src/${text}`, reason: 'it matters' }] }),
  'files, reason': (text) => ({ files: [{ path: 'src/queue.ts', reason: text }] }),
  progress: (text) => ({ progress: [text] }),
  other: (text) => ({ other: text }),
}

const NOTE_FLAGS = [
  '--current-line-of-attack',
  '--active-hypothesis',
  '--abandoned',
  '--question',
  '--decision',
  '--blocker',
  '--next-step',
  '--information',
  '--file',
]

/** Lines of a command that are looked up, so that a wrong one is told. */
const LOOKED_UP: Readonly<Record<string, (text: string) => string[]>> = {
  'unknown command': (text) => [text],
  'unknown option': (text) => ['create', GOAL, `--${text}`],
  '--mode': (text) => create('--mode', text),
  '--from': (text) => create('--from', text),
  '--branch': (text) => create('--branch', text),
  '--to': (text) => create('--to', text),
  '--session': (text) => create('--session', text),
  '--notes, a file that is not there': (text) => create('--notes', `missing/${text}`),
  '--cwd': (text) => ['status', '--cwd', `/nowhere/${text}`],
  'show, id': (text) => ['show', text],
  'resume, id': (text) => ['resume', text],
  'verify, id': (text) => ['verify', text],
  'trust, id': (text) => ['trust', text],
  'open, where': (text) => ['open', text],
  'diff, id': (text) => ['diff', text, text],
  'check, path': (text) => ['check', text],
  'ask, id': (text) => ['ask', 'what about the queue limits', text],
  'await, id': (text) => ['await', text],
  'request --cancel': (text) => ['request', '--cancel', text],
  'status --dismiss': (text) => ['status', '--dismiss', text],
  'prune --keep': (text) => ['prune', '--keep', text],
  'log --since': (text) => ['log', '--since', text],
  'log --branch': (text) => ['log', '--branch', text],
  'log --html': (text) => ['log', '--html', `missing/${text}.html`],
  'init --agent': (text) => ['init', '--agent', text],
  'hook, event': (text) => ['hook', text, '--agent', 'claude-code'],
  'hook, agent': (text) => ['hook', 'stop', '--agent', text],
  'sessions --from': (text) => ['sessions', '--from', text],
  'switch, goal': (text) => ['switch', `rotate ${text} in the retry queue`, '--to', 'codex', '--via', 'hook'],
  'switch --reason': (text) => ['switch', GOAL, '--to', 'codex', '--via', 'hook', '--reason', text],
  'switch --to': (text) => ['switch', GOAL, '--to', text, '--via', 'hook'],
}

const places: Readonly<Record<string, Build>> = {
  goal: (_, text) => refused(['create', `rotate ${text('goal')} in the retry queue`, '--json', '--no-notes']),
  focus: (_, text) => refused(create('--focus', `the key ${text('focus')}`)),
  reason: (_, text) => refused(create('--reason', `lost ${text('reason')}`)),
  persona: (_, text) => refused(create('--persona', text('persona'))),
  skill: (_, text) => refused(create('--skill', text('skill'))),
  'goal over its limit': (_, text) =>
    quiet([
      'create',
      `rotate ${text('goal over its limit')} in the queue ${'and document the limits '.repeat(200)}`,
      '--json',
    ]),
  'notes file, markdown': (world, text) => {
    const file = fileOf(
      world,
      'notes.md',
      `## Next steps and what remains\n- rotate ${line(text('notes file, markdown'))}\n`,
    )
    return refused(create('--notes', file))
  },
  editor: (world, text) => {
    const added = fileOf(world, 'edited.txt', `Mind ${line(text('editor'))}.\n`)
    // Behind the first item of the brief, where it is a text like any other.
    const editor = fileOf(
      world,
      'editor.sh',
      `#!/bin/sh\nawk -v extra="$(cat '${added}')" '{print} /^- /&&!n{n=1;print "- " extra}' "$1" > "$1.new" && cat "$1.new" > "$1" && rm "$1.new"\n`,
    )
    return refused(create('--edit'), { env: { GIT_EDITOR: editor } })
  },
  'editor, what is no brief any more': (world, text) => {
    const added = fileOf(world, 'torn.txt', `${text('editor, what is no brief any more')}\n`)
    const editor = fileOf(world, 'tearer.sh', `#!/bin/sh\ncat '${added}' > "$1"\n`)
    return quiet(create('--edit', '--redact'), { env: { GIT_EDITOR: editor } })
  },
  'request, reason': (_, text) => ({
    ...refused(['request', '--json', '--via', 'print', '--reason', text('request, reason')]),
    expect: 'refused only',
  }),
  'question of ask': (_, text) =>
    quiet(['ask', `what about ${text('question of ask')} in the queue`, '--json']),
  'payload of a hook': (world, text) =>
    quiet(['hook', 'prompt', '--agent', 'claude-code'], {
      stdin: JSON.stringify({
        session_id: '22222222-2222-4333-8444-555555555555',
        cwd: world.repo.root,
        hook_event_name: 'UserPromptSubmit',
        prompt: text('payload of a hook'),
        last_assistant_message: text('payload of a hook'),
        [text('payload of a hook')]: text('payload of a hook'),
      }),
    }),
  'payload that is no JSON': (_, text) =>
    quiet(['hook', 'stop', '--agent', 'codex'], { stdin: `{${text('payload that is no JSON')}` }),
  'notes that are no JSON': (_, text) =>
    quiet(['note', '-'], { stdin: `{"openQuestions": [${text('notes that are no JSON')}` }),
  'unknown slot of the notes': (_, text) =>
    quiet(['note', '-'], { stdin: JSON.stringify({ [text('unknown slot of the notes')]: 'x' }) }),
  'value of a variable, as goal': (_, text) => {
    const value = text('value of a variable, as goal').replace(/\s/g, '')
    return refused(['create', `rotate ${value} in the retry queue`, '--json', '--no-notes'], {
      env: { BROKER_TOKEN: value },
    })
  },
  'value of a variable, as command': (_, text) => {
    const value = text('value of a variable, as command').replace(/\s/g, '')
    return quiet([value], { env: { BROKER_TOKEN: value } })
  },
  ...Object.fromEntries(
    Object.entries(SLOTS).map(([slot, fill]): [string, Build] => [
      `notes, ${slot}`,
      (_, text) => refused(['note', '-', '--json'], { stdin: JSON.stringify(fill(text(`notes, ${slot}`))) }),
    ]),
  ),
  'notes of create': (_, text) =>
    refused(create('--notes', '-'), { stdin: JSON.stringify({ openQuestions: [text('notes of create')] }) }),
  ...Object.fromEntries(
    NOTE_FLAGS.map((flag): [string, Build] => [
      `note ${flag}`,
      (_, text) => refused(['note', '--json', flag, text(`note ${flag}`)]),
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(LOOKED_UP).map(([place, argv]): [string, Build] => [
      place,
      (_, text) => quiet(argv(text(place))),
    ]),
  ),
  outcome: (_, text) => refused(['done', `shipped with ${text('outcome')}`, '--json']),
}

export const HANDED = Object.keys(places)

/** A repository with a session, in which everything can be handed in. */
export function prepareHanded({ repo }: World): void {
  writeClaudeSession(repo, USUAL, { end: new Date(Date.now() - 60_000) })
}

/** Hands a secret in at one place, and tells what is wrong with what came of it. */
export async function handIn(world: World, place: string, plant: Plant): Promise<string[]> {
  const build = places[place]
  if (build === undefined) throw new Error(`no place ${place}`)
  const { argv, options, expect } = build(world, (name) => plant(name).text)
  const ran = await world.run(argv, options)
  if (expect === 'quiet') return ran.stderr.includes('a bug in handoff') ? ['called a bug'] : []
  const wrong = refusal(ran, argv.includes('--json'))
  if (expect === 'refused only') return wrong
  const again = await world.run([...argv, '--redact'], options)
  if (again.code !== 0) wrong.push(`--redact: exit ${again.code}`)
  return wrong
}

function refusal({ code, stdout }: Ended, isJson: boolean): string[] {
  if (code !== 1) return [`exit ${code} instead of a refusal`]
  const [error] = isJson ? (JSON.parse(stdout) as { errors: Record<string, unknown>[] }).errors : []
  if (error?.code !== 'E_SECRET_INPUT') return [`refused as ${String(error?.code)}`]
  const isTold =
    Array.isArray(error.rules) && error.rules.length > 0 && String(error.hint).includes('secrets.allow')
  return isTold ? [] : ['refused without rule or way out']
}

/** The document of a request: what the agent wrote holds a secret. Refused, and taken out of the work tree. */
export async function handDocument(world: World, plant: Plant): Promise<string[]> {
  const { repo } = world
  const payload = JSON.stringify({ cwd: repo.root, session_id: CALLER.CLAUDE_CODE_SESSION_ID })
  const hook = (event: string) => world.run(['hook', event, '--agent', 'claude-code'], { stdin: payload })
  await hook('session-start')
  const asked = await world.run(['request', '--json', '--via', 'print'])
  if (asked.code !== 0) return [`request: exit ${asked.code}`]
  const { path, requestId } = JSON.parse(asked.stdout) as { path: string; requestId: string }
  mkdirSync(dirname(path), { recursive: true })
  const text = `## Next steps and what remains\n- rotate ${line(plant('document of a request').text)}\n\nEND OF HANDOFF ${requestId}\n`
  writeFileSync(`${path}.part`, text)
  renameSync(`${path}.part`, path)
  await hook('stop')
  const waited = await world.run(['await', '--json', '--timeout', '20s'])
  return refusal(waited, true)
}

/** Every argument of every tool of the server, and a tool and an argument that are none. */
export async function handToServer(world: World, plant: Plant): Promise<string[]> {
  const text = (place: string): string => plant(`MCP, ${place}`).text
  const calls: [tool: string, args: object, isRefused: boolean][] = [
    ['handoff_create', { goal: `rotate ${text('goal')} in the queue` }, true],
    ['handoff_create', { goal: GOAL, [text('unknown argument')]: 'x' }, true],
    ...Object.entries(SLOTS).map(([slot, fill]): [string, object, boolean] => [
      'handoff_finalize',
      fill(text(slot)),
      true,
    ]),
    ['handoff_read', { id: text('id') }, true],
    ['handoff_read', { log: text('log') }, true],
    ['handoff_read', { question: `what about ${text('question')}` }, false],
    ['handoff_read', { question: 'what about the queue', id: text('id of ask') }, true],
    [text('unknown tool'), {}, true],
  ]
  const messages = [
    {
      jsonrpc: '2.0',
      id: 'init',
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    ...calls.map(([name, args], id) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name, arguments: args },
    })),
    { jsonrpc: '2.0', id: 'odd', method: text('unknown method') },
  ]
  const answers = (stdout: string) => stdout.split('\n').slice(0, -1)
  const ran = await world.run(['mcp'], {
    env: CALLER,
    stdin: messages.map((message) => `${JSON.stringify(message)}\n`).join(''),
    isOver: (stdout) => answers(stdout).length === calls.length + 2,
  })
  const told = new Map(
    answers(ran.stdout).map((answer) => {
      const { id, result, error } = JSON.parse(answer) as {
        id: unknown
        result?: { isError?: boolean }
        error?: unknown
      }
      return [id, error !== undefined || result?.isError === true]
    }),
  )
  return calls.flatMap(([tool, , isRefused], id) =>
    isRefused && told.get(id) !== true ? [`${tool} took call ${id}`] : [],
  )
}

function fileOf({ repo }: World, name: string, content: string): string {
  const path = join(repo.base, 'watch', name)
  writeFileSync(path, content)
  chmodSync(path, 0o755)
  return path
}
