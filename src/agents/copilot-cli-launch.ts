import type { Launch } from '../types.ts'

/** How Copilot CLI 1.0.102 is started; with a provider of its own it needs no GitHub account. */
export const copilotLaunch: Launch = {
  program: 'copilot',
  interactive: (prompt) => ({ args: ['-i', prompt] }),
  headless: (prompt) => ({ args: ['-p', prompt] }),
  passEnv: [
    'COPILOT_HOME',
    'COPILOT_CACHE_HOME',
    'COPILOT_MODEL',
    'COPILOT_OFFLINE',
    'COPILOT_AUTO_UPDATE',
    'COPILOT_PROVIDER_*',
    'COPILOT_GITHUB_TOKEN',
    'GH_TOKEN',
    'GITHUB_TOKEN',
  ],
  skillLine: (name) => `/${name}`,
  ready: /\? help/,
  exitLine: '/exit',
}
