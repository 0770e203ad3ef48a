import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { orNull } from '../../errors/handoff-error.ts'
import { sessionPacked } from '../../errors/session.ts'
import type { Adapter, HookCall, HookEvent, SetupPlace } from '../../types/agent.ts'
import type { Home } from '../../types/config.ts'
import type { SessionRef } from '../../types/session.ts'
import { loaded } from '../content.ts'
import { type Fields, fieldsOf, itemsOf, textOf } from '../fields.ts'
import { fullnessOf, lastRecord } from '../fullness.ts'
import { claudeHooks } from '../hooks.ts'
import { canUnpack, isPacked } from '../packed.ts'
import { isWithin, refAt, sessionsIn } from '../session-files.ts'
import {
  hookGroups,
  modelArgs,
  printedRecords,
  readSettings,
  sentenceIn,
  skillIn,
  usualLaunch,
} from '../setup.ts'
import {
  changedAt,
  codexFolder,
  type Rollout,
  readEnd,
  readMeta,
  readStartAndCwd,
  rolloutFolders,
  rolloutOf,
  rolloutsIn,
} from './files.ts'

/** Codex CLI and desktop, 0.118 … 0.169 (`@openai/codex`): one JSONL rollout per thread, subagents beside it. */
export const codex: Adapter = {
  id: 'codex',
  label: 'Codex',
  basis: { is: 'recorded', of: '@openai/codex 0.118 to 0.171' },
  marks: ['CODEX_SESSION_ID', 'CODEX_THREAD_ID', 'CODEX_CI'],
  // Inside a subagent the session is the person's conversation and the thread its own; older clients set the thread alone.
  sessionMarks: ['CODEX_SESSION_ID', 'CODEX_THREAD_ID'],
  find,
  identify: async (path, head) => {
    const rollout = rolloutOf(path, head)
    return rollout && refOf(rollout)
  },
  read: loaded(async () => (await import('./read.ts')).readThread),
  // The last `token_count` of a rollout tells the last request and the window (0.118 … 0.169).
  fullness: async ({ path }, place) =>
    lastRecord(path, '"token_count"', (record) => {
      const info = fieldsOf(fieldsOf(record.payload).info)
      const { total_tokens } = fieldsOf(info.last_token_usage)
      return fullnessOf(total_tokens, info.model_context_window, (window) => compactsAt(window, place))
    }),
  // The same shape, down to the names of the events.
  hooks: { ...claudeHooks, isUnattended },
  // The person must trust each hook. The configuration is TOML: the server is a table at its end, and JSON strings are valid there.
  setup: (place) => [
    ...hookGroups(join(place.root, '.codex', 'hooks.json'), place, EVENTS),
    skillIn(place, '.agents'),
    {
      type: 'block',
      path: join(place.root, '.codex', 'config.toml'),
      comment: '#',
      text: `[mcp_servers.handoff]
command = ${JSON.stringify(place.mcp.command)}
args = [${place.mcp.args.map((arg) => JSON.stringify(arg)).join(', ')}]
`,
    },
  ],
  traces: ({ root, ...place }) => ({ project: [join(root, '.codex')], home: [codexFolder(place)] }),
  afterSetup: [
    'Trust this folder, then the hooks where it says "Hooks need review"; until then it skips them silently.',
    'The skill is called $handoff there.',
  ],
  // Trust of the folder and the digest of each trusted hook (`hooks.state."<file>:<event>:<group>:<hook>"`) in `config.toml` (0.169).
  async trust({ root, hookCommand, ...place }: SetupPlace) {
    const where = join(codexFolder(place), 'config.toml')
    const config = await readToml(where)
    const state = fieldsOf(fieldsOf(config.hooks).state)
    const file = join(root, '.codex', 'hooks.json')
    const ours = EVENTS.map(([, event]) => hookCommand(event))
    const waiting = Object.entries(fieldsOf(fieldsOf(readSettings(file)).hooks)).flatMap(([event, groups]) =>
      itemsOf(groups).flatMap((group, at) =>
        itemsOf(group.hooks).flatMap((hook, inner) => {
          if (!ours.includes(textOf(hook.command))) return []
          const { trusted_hash } = fieldsOf(state[`${file}:${snake(event)}:${at}:${inner}`])
          return trusted_hash === `sha256:${digestOf(event, group, hook)}` ? [] : [event]
        }),
      ),
    )
    return { folder: fieldsOf(fieldsOf(config.projects)[root]).trust_level === 'trusted', waiting, where }
  },
  // `exec -` takes the prompt from standard input.
  launch: {
    ...usualLaunch,
    program: 'codex',
    headless: (prompt) => ({ args: ['exec', '-'], stdin: prompt }),
    passEnv: ['OPENAI_*', 'CODEX_HOME', 'CODEX_API_KEY', 'AZURE_OPENAI_*'],
    skillLine: (name) => `$${name}`,
    ready: /Ask Codex to do anything/,
    busy: /esc to interrupt/,
    fork: { args: ({ id }, model) => [...ASKED, ...modelArgs(model), 'fork', id, '-'] },
    ask: {
      args: (model) => [...ASKED, ...modelArgs(model), '-'],
      provider: 'openai',
      expands: '@$',
      // What OpenAI answered, in its words; other services may say it otherwise, which is a failure like any other then.
      failure: ({ stdout, stderr }, model) => {
        const records = printedRecords(stdout)
        const failed = records.findLast(({ type }) => type === 'turn.failed')
        const errors = records.filter(({ type }) => type === 'error').map(({ message }) => textOf(message))
        // That it tries anew is no reason; what it complains about beside may be one.
        const told = errors.findLast((message) => !RETRY.test(message))
        const retry = stderr.trim() === '' ? errors.at(-1) : ''
        const said = sentenceIn(textOf(fieldsOf(failed?.error).message) || told || retry || '')
        if (said === '') return null
        return { said, isUnknownModel: model !== null && isOfModel(said, model) }
      },
      blocks: (stdout) =>
        printedRecords(stdout)
          .map(({ type, item }) => (type === 'item.completed' ? fieldsOf(item) : {}))
          .filter(({ type }) => type === 'agent_message')
          .map(({ text }) => textOf(text)),
    },
  },
}

