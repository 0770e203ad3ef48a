import { dirname, join } from 'node:path'
import type { Launch, SetupEdit, SetupPlace } from '../../types/agent.ts'
import { fileFrom, PROVIDER_LOGINS } from '../setup.ts'
import { databasePath } from './files.ts'

/**
 * Goose 1.49: a skill of the project (its documentation of 2026, rulesync of August 2026). Its hooks only look on at the start and at a
 * prompt: nothing that they print reaches the model.
 */
export const gooseSetup = (place: SetupPlace): SetupEdit[] => [
  fileFrom(place, 'SKILL.md', '.agents', 'skills', 'handoff', 'SKILL.md'),
]

export const gooseTraces = ({ root, home, env }: Pick<SetupPlace, 'root' | 'home' | 'env'>) => ({
  project: [join(root, '.goose'), join(root, '.goosehints')],
  home: [join(env.XDG_CONFIG_HOME || join(home, '.config'), 'goose'), dirname(databasePath({ home, env }))],
})

/** `-s` stays open after the prompt (`goose-cli-commands` of its documentation, and IDE Agent Tabs, 2026). */
export const gooseLaunch: Launch = {
  program: 'goose',
  interactive: (prompt) => ({ args: ['run', '-s', '-t', prompt] }),
  headless: (prompt) => ({ args: ['run', '-i', '-'], stdin: prompt }),
  passEnv: ['GOOSE_*', ...PROVIDER_LOGINS],
  skillLine: (name) => `Use the skill ${name}.`,
  ready: /^/,
  exitLine: '/exit',
}
