import { join } from 'node:path'
import type { Launch, SetupEdit, SetupPlace } from '../types/agent.ts'
import { fileFrom, mcpServer } from './setup.ts'

/** Continue 1: a skill and a file for each MCP server in the project (its documentation of 2026). */
export const continueSetup = (place: SetupPlace): SetupEdit[] => [
  fileFrom(place, 'SKILL.md', '.continue', 'skills', 'handoff', 'SKILL.md'),
  mcpServer(place, '.continue', 'mcpServers', 'handoff.json'),
]

export const continueTraces = ({ root, home, env }: Pick<SetupPlace, 'root' | 'home' | 'env'>) => ({
  project: [join(root, '.continue')],
  home: [env.CONTINUE_GLOBAL_DIR || join(home, '.continue')],
})

/** The CLI 1.5.47. */
export const continueLaunch: Launch = {
  program: 'cn',
  interactive: (prompt) => ({ args: [prompt] }),
  headless: (prompt) => ({ args: ['-p', prompt] }),
  passEnv: ['CONTINUE_*', 'OPENAI_*', 'ANTHROPIC_*'],
  skillLine: (name) => `/${name}`,
  ready: /^/,
  exitLine: '/exit',
}
