import { dirname, join } from 'node:path'
import type { Adapter, Fullness, HookCall, HookEvent, HookTrust, SetupPlace } from '../../types/agent.ts'
import type { Home } from '../../types/config.ts'
import type { SessionRef } from '../../types/session.ts'
import { loaded } from '../content.ts'
import { type Fields, fieldsOf, itemsOf, numberOf, recordOf, textOf } from '../fields.ts'
import { fullnessOf, lastRecord } from '../fullness.ts'
import { answerBy, readCall } from '../hooks.ts'
import {
  ancestorsOf,
  hookGroups,
  mcpServer,
  modelArgs,
  NAMED,
  readSettings,
  sentenceIn,
  skillIn,
  usualLaunch,
} from '../setup.ts'
import { findGeminiFiles, geminiHeader, geminiWindow, readGeminiRef } from './files.ts'

/** Gemini CLI 0.61 (`@google/gemini-cli`): one JSONL file per session, a log of changes to a list of messages. */
export const geminiCli: Adapter = {
  id: 'gemini-cli',
  label: 'Gemini CLI',
  basis: { is: 'recorded', of: '@google/gemini-cli 0.61.0' },
  marks: ['GEMINI_CLI'],
  // The id of the session is told to hooks only.
  sessionMarks: ['GEMINI_SESSION_ID'],
  find: findGeminiFiles,
  identify: async (path, head) => (geminiHeader(head) ? readGeminiRef(path) : null),
  read: loaded(async () => (await import('./read.ts')).readGeminiSession),
  fullness,
  // Text for the model arrives between `<hook_context>` tags with `<` and `>` escaped, and the client tells its model that it is data.
  hooks: {
    read: readHook,
    answer: answerBy({ 'session-start': 'SessionStart', prompt: 'BeforeAgent' }),
    unattended: { program: /(?:^|\/)gemini(?:\.js)?$/, options: ['-p', '--prompt'] },
    // What a hook answers at the start of a session that follows `/clear` is thrown away (seen): its first prompt is the next chance.
    isHeard: (event, { source }) => event !== 'session-start' || source !== 'clear',
  },
  // `/handoff` is the skill that Codex reads too: beside a command of that name the client would rename both.
  setup: (place) => [
    ...hookGroups(join(place.root, '.gemini', 'settings.json'), place, EVENTS, ['hooks'], NAMED),
    skillIn(place, '.agents'),
    mcpServer(place, '.gemini', 'settings.json'),
  ],
  traces: ({ root, home, env }) => ({
    project: [join(root, '.gemini'), join(root, 'GEMINI.md')],
    // Antigravity has a folder of its own in there.
    home: ['settings.json', 'tmp', 'installation_id', 'oauth_creds.json'].map((name) =>
      join(env.GEMINI_CLI_HOME || home, '.gemini', name),
    ),
  }),
  afterSetup: [
    'At its next start it asks whether to trust this folder. Answer yes: otherwise it ignores all this and does not start without a terminal.',
  ],
  trust,
  // A positional prompt works as `-i` where there is a terminal; headless reads standard input.
  launch: {
    ...usualLaunch,
    program: 'gemini',
    interactive: (prompt) => ({ args: ['-i', prompt] }),
    headless: (prompt) => ({ args: ['-p', ''], stdin: prompt }),
    passEnv: ['GEMINI_*', 'GOOGLE_*', 'CLOUDSDK_*'],
    ready: /Type your message/,
    refusesBackquotes: true,
    fork: { args: ({ path }, model) => [...ASKED, '--session-file', path, ...modelArgs(model)] },
    ask: {
      args: (model) => [...ASKED, ...modelArgs(model)],
      provider: 'google',
      expands: '@',
      failure: ({ stdout, stderr }) => {
        const [said = ''] = [stdout, stderr]
          .map((text) => textOf(fieldsOf(printedIn(text).error).message))
          .filter(Boolean)
        return said === '' ? null : { said: sentenceIn(said) }
      },
      blocks: (stdout) => {
        const { response } = printedIn(stdout)
        return textOf(response) === '' ? [] : [textOf(response)]
      },
    },
  },
}

