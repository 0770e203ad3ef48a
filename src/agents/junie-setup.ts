import { join } from 'node:path'
import type { Launch, SetupEdit, SetupPlace } from '../types/agent.ts'
import { fileFrom, mcpServer } from './setup.ts'

/**
 * Junie CLI: a skill and an MCP server of the project; it ignores hooks of a project (its documentation of September 2026, rulesync of
 * August 2026).
 */
export const junieSetup = (place: SetupPlace): SetupEdit[] => [
  fileFrom(place, 'SKILL.md', '.junie', 'skills', 'handoff', 'SKILL.md'),
  mcpServer(place, '.junie', 'mcp', 'mcp.json'),
]

export const junieTraces = ({ root, home, env }: Pick<SetupPlace, 'root' | 'home' | 'env'>) => ({
  project: [join(root, '.junie')],
  home: [env.JUNIE_HOME || join(home, '.junie')],
})

/** `--prompt` goes on after the turn, `--task` ends (its documentation, and Orca, of 2026). */
export const junieLaunch: Launch = {
  program: 'junie',
  interactive: (prompt) => ({ args: ['--prompt', prompt] }),
  headless: (prompt) => ({ args: ['--task', prompt] }),
  passEnv: ['JUNIE_*'],
  skillLine: (name) => `/${name}`,
  ready: /^/,
  exitLine: '/exit',
}
