import { join } from 'node:path'
import type { Launch, SetupEdit, SetupPlace } from '../../types/agent.ts'
import { fileFrom, mcpServer } from '../setup.ts'

/** Antigravity, CLI 1.1 and IDE: a skill and MCP servers of the project. The CLI takes hooks only from plugins (ToolAhead 0.7, August 2026). */
export const antigravitySetup = (place: SetupPlace): SetupEdit[] => [
  fileFrom(place, 'SKILL.md', '.agents', 'skills', 'handoff', 'SKILL.md'),
  mcpServer(place, '.agents', 'mcp_config.json'),
]

export const antigravityTraces = ({ root, home }: Pick<SetupPlace, 'root' | 'home'>) => ({
  project: [join(root, '.agents', 'mcp_config.json')],
  home: ['antigravity-cli', 'antigravity'].map((name) => join(home, '.gemini', name)),
})

/** The CLI 1.1 (`agy`). */
export const antigravityLaunch: Launch = {
  program: 'agy',
  interactive: (prompt) => ({ args: ['-i', prompt] }),
  headless: (prompt) => ({ args: ['-p', prompt] }),
  passEnv: ['GEMINI_*', 'GOOGLE_*'],
  skillLine: (name) => `/${name}`,
  ready: /^/,
  exitLine: '/quit',
}
