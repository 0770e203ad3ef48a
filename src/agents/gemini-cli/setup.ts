import { dirname, join } from 'node:path'
import type { HookEvent, HookTrust, Launch, SetupEdit, SetupPlace } from '../../types/agent.ts'
import { type Fields, fieldsOf, recordOf, textOf } from '../fields.ts'
import { ancestorsOf, fileFrom, mcpServer, modelArgs, readSettings, sentenceIn } from '../setup.ts'

/** Gemini CLI 0.61: hooks and MCP server in the project's settings, `/handoff` as a custom command of the project. */
export function geminiSetup(place: SetupPlace): SetupEdit[] {
  const settings = join(place.root, '.gemini', 'settings.json')
  return [
    ...EVENTS.map(([name, event, more]): SetupEdit => {
      // Where it has no name, the client shows the whole line of shell with every message of the hook.
      const hook = { name: 'handoff', type: 'command', command: place.hookCommand(event), timeout: TIMEOUT }
      return { type: 'json-item', path: settings, at: ['hooks', name], value: { ...more, hooks: [hook] } }
    }),
    fileFrom(place, 'gemini-handoff.toml', '.gemini', 'commands', 'handoff.toml'),
    mcpServer(place, '.gemini', 'settings.json'),
  ]
}

/** How long each may take, in milliseconds. */
const TIMEOUT = 10_000

/** Its own name of each event, and ours. PreCompress comes before every request (`auto`), whether anything is compressed or not. */
const EVENTS: readonly [string, HookEvent, { matcher: string }?][] = [
  ['SessionStart', 'session-start'],
  ['BeforeAgent', 'prompt'],
  ['AfterAgent', 'stop'],
  ['PreCompress', 'pre-compact', { matcher: 'manual' }],
  ['SessionEnd', 'session-end'],
]

export const geminiTraces = ({ root, home, env }: Pick<SetupPlace, 'root' | 'home' | 'env'>) => ({
  project: [join(root, '.gemini'), join(root, 'GEMINI.md')],
  // Antigravity has a folder of its own in there.
  home: ['settings.json', 'tmp', 'installation_id', 'oauth_creds.json'].map((name) =>
    join(env.GEMINI_CLI_HOME || home, '.gemini', name),
  ),
})

/**
 * Gemini CLI 0.61: `trustedFolders.json` says of a folder whether it is trusted with all below it, or that above it; the setting
 * `security.folderTrust.enabled` turns the question off, `GEMINI_CLI_TRUST_WORKSPACE` answers it.
 */
export async function geminiTrust({ root, home, env }: SetupPlace): Promise<HookTrust> {
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

/** How Gemini CLI 0.61 is started: a positional prompt works as `-i` where there is a terminal; headless reads standard input. */
export const geminiLaunch: Launch = {
  program: 'gemini',
  interactive: (prompt) => ({ args: ['-i', prompt] }),
  headless: (prompt) => ({ args: ['-p', ''], stdin: prompt }),
  passEnv: ['GEMINI_*', 'GOOGLE_*', 'CLOUDSDK_*'],
  skillLine: (name) => `/${name}`,
  ready: /Type your message/,
  exitLine: '/quit',
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
}

/** The one record among what it printed; a warning may stand before it, on lines of its own or on that of the record. */
function printedIn(text: string): Fields {
  const below = recordOf(text.slice(Math.max(0, text.search(/^\{/m))))
  return Object.keys(below).length > 0 ? below : recordOf(text.slice(Math.max(0, text.indexOf('{'))))
}
