import { join } from 'node:path'
import type { HookEvent, SetupEdit, SetupPlace } from '../types.ts'
import { hookGroups } from './hook-groups.ts'

/** Gemini CLI 0.61: hooks and MCP server in the project's settings, `/handoff` as a custom command of the project. */
export function geminiSetup(place: SetupPlace): SetupEdit[] {
  const settings = join(place.root, '.gemini', 'settings.json')
  return [
    ...hookGroups(settings, place, EVENTS).map(onlyManual),
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

/** Its own name of each event, ours, and how long it may take in milliseconds. */
const EVENTS: readonly [string, HookEvent, number][] = [
  ['SessionStart', 'session-start', 10_000],
  ['BeforeAgent', 'prompt', 10_000],
  ['AfterAgent', 'stop', 10_000],
  ['PreCompress', 'pre-compact', 10_000],
  ['SessionEnd', 'session-end', 10_000],
]

/** PreCompress comes before every request of the model (`auto`), whether or not anything is compressed. */
const onlyManual = (edit: SetupEdit): SetupEdit =>
  edit.type === 'json-item' && edit.at[1] === 'PreCompress'
    ? { ...edit, value: { matcher: 'manual', ...Object(edit.value) } }
    : edit

export const geminiTraces = ({ root, home, env }: Pick<SetupPlace, 'root' | 'home' | 'env'>) => ({
  project: [join(root, '.gemini'), join(root, 'GEMINI.md')],
  home: [join(env.GEMINI_CLI_HOME || home, '.gemini')],
})
