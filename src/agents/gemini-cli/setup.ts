import { dirname, join } from 'node:path'
import type { HookEvent, HookTrust, SetupEdit, SetupPlace } from '../../types/agent.ts'
import { fieldsOf } from '../fields.ts'
import { ancestorsOf, fileFrom, mcpServer, readSettings } from '../setup.ts'

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
  home: [join(env.GEMINI_CLI_HOME || home, '.gemini')],
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
