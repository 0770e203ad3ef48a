import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HookEvent, HookTrust, Launch, SetupEdit, SetupPlace } from '../../types/agent.ts'
import { type Fields, fieldsOf, listOf, textOf } from '../fields.ts'
import { hookGroups, modelArgs, printedRecords, readSettings, sentenceIn, skillIn } from '../setup.ts'

/**
 * Codex 0.169: hooks of the project, each of which the person must trust, the skill `$handoff`, and the MCP server. Its
 * configuration is TOML, so the server is a table at the end of the file. A string of JSON means the same in TOML.
 */
export const codexSetup = (place: SetupPlace): SetupEdit[] => [
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
]

/** SessionEnd comes only when the program ends in order, so each Stop counts; more than 3 s it gives no last hook. */
const EVENTS: readonly [string, HookEvent, number][] = [
  ['SessionStart', 'session-start', 10],
  ['UserPromptSubmit', 'prompt', 10],
  ['Stop', 'stop', 10],
  ['PreCompact', 'pre-compact', 10],
  ['Interrupt', 'interrupt', 3],
  ['SessionEnd', 'session-end', 3],
]

export const codexTraces = ({ root, home, env }: Pick<SetupPlace, 'root' | 'home' | 'env'>) => ({
  project: [join(root, '.codex')],
  home: [env.CODEX_HOME || join(home, '.codex')],
})

/**
 * Codex 0.169: `projects."<folder>".trust_level` of its `config.toml`, and for each hook the digest that its person has trusted
 * under `hooks.state."<file>:<event>:<group>:<hook>"`. A hook that was changed since waits anew.
 */
export async function codexTrust({ root, home, env, hookCommand }: SetupPlace): Promise<HookTrust> {
  const where = join(env.CODEX_HOME || join(home, '.codex'), 'config.toml')
  const config = await readToml(where)
  const state = fieldsOf(fieldsOf(config.hooks).state)
  const file = join(root, '.codex', 'hooks.json')
  const ours = hooksIn(fieldsOf(fieldsOf(readSettings(file)).hooks)).filter(({ hook }) =>
    EVENTS.some(([, event]) => textOf(hook.command) === hookCommand(event)),
  )
  const waiting = ours
    .filter(
      ({ event, at, inner, group, hook }) =>
        fieldsOf(state[`${file}:${snake(event)}:${at}:${inner}`]).trusted_hash !==
        `sha256:${digestOf(event, group, hook)}`,
    )
    .map(({ event }) => event)
  return {
    folder: fieldsOf(fieldsOf(config.projects)[root]).trust_level === 'trusted',
    waiting,
    where,
  }
}

/** Seconds that a hook has without a limit of its own, and the most that these two are given. */
const USUAL = 600
const SHORT: Readonly<Record<string, number>> = { SessionEnd: 3, Interrupt: 3 }

interface PlacedHook {
  event: string
  /** Place of the group in its list, and of the hook in its group. */
  at: number
  inner: number
  group: Fields
  hook: Fields
}

const hooksIn = (hooks: Fields): PlacedHook[] =>
  Object.entries(hooks).flatMap(([event, groups]) =>
    listOf(groups).flatMap((one, at) => {
      const group = fieldsOf(one)
      return listOf(group.hooks).map((hook, inner) => ({ event, at, inner, group, hook: fieldsOf(hook) }))
    }),
  )

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
  try {
    return fieldsOf(parse(readFileSync(path, 'utf8')))
  } catch {
    return {} // Missing, or nothing that Codex could read either.
  }
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

/** How Codex 0.169 is started; `exec -` takes the prompt from standard input. */
export const codexLaunch: Launch = {
  program: 'codex',
  interactive: (prompt) => ({ args: [prompt] }),
  headless: (prompt) => ({ args: ['exec', '-'], stdin: prompt }),
  passEnv: ['OPENAI_*', 'CODEX_HOME', 'CODEX_API_KEY', 'AZURE_OPENAI_*'],
  skillLine: (name) => `$${name}`,
  ready: /Ask Codex to do anything/,
  busy: /esc to interrupt/,
  exitLine: '/exit',
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
}
