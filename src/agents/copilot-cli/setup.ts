import { join } from 'node:path'
import type { HookEvent, SetupEdit, SetupPlace } from '../../types/agent.ts'

/**
 * Copilot CLI 1.0.102, all at project level and read once the folder is trusted, in headless turns too: every file of
 * `.github/hooks` holds hooks, `/handoff` is a skill, of which the one in `.github` wins over the same in `.agents` or
 * `.claude`, and `.github/mcp.json` names servers. It also reads `.mcp.json` and the hooks of `.claude/settings.json`.
 */
export const copilotSetup = (place: SetupPlace): SetupEdit[] => [
  { type: 'file', path: join(place.root, '.github', 'hooks', 'handoff.json'), content: hooksFile(place) },
  {
    type: 'file',
    path: join(place.root, '.github', 'skills', 'handoff', 'SKILL.md'),
    content: place.template('SKILL.md'),
  },
  {
    type: 'json-value',
    path: join(place.root, '.github', 'mcp.json'),
    at: ['mcpServers', 'handoff'],
    value: { type: 'local', command: place.mcp.command, args: place.mcp.args, tools: ['*'] },
  },
]

/** Its own name of each event, and ours. */
const EVENTS: readonly [string, HookEvent][] = [
  ['sessionStart', 'session-start'],
  ['userPromptSubmitted', 'prompt'],
  ['agentStop', 'stop'],
  ['preCompact', 'pre-compact'],
  ['sessionEnd', 'session-end'],
]

/** Seconds a hook may take. */
const TIME_LIMIT = 10

function hooksFile({ hookCommand }: SetupPlace): string {
  const hook = (event: HookEvent) => ({ type: 'command', bash: hookCommand(event), timeoutSec: TIME_LIMIT })
  const hooks = Object.fromEntries(EVENTS.map(([name, event]) => [name, [hook(event)]]))
  return `${JSON.stringify({ version: 1, hooks }, null, 2)}\n`
}

export const copilotTraces = ({ root, home, env }: Pick<SetupPlace, 'root' | 'home' | 'env'>) => ({
  project: ['copilot-instructions.md', 'hooks', 'mcp.json'].map((name) => join(root, '.github', name)),
  home: [env.COPILOT_HOME || join(home, '.copilot')],
})