/** After a resume the path told at the start is that of a second, empty file. */
function readHook(payload: unknown): HookCall {
  const fields = fieldsOf(payload)
  const call = readCall(fields)
  const path = fields.hook_event_name === 'SessionStart' && call.source === 'resume' ? null : call.path
  return { ...call, path, text: textOf(fields.prompt_response) || call.text }
}

/** Tokens of the last request; null when the history was compacted since, and for models that are not Google's. */
async function fullness({ path }: Pick<SessionRef, 'path'>, place: Home): Promise<Fullness | null> {
  const last = lastRecord(path, '"type":"gemini"', (record) => {
    const messages = fieldsOf(record.$set).messages
    if (!Array.isArray(messages)) return requestOf(record)
    // A copy of the history: that of a compaction holds no request, that of a resumed session all of them.
    return (
      itemsOf(messages)
        .map(requestOf)
        .findLast((one) => one !== null) ?? NOTHING
    )
  })
  if (last === null || last.tokens === 0) return null
  return fullnessOf(last.tokens, geminiWindow(last.model), (window) => Math.floor(window * threshold(place)))
}

/** Part of the window at which the client compresses (`core/chatCompressionService.js`), unless the person's settings tell another. */
const COMPRESSES = 0.5

function threshold({ home, env }: Home): number {
  const settings = readSettings(join(env.GEMINI_CLI_HOME || home, '.gemini', 'settings.json'))
  const set = numberOf(fieldsOf(fieldsOf(settings).model).compressionThreshold)
  return set !== null && set > 0 && set <= 1 ? set : COMPRESSES
}

const NOTHING = { tokens: 0, model: '' }

function requestOf({ type, tokens, model }: Fields): { tokens: number; model: string } | null {
  const input = numberOf(fieldsOf(tokens).input) ?? 0
  return type === 'gemini' && input > 0 ? { tokens: input, model: textOf(model) } : null
}

/** How long each may take, in milliseconds. */
const TIMEOUT = 10_000

/** Its own name of each event, and ours. PreCompress comes before every request (`auto`), whether anything is compressed or not. */
const EVENTS: readonly [string, HookEvent, number, object?][] = [
  ['SessionStart', 'session-start', TIMEOUT],
  ['BeforeAgent', 'prompt', TIMEOUT],
  ['AfterAgent', 'stop', TIMEOUT],
  ['PreCompress', 'pre-compact', TIMEOUT, { matcher: 'manual' }],
  ['SessionEnd', 'session-end', TIMEOUT],
]

/** `trustedFolders.json` trusts a folder or the one above it; `security.folderTrust.enabled`, `GEMINI_CLI_TRUST_WORKSPACE` go before (0.61). */
async function trust({ root, home, env }: SetupPlace): Promise<HookTrust> {
  const folder = join(env.GEMINI_CLI_HOME || home, '.gemini')
  const where = join(folder, 'trustedFolders.json')
  const { security } = fieldsOf(readSettings(join(folder, 'settings.json')))
  const isAsked = fieldsOf(fieldsOf(security).folderTrust).enabled !== false
  const said = fieldsOf(readSettings(where))
  const above = ancestorsOf(root)
  const isTrusted =
    said[root] !== 'DO_NOT_TRUST' &&
    Object.entries(said).some(
      ([path, answer]) =>
        (answer === 'TRUST_FOLDER' && above.includes(path)) ||
        (answer === 'TRUST_PARENT' && above.includes(dirname(path))),
    )
  return { folder: !isAsked || env.GEMINI_CLI_TRUST_WORKSPACE === 'true' || isTrusted, waiting: [], where }
}

/** One answer; a tool that changes something would ask, and nobody answers. */
const ASKED = ['-p', '', '--output-format', 'json', '--approval-mode', 'default', '--extensions', 'none']

/** The one record among what it printed; a warning may stand before it, on lines of its own or on that of the record. */
function printedIn(text: string): Fields {
  const below = recordOf(text.slice(Math.max(0, text.search(/^\{/m))))
  return Object.keys(below).length > 0 ? below : recordOf(text.slice(Math.max(0, text.indexOf('{'))))
}
