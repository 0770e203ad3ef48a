import { join } from 'node:path'
import type { Launch, SetupEdit, SetupPlace } from '../../types/agent.ts'
import { fileFrom } from '../setup.ts'

/**
 * Cline 3: a skill of the project; its MCP servers stand at the person's home. A project may bring hooks (`.cline/hooks`), but in the
 * CLI only those around a tool reach the model: those of the start and of a prompt run beside (`hook-file-hooks.ts`, August 2026).
 * The extension hears all, but each event is one script, which people write by hand: two answers in it would be none.
 */
export const clineSetup = (place: SetupPlace): SetupEdit[] => [
  fileFrom(place, 'SKILL.md', '.cline', 'skills', 'handoff', 'SKILL.md'),
]

export const clineTraces = ({ root, home, env }: Pick<SetupPlace, 'root' | 'home' | 'env'>) => ({
  project: [join(root, '.cline'), join(root, '.clinerules')],
  home: [env.CLINE_DIR || join(home, '.cline')],
})

/** The CLI 3.0.65 approves every tool by itself unless it is told to ask; in a turn without a person it would then do nothing. */
export const clineLaunch: Launch = {
  program: 'cline',
  interactive: (prompt) => ({ args: ['--tui', '--auto-approve', 'false', prompt] }),
  headless: (prompt) => ({ args: [prompt] }),
  passEnv: ['CLINE_*'],
  skillLine: (name) => `/${name}`,
  ready: /^/,
  exitLine: '/exit',
}
