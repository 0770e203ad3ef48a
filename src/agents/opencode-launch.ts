import type { Launch } from '../types.ts'
import { fieldsOf, textOf } from './fields.ts'
import { printedRecords, sentenceIn } from './printed.ts'
import { PROVIDER_LOGINS } from './provider-logins.ts'

/** How OpenCode 1.18.33 is started. `run` stores quotes around a prompt given as an argument, so it goes on standard input. */
export const openCodeLaunch: Launch = {
  program: 'opencode',
  interactive: (prompt) => ({ args: ['--prompt', prompt] }),
  headless: (prompt) => ({ args: ['run'], stdin: prompt }),
  passEnv: [
    'OPENCODE_CONFIG',
    'OPENCODE_CONFIG_CONTENT',
    'OPENCODE_CONFIG_DIR',
    'OPENCODE_DB',
    'OPENCODE_DISABLE_*',
    'OPENCODE_ENABLE_*',
    'OPENCODE_EXPERIMENTAL*',
    'OPENCODE_MODELS_*',
    'OPENCODE_PERMISSION',
    'OPENCODE_API_KEY',
    'XDG_*',
    ...PROVIDER_LOGINS,
    'GITHUB_TOKEN',
    'AZURE_*',
    'CLOUDFLARE_*',
  ],
  skillLine: (name) => `/${name}`,
  ready: /Ask anything/,
  exitLine: '/exit',
  ask: {
    args: (model) => [
      ...['run', '--format', 'json', '--title', 'handoff'],
      ...(model === null ? [] : ['--model', model]),
    ],
    // With every permission refused it offers its model no tool.
    env: { OPENCODE_PERMISSION: '{"*":"deny"}' },
    needsProvider: true,
    expands: '@',
    failure: ({ stdout }) => {
      const { error } = printedRecords(stdout).findLast(({ type }) => type === 'error') ?? {}
      const { name, data } = fieldsOf(error)
      const said = sentenceIn(textOf(fieldsOf(data).message)) || textOf(name)
      return said === '' ? null : { said }
    },
    blocks: (stdout) =>
      printedRecords(stdout)
        .filter(({ type }) => type === 'text')
        .map(({ part }) => textOf(fieldsOf(part).text)),
  },
}
