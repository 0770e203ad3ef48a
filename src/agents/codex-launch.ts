import type { Launch } from '../types.ts'

/** How Codex 0.169 is started; `exec -` takes the prompt from standard input. */
export const codexLaunch: Launch = {
  program: 'codex',
  interactive: (prompt) => ({ args: [prompt] }),
  headless: (prompt) => ({ args: ['exec', '-'], stdin: prompt }),
  passEnv: ['OPENAI_*', 'CODEX_HOME', 'CODEX_API_KEY', 'AZURE_OPENAI_*'],
  skillLine: (name) => `$${name}`,
  ready: /Ask Codex to do anything/,
  busy: /esc to interrupt/,
  exitLine: '/exit',
}
