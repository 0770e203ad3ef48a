import { join } from 'node:path'
import type { HookEvent, SetupEdit, SetupPlace } from '../../types/agent.ts'
import { hookGroups } from '../hook-groups.ts'

/**
 * Codex 0.169: hooks of the project, each of which the person must trust, the skill `$handoff`, and the MCP server. Its
 * configuration is TOML, so the server is a table at the end of the file. A string of JSON means the same in TOML.
 */
export const codexSetup = (place: SetupPlace): SetupEdit[] => [
  ...hookGroups(join(place.root, '.codex', 'hooks.json'), place, EVENTS),
  {
    type: 'file',
    path: join(place.root, '.agents', 'skills', 'handoff', 'SKILL.md'),
    content: place.template('SKILL.md'),
  },
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
