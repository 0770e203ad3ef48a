import { dirname, join } from 'node:path'
import type { Adapter, HookEvent, SetupPlace } from '../../types/agent.ts'
import type { SessionRef } from '../../types/session.ts'
import { loaded, wordsIn } from '../content.ts'
import { type Fields, fieldsOf, jsonOf, listOf, recordOf, textOf, timeOf } from '../fields.ts'
import { fullnessOf, lastRecord } from '../fullness.ts'
import { readCall } from '../hooks.ts'
import { entriesIn, fileRef, isWithin, readEnds, refAt, sessionsIn, textIfThere } from '../session-files.ts'
import {
  ancestorsOf,
  jsonValue,
  modelArgs,
  printedRecords,
  readSettings,
  sentenceIn,
  skillIn,
  usualLaunch,
} from '../setup.ts'

/** Events whose answer reaches the model (1.0.102); the others take none that would not make the turn go on. */
const HEARD: ReadonlySet<HookEvent> = new Set(['session-start', 'prompt'])

/** GitHub Copilot CLI 1.0.102 (`@github/copilot`): a folder per session with one JSONL file of events. */
export const copilotCli: Adapter = {
  id: 'copilot-cli',
  label: 'GitHub Copilot CLI',
  basis: { is: 'recorded', of: '@github/copilot 1.0.102' },
  marks: ['COPILOT_AGENT_SESSION_ID', 'COPILOT_CLI'],
  sessionMarks: ['COPILOT_AGENT_SESSION_ID'],
  find: findCopilotFiles,
  identify: async (path, head) => (copilotStart(head) ? readCopilotRef(path) : null),
  read: loaded(async () => (await import('./read.ts')).readCopilotSession),
  // The last request, or what a compaction left when none came after it (1.0.102). Receipts of subagents have an `agentId`.
  fullness: async ({ path }) =>
    lastRecord(path, '"type":"session.', ({ type, agentId, data: given }) => {
      const data = fieldsOf(given)
      const used = fieldsOf(data.usage)
      if (textOf(agentId) !== '') return null
      if (type === 'session.usage_record') return fullnessOf(used.inputTokens, used.maxPromptTokens, compacts)
      return type === 'session.compaction_complete' && data.success === true
        ? fullnessOf(data.postCompactionTokens, data.tokenLimit, compacts)
        : null
    }),
  hooks: {
    read: (payload) => readCall(fieldsOf(payload)),
    answer,
    unattended: { program: /(?:^|\/)copilot(?:\.js)?$/, options: ['-p', '--prompt'] },
    isHeard: (event) => HEARD.has(event),
  },
  // Read once the folder is trusted: every file of `.github/hooks`, skills (`.github` wins over `.agents` and `.claude`), `.github/mcp.json`.
  // It also reads `.mcp.json` and the hooks of `.claude/settings.json`.
  setup: (place) => [
    { type: 'file', path: join(place.root, '.github', 'hooks', 'handoff.json'), content: hooksFile(place) },
    skillIn(place, '.github'),
    jsonValue(join(place.root, '.github', 'mcp.json'), ['mcpServers', 'handoff'], {
      type: 'local',
      ...place.mcp,
      tools: ['*'],
    }),
  ],
  traces: ({ root, home, env }) => ({
    project: ['copilot-instructions.md', 'hooks', 'mcp.json'].map((name) => join(root, '.github', name)),
    // That of JetBrains has a folder of its own in there.
    home: ['config.json', 'session-state', 'logs'].map((name) =>
      join(env.COPILOT_HOME || join(home, '.copilot'), name),
    ),
  }),
  afterSetup: [
    'At its next start it asks whether to trust this folder. Answer yes: otherwise it ignores the hooks and the server.',
  ],
  // `trustedFolders` of its `config.json`.
  async trust({ root, home, env }) {
    const where = join(env.COPILOT_HOME || join(home, '.copilot'), 'config.json')
    const trusted = listOf(fieldsOf(readSettings(where)).trustedFolders)
    return { folder: ancestorsOf(root).some((path) => trusted.includes(path)), waiting: [], where }
  },
  // With a provider of its own it needs no GitHub account.
  launch: {
    ...usualLaunch,
    program: 'copilot',
    interactive: (prompt) => ({ args: ['-i', prompt] }),
    headless: (prompt) => ({ args: ['-p', prompt] }),
    passEnv: wordsIn(`COPILOT_HOME COPILOT_CACHE_HOME COPILOT_MODEL COPILOT_OFFLINE COPILOT_AUTO_UPDATE
      COPILOT_PROVIDER_* COPILOT_GITHUB_TOKEN GH_TOKEN GITHUB_TOKEN`),
    ready: /\? help/,
    ask: {
      args: (model) => [
        ...['--output-format', 'json', '--no-custom-instructions', '--disable-builtin-mcps'],
        // No tool has this name, and only those named are there.
        ...['--available-tools', 'none'],
        ...modelArgs(model),
      ],
      expands: '@',
      failure: ({ stdout }) => {
        const failed = printedRecords(stdout).findLast(({ type }) => type === 'session.error')
        const said = sentenceIn(textOf(fieldsOf(failed?.data).message))
        return said === '' ? null : { said }
      },
      blocks: (stdout) =>
        printedRecords(stdout)
          .filter(({ type }) => type === 'assistant.message')
          .map(({ data }) => textOf(fieldsOf(data).content))
          .filter((text) => text !== ''),
    },
  },
}

