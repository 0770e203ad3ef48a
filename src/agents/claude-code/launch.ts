import type { Launch } from '../../types/agent.ts'
import { type Fields, fieldsOf, listOf, textBlocks, textOf } from '../fields.ts'
import { modelArgs, printedRecords } from '../launch.ts'

/** One answer, nothing kept, no tool. */
const ASKED = [
  ...['-p', '--output-format', 'stream-json', '--verbose', '--no-session-persistence'],
  ...['--tools', '', '--strict-mcp-config', '--disable-slash-commands'],
]

/** How Claude Code 2.1.330 is started; a prompt stands before any flag that takes several values. */
export const claudeLaunch: Launch = {
  program: 'claude',
  interactive: (prompt) => ({ args: [prompt] }),
  headless: (prompt) => ({ args: ['-p'], stdin: prompt }),
  passEnv: [
    'ANTHROPIC_*',
    'CLAUDE_CONFIG_DIR',
    'CLAUDE_CODE_OAUTH_TOKEN',
    'CLAUDE_CODE_USE_BEDROCK',
    'CLAUDE_CODE_USE_VERTEX',
    'CLAUDE_CODE_SKIP_BEDROCK_AUTH',
    'CLAUDE_CODE_SKIP_VERTEX_AUTH',
    'CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC',
    'CLAUDE_CODE_AUTO_COMPACT_WINDOW',
    'CLOUD_ML_REGION',
    'AWS_*',
    'DISABLE_*',
    'IS_SANDBOX',
  ],
  skillLine: (name) => `/${name}`,
  // The first in manual mode, the second in every other; neither while it asks for a permission.
  ready: /\? for shortcuts|shift\+tab to cycle/,
  busy: /esc to interrupt/,
  exitLine: '/exit',
  fork: {
    args: ({ id }, model) => [...ASKED, '--resume', id, '--fork-session', ...modelArgs(model)],
    inPlace: true,
  },
  ask: {
    args: (model) => [...ASKED, ...modelArgs(model)],
    provider: 'anthropic',
    // A file behind it is read into the prompt.
    expands: '@',
    // What a refused login or a spent limit says is a message as well, which carries the error, or the last record calls it one; any
    // other message is a part of an answer.
    failure: ({ stdout }) => {
      const records = printedRecords(stdout)
      const failed = records.find(({ type, is_error }) => type === 'result' && is_error === true)
      const messages = records.filter(({ type }) => type === 'assistant')
      const wrong = messages.findLast(({ error }) => textOf(error) !== '')
      const wordsOf = (record: Fields | undefined): string =>
        textBlocks(fieldsOf(record?.message).content).join(' ')
      const said =
        textOf(failed?.result) ||
        wordsOf(wrong) ||
        listOf(failed?.errors).map(textOf).join(' ').trim() ||
        (failed === undefined ? '' : wordsOf(messages.at(-1)))
      return said === '' ? null : { said, isUnknownModel: wrong?.error === 'model_not_found' }
    },
    blocks: (stdout) => {
      const records = printedRecords(stdout)
      if (records.some(({ type, is_error }) => type === 'result' && is_error === true)) return []
      return records
        .filter(
          ({ type, parent_tool_use_id }) => type === 'assistant' && (parent_tool_use_id ?? null) === null,
        )
        .flatMap(({ message }) => textBlocks(fieldsOf(message).content))
    },
  },
}
