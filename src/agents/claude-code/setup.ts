import { join } from 'node:path'
import type { HookEvent, HookTrust, SetupEdit, SetupPlace } from '../../types/agent.ts'
import { fieldsOf } from '../fields.ts'
import {
  ancestorsOf,
  fileFrom,
  hookGroups,
  mcpServer,
  OTHER_NAME,
  readSettings,
  renamedSkill,
  shadowAmong,
} from '../setup.ts'

/**
 * Claude Code 2.1.330: hooks in the project's settings, `/handoff` as a skill, which completes in the menu and is listed to
 * the model, and the MCP server of the project. Without a time limit of its own SessionEnd is cut at 1.5 s.
 */
export const claudeSetup = (place: SetupPlace): SetupEdit[] => [
  ...hookGroups(join(place.root, '.claude', 'settings.json'), place, EVENTS),
  fileFrom(place, 'SKILL.md', '.claude', 'skills', 'handoff', 'SKILL.md'),
  ...(claudeShadow(place) === null
    ? []
    : [
        {
          type: 'file' as const,
          path: join(place.root, '.claude', 'skills', OTHER_NAME, 'SKILL.md'),
          content: renamedSkill(place.template('SKILL.md')),
        },
      ]),
  mcpServer(place, '.mcp.json'),
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

/** Claude Code 2.1.330: `projects` of `.claude.json` says of each folder whether its person accepted the dialog; one above counts. */
export async function claudeTrust({ root, home, env }: SetupPlace): Promise<HookTrust> {
  const where = join(env.CLAUDE_CONFIG_DIR || home, '.claude.json')
  const projects = fieldsOf(fieldsOf(readSettings(where)).projects)
  const folder = ancestorsOf(root).some((path) => fieldsOf(projects[path]).hasTrustDialogAccepted === true)
  return { folder, waiting: [], where }
}