/** Most heads that one search reads, those of the files changed last: about 0.1 s of work, months of heavy use. */
const MAX_HEADS = 4000
/** Newest rollouts whose last turns are looked at: 100 long ones take 20 ms. */
const MAX_TAILS = 100

/**
 * Threads of persons that were started inside one of `roots`, newest first. All day folders are listed, since a
 * resumed thread grows in the folder of its first day; heads are read in the order of the files' last change and at
 * most 4,000 of them. Of the files of a rewound thread only the newest is a session. The SQLite index is not used:
 * its name and columns change with the version.
 */
async function find(...[place, roots, onUnread]: Parameters<Adapter['find']>): Promise<SessionRef[]> {
  const files = rolloutFolders(codexFolder(place), onUnread)
    .flatMap((folder) => rolloutsIn(folder, onUnread))
    .map((path) => ({ path, changed: changedAt(path) }))
    .sort((a, b) => b.changed - a.changed || (a.path < b.path ? 1 : -1))
  const newest = new Map<string, Rollout>()
  const isKnown = (): boolean => true
  const written = roots.map((root) => JSON.stringify(root).slice(1, -1))
  const packed = files.find(({ path }) => isPacked(path))
  // Whether they are of here is not known then.
  if (packed !== undefined && !canUnpack())
    onUnread?.(sessionPacked(packed.path, process.version), packed.changed)
  for (const [nth, { path }] of files.slice(0, MAX_HEADS).entries()) {
    if (isPacked(path) && !canUnpack()) continue
    // Most rollouts belong elsewhere and need no closer look; a thread that moves is at work.
    const isRecent = nth < MAX_TAILS && !isPacked(path)
    const ends = refAt(path, (one) => readStartAndCwd(one, isRecent), onUnread)
    const { start, last } = ends ?? { start: '', last: null }
    if (!isWithin(last, roots) && !written.some((root) => start.includes(root))) continue
    const begun = refAt(path, (one) => rolloutOf(one, start), onUnread)
    const rollout = begun === null ? null : { ...begun, cwd: last ?? begun.cwd }
    if (!rollout || rollout.helper || !isWithin(rollout.cwd, roots)) continue
    const other = newest.get(rollout.thread)
    if (!other || other.id < rollout.id) newest.set(rollout.thread, rollout)
  }
  const found = [...newest.values()].map((one) => refAt(one.path, () => refOf(one), onUnread, isKnown))
  return sessionsIn(found, roots)
}

