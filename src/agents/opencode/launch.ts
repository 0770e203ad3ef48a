import type { Launch } from '../../types/agent.ts'
import { fieldsOf, textOf } from '../fields.ts'
import { modelArgs, PROVIDER_LOGINS, printedRecords, sentenceIn } from '../launch.ts'

const ASKED = ['run', '--format', 'json', '--title', 'handoff']

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
  fork: {
    args: ({ id }, model) => [...ASKED, '--session', id, '--fork', ...modelArgs(model)],
    inPlace: true,
    // It keeps every fork, which would be the newest session of this folder.
    undo: (stdout) => {
      const id = textOf(printedRecords(stdout)[0]?.sessionID)
      return /^ses_\w+$/.test(id) ? ['session', 'delete', id] : null
    },
  },
  ask: {
    args: (model) => [...ASKED, ...modelArgs(model)],
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
