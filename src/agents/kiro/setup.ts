import { join } from 'node:path'
import type { Launch, SetupEdit, SetupPlace } from '../../types/agent.ts'
import { fileFrom, mcpServer } from '../setup.ts'

/**
 * Kiro, CLI 2 and IDE: a skill and an MCP server of the project (its documentation and rulesync, August 2026). Hooks are left out: the
 * engine that CLI 2.22 starts takes them only from an agent that its person chooses, and the one of `--v3` puts an empty answer
 * before the model too (subcortex, September 2026).
 */
export const kiroSetup = (place: SetupPlace): SetupEdit[] => [
  fileFrom(place, 'SKILL.md', '.kiro', 'skills', 'handoff', 'SKILL.md'),
  mcpServer(place, '.kiro', 'settings', 'mcp.json'),
]

export const kiroTraces = ({ root, home, env }: Pick<SetupPlace, 'root' | 'home' | 'env'>) => ({
  project: [join(root, '.kiro')],
  home: [env.KIRO_HOME || join(home, '.kiro')],
})

/** The CLI 2.22; without a terminal a tool that needs consent is refused. */
export const kiroLaunch: Launch = {
  program: 'kiro-cli',
  interactive: (prompt) => ({ args: ['chat', prompt] }),
  headless: (prompt) => ({ args: ['chat', '--no-interactive', prompt] }),
  passEnv: ['KIRO_*'],
  skillLine: (name) => `/${name}`,
  ready: /^/,
  exitLine: '/quit',
}
