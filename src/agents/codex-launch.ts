import type { Launch } from '../types.ts'
import { fieldsOf, textOf } from './fields.ts'
import { printedRecords } from './printed.ts'

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
  ask: {
    args: (model) => [
      ...['exec', '--json', '--ephemeral', '--skip-git-repo-check', '--sandbox', 'read-only'],
      ...['--disable', 'shell_tool', '--disable', 'unified_exec'],
      ...(model === null ? [] : ['--model', model]),
      '-',
    ],
    provider: 'openai',
    expands: '@$',
    blocks: (stdout) =>
      printedRecords(stdout)
        .map(({ type, item }) => (type === 'item.completed' ? fieldsOf(item) : {}))
        .filter(({ type }) => type === 'agent_message')
        .map(({ text }) => textOf(text)),
  },
}