/** The text reaches the model before or behind the prompt. Nothing can be shown to the person alone, so the model is asked to pass it on. */
function answer(
  event: HookEvent,
  { context, notice }: { context: string | null; notice: string | null },
): string {
  if (!HEARD.has(event)) return ''
  const said = [
    context,
    notice === null ? null : `Before anything else, tell the user this line as it stands: ${notice}`,
  ]
  const additionalContext = said.filter((text) => text !== null).join('\n\n')
  return additionalContext === '' ? '' : `${JSON.stringify({ additionalContext })}\n`
}

/** The client begins to compact in the background at this part of the limit (1.0). */
const compacts = (window: number): number => Math.floor(window * 0.8)

const EVENTS: readonly [string, HookEvent][] = [
  ['sessionStart', 'session-start'],
  ['userPromptSubmitted', 'prompt'],
  ['agentStop', 'stop'],
  ['preCompact', 'pre-compact'],
  ['sessionEnd', 'session-end'],
]

/** Seconds a hook may take. */
const TIME_LIMIT = 10

function hooksFile({ hookCommand, notSetUp }: SetupPlace): string {
  const hook = (line: string) => ({ type: 'command', bash: line, powershell: line, timeoutSec: TIME_LIMIT })
  const hooks = Object.fromEntries(
    EVENTS.map(([name, event]) => [
      name,
      [hookCommand(event), ...(event === 'session-start' && notSetUp !== undefined ? [notSetUp] : [])].map(
        hook,
      ),
    ]),
  )
  return `${JSON.stringify({ version: 1, hooks }, null, 2)}\n`
}

/** Sessions inside one of `roots`, newest first, each in a folder; `COPILOT_HOME` relocates the client's whole home. */
async function findCopilotFiles(
  ...[{ home, env }, roots, onUnread]: Parameters<Adapter['find']>
): Promise<SessionRef[]> {
  const folder = join(env.COPILOT_HOME || join(home, '.copilot'), 'session-state')
  const found = entriesIn(folder, onUnread)
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => {
      const { cwd } = workspaceOf(join(folder, name))
      // Most sessions belong elsewhere and need no closer look.
      const path = join(folder, name, 'events.jsonl')
      return cwd === '' || isWithin(cwd, roots)
        ? refAt(path, readCopilotRef, onUnread, (head) => copilotStart(head) !== null)
        : null
    })
  return sessionsIn(found, roots)
}

/** What `workspace.yaml` beside the events says, which follows the session as it moves; empty texts without it. */
function workspaceOf(folder: string): { cwd: string; branch: string; name: string } {
  const path = join(folder, 'workspace.yaml')
  const text = textIfThere(path) ?? ''
  const value = (key: string): string => plain(new RegExp(`^${key}: +(.*)$`, 'm').exec(text)?.[1] ?? '')
  return { cwd: value('cwd'), branch: value('branch'), name: value('name') }
}

/** A YAML scalar of one line; empty for one that goes on below. */
function plain(scalar: string): string {
  if (/^[|>]/.test(scalar)) return ''
  if (/^'.*'$/.test(scalar)) return scalar.slice(1, -1).replaceAll("''", "'")
  if (!scalar.startsWith('"')) return scalar.trim()
  // YAML has escapes that JSON does not have.
  return textOf(jsonOf(scalar))
}

/** The record a session begins with, or null when a text is not the start of one. */
export function copilotStart(head: string): Fields | null {
  const line = head.split('\n', 1)[0] ?? ''
  if (!line.startsWith('{"type":"session.start"')) return null
  const data = fieldsOf(recordOf(line).data)
  return textOf(data.sessionId) === '' ? null : data
}

/** The time stands behind what may be a long text, so a line whose beginning was cut off tells it as well. */
export const lastTimeIn = (tail: string): string | null =>
  timeOf([...tail.matchAll(/"timestamp":"([^"]+)"(?:,"parentId":(?:null|"[^"]*"))?\}$/gm)].at(-1)?.[1])

/** The reference of one file of events; null when it is none, is gone, or is a helper the client started by itself. */
export function readCopilotRef(path: string): SessionRef | null {
  const ends = readEnds(path)
  const start = ends && copilotStart(ends.head)
  if (!start || textOf(start.detachedFromSpawningParentSessionId) !== '') return null
  const { cwd, branch, name } = workspaceOf(dirname(path))
  const context = fieldsOf(start.context)
  return fileRef('copilot-cli', path, ends, {
    id: textOf(start.sessionId),
    cwd: cwd || context.cwd,
    from: start.startTime,
    to: lastTimeIn(ends.tail),
    title: name,
    branch: branch || context.branch,
  })
}
