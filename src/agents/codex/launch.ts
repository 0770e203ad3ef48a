import type { Launch } from '../../types/agent.ts'
import { fieldsOf, textOf } from '../fields.ts'
import { modelArgs, printedRecords, sentenceIn } from '../launch.ts'

/** Not what else of a request is not supported with it: the model itself is the subject of the sentence. */
function isOfModel(said: string, model: string): boolean {
  const [, first, second] =
    /\bThe (?:model ['"`]?(\S+?)['"`]?|['"`]?(\S+?)['"`]? model) (?:does not exist|is not supported)\b/.exec(
      said,
    ) ?? []
  return (first ?? second) === model
}

/** What an `error` record says while Codex 0.169 goes on. */
const RETRY = /^Reconnecting\.\.\. \d+\/\d+/

/** One answer, nothing kept, nothing written, no shell. */
const ASKED = [
  ...['exec', '--json', '--ephemeral', '--skip-git-repo-check', '--sandbox', 'read-only'],
  ...['--disable', 'shell_tool', '--disable', 'unified_exec'],
]

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
  fork: { args: ({ id }, model) => [...ASKED, ...modelArgs(model), 'fork', id, '-'] },
  ask: {
    args: (model) => [...ASKED, ...modelArgs(model), '-'],
    provider: 'openai',
    expands: '@$',
    // What OpenAI answered, in its words; other services may say it otherwise, which is a failure like any other then.
    failure: ({ stdout, stderr }, model) => {
      const records = printedRecords(stdout)
      const failed = records.findLast(({ type }) => type === 'turn.failed')
      const errors = records.filter(({ type }) => type === 'error').map(({ message }) => textOf(message))
      // That it tries anew is no reason; what it complains about beside may be one.
      const told = errors.findLast((message) => !RETRY.test(message))
      const retry = stderr.trim() === '' ? errors.at(-1) : ''
      const said = sentenceIn(textOf(fieldsOf(failed?.error).message) || told || retry || '')
      if (said === '') return null
      return { said, isUnknownModel: model !== null && isOfModel(said, model) }
    },
    blocks: (stdout) =>
      printedRecords(stdout)
        .map(({ type, item }) => (type === 'item.completed' ? fieldsOf(item) : {}))
        .filter(({ type }) => type === 'agent_message')
        .map(({ text }) => textOf(text)),
  },
}
