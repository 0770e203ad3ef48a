import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Launch, SetupEdit, SetupPlace } from '../types/agent.ts'
import { fieldsOf } from './fields.ts'
import { claudeEvents, fileFrom, hookGroups, mcpServer, readSettings } from './setup.ts'

/**
 * Factory Droid 0.215: hooks in the shape of Claude Code, a skill and an MCP server of the project. Seen with the client: its hooks run
 * at the start and at the end of a turn, `exec` has none at the prompt. The rest is from its documentation (harness/hooks, 2026) and
 * rulesync (August 2026).
 */
export const droidSetup = (place: SetupPlace): SetupEdit[] => [
  ...hooksOf(place),
  fileFrom(place, 'SKILL.md', '.factory', 'skills', 'handoff', 'SKILL.md'),
  mcpServer(place, '.factory', 'mcp.json'),
]

/** A file of hooks alone has the events on top, and takes the place of those in the settings: where only these are, ours join them. */
function hooksOf(place: SetupPlace): SetupEdit[] {
  const [own, settings] = ['hooks.json', 'settings.json'].map((name) =>
    join(place.root, '.factory', name),
  ) as [string, string]
  const isInSettings = !existsSync(own) && fieldsOf(readSettings(settings)).hooks !== undefined
  return isInSettings
    ? hookGroups(settings, place, claudeEvents(TIMEOUT))
    : hookGroups(own, place, claudeEvents(TIMEOUT), [])
}

/** How long each may take, in seconds. */
const TIMEOUT = 10

export const droidTraces = ({ root, home }: Pick<SetupPlace, 'root' | 'home'>) => ({
  project: [join(root, '.factory')],
  home: [join(home, '.factory')],
})

/** Droid 0.215; `exec` only reads unless its person lets it do more. */
export const droidLaunch: Launch = {
  program: 'droid',
  interactive: (prompt) => ({ args: [prompt] }),
  headless: (prompt) => ({ args: ['exec'], stdin: prompt }),
  passEnv: ['FACTORY_*'],
  skillLine: (name) => `/${name}`,
  ready: /^/,
  exitLine: '/quit',
}
