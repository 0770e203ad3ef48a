import { join } from 'node:path'
import type { HookEvent, SetupEdit, SetupPlace } from '../../types/agent.ts'

/** Gemini CLI 0.61: hooks and MCP server in the project's settings, `/handoff` as a custom command of the project. */
export function geminiSetup(place: SetupPlace): SetupEdit[] {
  const settings = join(place.root, '.gemini', 'settings.json')
  return [
    ...EVENTS.map(([name, event, more]): SetupEdit => {
      // Where it has no name, the client shows the whole line of shell with every message of the hook.
      const hook = { name: 'handoff', type: 'command', command: place.hookCommand(event), timeout: TIMEOUT }
      return { type: 'json-item', path: settings, at: ['hooks', name], value: { ...more, hooks: [hook] } }
    }),
    {
      type: 'file',
      path: join(place.root, '.gemini', 'commands', 'handoff.toml'),
      content: place.template('gemini-handoff.toml'),
    },
    {
      type: 'json-value',
      path: settings,
      at: ['mcpServers', 'handoff'],
      value: { command: place.mcp.command, args: place.mcp.args },
    },
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
