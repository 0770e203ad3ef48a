import type { Launch } from '../../types/agent.ts'
import { fieldsOf, textOf } from '../fields.ts'
import { modelArgs, printedRecords, sentenceIn } from '../printed.ts'

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
  ask: {
    args: (model) => [
      ...['--output-format', 'json', '--no-custom-instructions', '--disable-builtin-mcps'],
      // No tool has this name, and only those named are there.
      ...['--available-tools', 'none'],
      ...modelArgs(model),
    ],
    expands: '@',
    failure: ({ stdout }) => {
      const failed = printedRecords(stdout).findLast(({ type }) => type === 'session.error')
      const said = sentenceIn(textOf(fieldsOf(failed?.data).message))
      return said === '' ? null : { said }
    },
    blocks: (stdout) =>
      printedRecords(stdout)
        .filter(({ type }) => type === 'assistant.message')
        .map(({ data }) => textOf(fieldsOf(data).content))
        .filter((text) => text !== ''),
  },
}
