import { join } from 'node:path'
import type { Launch, SetupEdit, SetupPlace } from '../../types/agent.ts'
import { fieldsOf, textBlocks, textOf } from '../fields.ts'
import { modelArgs, PROVIDER_LOGINS, printedRecords, sentenceIn } from '../setup.ts'

/**
 * Pi 0.74 … 1.5: one extension of the project, which Pi loads without a build; since 0.79 the person is asked whether the project
 * is trusted. It brings hooks, `/handoff` and the tool for notes, since Pi before 0.99 has no MCP.
 */
export const piSetup = (place: SetupPlace): SetupEdit[] => [
  {
    type: 'file',
    path: join(place.root, '.pi', 'extensions', 'handoff.js'),
    content: piExtension(place, 'pi', 'handoff'),
  },
]

/** The extension for Pi or one of its kin, whose command may need another name. */
export const piExtension = (place: Pick<SetupPlace, 'template'>, agent: string, command: string): string =>
  place
    .template('pi-extension.js')
    .replace("const AGENT = 'pi'", `const AGENT = '${agent}'`)
    .replace("const COMMAND = 'handoff'", `const COMMAND = '${command}'`)

export const piTraces = ({ root, home, env }: Pick<SetupPlace, 'root' | 'home' | 'env'>) => ({
  project: [join(root, '.pi')],
  home: [env.PI_CODING_AGENT_DIR || join(home, '.pi', 'agent')],
})

/** One answer, no tool. */
const ASKED = ['-p', '--mode', 'json', '--no-tools', '--no-extensions', '--no-skills']

/**
 * How Pi 0.74 … 1.5 is started. A prompt on standard input would lose its line break before text given as an argument, so it
 * goes as the one argument.
 */
export const piLaunch: Launch = {
  program: 'pi',
  interactive: (prompt) => ({ args: [prompt] }),
  headless: (prompt) => ({ args: ['-p', prompt] }),
  passEnv: [
    'PI_CODING_AGENT_DIR',
    'PI_CODING_AGENT_SESSION_DIR',
    'PI_OFFLINE',
    'PI_TELEMETRY',
    'PI_SKIP_VERSION_CHECK',
    ...PROVIDER_LOGINS,
    'CEREBRAS_API_KEY',
    'ZAI_API_KEY',
    'AZURE_OPENAI_*',
  ],
  skillLine: (name) => `/skill:${name}`,
  handoffLine: '/handoff',
  // How full the context is, always in its last line.
  ready: /[%?]\/[\d.]+[kM]/,
  busy: /Working\.\.\./,
  exitLine: '/quit',
  fork: {
    args: ({ path }, model, scratch) => [
      ...[...ASKED, '--fork', path, '--session-dir', scratch],
      ...modelArgs(model),
    ],
  },
  ask: {
    args: (model) => [...ASKED, '--no-session', ...modelArgs(model)],
    expands: '@',
    failure: ({ stdout }) => {
      const last = printedRecords(stdout)
        .map(({ type, message }) => (type === 'message_end' ? fieldsOf(message) : {}))
        .findLast(({ role }) => role === 'assistant')
      const said = sentenceIn(textOf(last?.errorMessage))
      return said === '' ? null : { said }
    },
    blocks: (stdout) =>
      printedRecords(stdout)
        .map(({ type, message }) => (type === 'message_end' ? fieldsOf(message) : {}))
        .filter(({ role }) => role === 'assistant')
        .flatMap(({ content }) => textBlocks(content)),
  },
}
