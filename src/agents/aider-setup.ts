import { join } from 'node:path'
import type { Launch, SetupEdit, SetupPlace } from '../types/agent.ts'

/** Aider 0.86 has no skills, hooks or MCP servers: it reads the rules of the repository as conventions (its documentation, May 2026). */
export const aiderSetup = ({ root }: SetupPlace): SetupEdit[] => [
  { type: 'yaml-item', path: join(root, '.aider.conf.yml'), at: ['read'], value: 'AGENTS.md' },
]

export const aiderTraces = ({ root, home }: Pick<SetupPlace, 'root' | 'home'>) => ({
  project: ['.aider.conf.yml', '.aider.chat.history.md'].map((name) => join(root, name)),
  home: ['.aider.conf.yml', '.aider'].map((name) => join(home, name)),
})

/** A message, and it ends (`aider/args.py`, May 2026): no option leaves a prompt and the screen. */
const once = (prompt: string) => ({ args: ['--read', '.handoff/latest.md', '--message', prompt] })

export const aiderLaunch: Launch = {
  program: 'aider',
  interactive: once,
  headless: once,
  passEnv: ['AIDER_*', 'OPENAI_*', 'ANTHROPIC_*', 'GEMINI_API_KEY', 'OPENROUTER_API_KEY', 'DEEPSEEK_API_KEY'],
  skillLine: (name) => name,
  ready: /^/,
  exitLine: '/exit',
}