function refOf({ path, thread, cwd, startedAt }: Rollout): SessionRef | null {
  const end = readEnd(path)
  if (!end) return null
  const branch = textOf(fieldsOf(readMeta(path).git).branch)
  return { agent: 'codex', id: thread, path, cwd, startedAt, ...end, ...(branch ? { branch } : {}) }
}

/** The window that rollouts tell is 95 % of the model's, and Codex compacts at 90 % of the latter, or earlier where the person says so. */
function compactsAt(window: number, place: Home): number {
  const usual = Math.floor((window * 90) / 95)
  const set = /^model_auto_compact_token_limit *= *([\d_]+)/m.exec(
    orNull(() => readFileSync(join(codexFolder(place), 'config.toml'), 'utf8')) ?? '',
  )?.[1]
  const limit = Number(set?.replaceAll('_', ''))
  return limit > 0 ? Math.min(limit, usual) : usual
}

/** Not what else of a request is not supported with it: the model itself is the subject of the sentence. */
function isOfModel(said: string, model: string): boolean {
  const [, first, second] =
    /\bThe (?:model ['"`]?(\S+?)['"`]?|['"`]?(\S+?)['"`]? model) (?:does not exist|is not supported)\b/.exec(
      said,
    ) ?? []
  return (first ?? second) === model
}

/** What an `error` record says while Codex 0.169 goes on. */
const RETRY = /^Reconnecting\.\.\. \d+\/\d+/

/** One answer, nothing kept, nothing written, no shell. */
const ASKED = [
  ...['exec', '--json', '--ephemeral', '--skip-git-repo-check', '--sandbox', 'read-only'],
  ...['--disable', 'shell_tool', '--disable', 'unified_exec'],
]

/** `codex exec` (`source` is "exec"), and threads that another one started; an older subagent names no `thread_source` (0.118 to 0.169). */
function isUnattended({ path }: HookCall): boolean {
  if (path === null) return false
  const { source, thread_source: by = 'user' } = readMeta(path)
  return source === 'exec' || typeof source === 'object' || by !== 'user'
}

/** SessionEnd comes only when the program ends in order, so each Stop counts; more than 3 s it gives no last hook. */
export const EVENTS: readonly [string, HookEvent, number][] = [
  ['SessionStart', 'session-start', 10],
  ['UserPromptSubmit', 'prompt', 10],
  ['Stop', 'stop', 10],
  ['PreCompact', 'pre-compact', 10],
  ['Interrupt', 'interrupt', 3],
  ['SessionEnd', 'session-end', 3],
]

/** Seconds that a hook has without a limit of its own, and the most that these two are given. */
const USUAL = 600
const SHORT: Readonly<Record<string, number>> = { SessionEnd: 3, Interrupt: 3 }

const snake = (event: string): string => event.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase()

/** Sha-256 of the hook as JSON with sorted names and no spaces, the time limit as it is kept. */
function digestOf(event: string, { matcher }: Fields, { command, timeout }: Fields): string {
  const seconds = Math.min(
    typeof timeout === 'number' ? timeout : USUAL,
    SHORT[event] ?? Number.POSITIVE_INFINITY,
  )
  const identity = {
    event_name: snake(event),
    hooks: [{ async: false, command, timeout: seconds, type: 'command' }],
    ...(matcher === undefined ? {} : { matcher }),
  }
  return createHash('sha256').update(JSON.stringify(identity)).digest('hex')
}

async function readToml(path: string): Promise<Fields> {
  const { parse } = await import('smol-toml')
  // Null: missing, or nothing that Codex could read either.
  return fieldsOf(orNull(() => parse(readFileSync(path, 'utf8'))))
}
