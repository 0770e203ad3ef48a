import { join } from 'node:path'
import type { HookEvent, SetupEdit, SetupPlace } from '../../types/agent.ts'
import { hookGroups } from '../hook-groups.ts'
import { OTHER_NAME, renamedSkill, shadowAmong } from '../shadow.ts'

/**
 * Claude Code 2.1.330: hooks in the project's settings, `/handoff` as a skill, which completes in the menu and is listed to
 * the model, and the MCP server of the project. Without a time limit of its own SessionEnd is cut at 1.5 s.
 */
export const claudeSetup = (place: SetupPlace): SetupEdit[] => [
  ...hookGroups(join(place.root, '.claude', 'settings.json'), place, EVENTS),
  {
    type: 'file',
    path: join(place.root, '.claude', 'skills', 'handoff', 'SKILL.md'),
    content: place.template('SKILL.md'),
  },
  ...(claudeShadow(place) === null
    ? []
    : [
        {
          type: 'file' as const,
          path: join(place.root, '.claude', 'skills', OTHER_NAME, 'SKILL.md'),
          content: renamedSkill(place.template('SKILL.md')),
        },
      ]),
  {
    type: 'json-value',
    path: join(place.root, '.mcp.json'),
    at: ['mcpServers', 'handoff'],
    value: { command: place.mcp.command, args: place.mcp.args },
  },
]

/** Personal skills and commands go before those of the project (2.1.330). */
export function claudeShadow({ home, env }: Pick<SetupPlace, 'home' | 'env'>): string | null {
  const folder = env.CLAUDE_CONFIG_DIR || join(home, '.claude')
  return shadowAmong([join(folder, 'skills', 'handoff', 'SKILL.md'), join(folder, 'commands', 'handoff.md')])
}

/** Its own name of each event, ours, and how long it may take in seconds. */
const EVENTS: readonly [string, HookEvent, number][] = [
  ['SessionStart', 'session-start', 10],
  ['UserPromptSubmit', 'prompt', 10],
  ['Stop', 'stop', 10],
  ['PreCompact', 'pre-compact', 10],
  ['SessionEnd', 'session-end', 10],
]

export const claudeTraces = ({ root, home, env }: Pick<SetupPlace, 'root' | 'home' | 'env'>) => ({
  project: [join(root, '.claude'), join(root, 'CLAUDE.md')],
  home: [env.CLAUDE_CONFIG_DIR || join(home, '.claude')],
})
