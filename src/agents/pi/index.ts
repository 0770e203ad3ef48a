import { join } from 'node:path'
import type { Adapter, Launch, SetupEdit, SetupPlace } from '../../types/agent.ts'
import { textBlocks } from '../content.ts'
import { fieldsOf, textOf } from '../fields.ts'
import { ownHooks } from '../hooks.ts'
import { modelArgs, PROVIDER_LOGINS, printedRecords, sentenceIn } from '../setup.ts'
import { findPiFiles, identifyAs, piFolder, piNames, piSessionFolders } from './files.ts'

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

/** Pi 0.74 … 1.5 (`@earendil-works/pi-coding-agent`): one JSONL file per session, a tree of entries. */
export const pi: Adapter = {
  id: 'pi',
  label: 'Pi',
  basis: { is: 'recorded', of: '@earendil-works/pi-coding-agent 0.74.2 to 1.5.2' },
  marks: ['PI_CODING_AGENT', 'PI_SESSION_FILE', 'PI_SESSION_ID'],
  caller: ({ PI_CODING_AGENT, PI_SESSION_ID, PI_SESSION_FILE }) =>
    // The mark alone in 0.74; since 0.82 the bash tool also gets id and file.
    PI_CODING_AGENT || PI_SESSION_FILE
      ? { agent: 'pi', sessionId: PI_SESSION_ID || null, path: PI_SESSION_FILE || null }
      : null,
  find: async (place, roots, onUnread) =>
    findPiFiles(piSessionFolders(place, roots), roots, 'pi', piNames(roots), onUnread),
  identify: identifyAs('pi'),
  async *read(...given) {
    yield* (await import('./read.ts')).readPiConversation(...given)
  },
  // It keeps 16,384 tokens free (`compaction.reserveTokens`).
  hooks: ownHooks((window) => window - 16_384),
  // One extension of the project, which Pi loads without a build; since 0.79 the person is asked whether the project is trusted. It brings
  // hooks, `/handoff` and the tool for notes, since Pi before 0.99 has no MCP.
  setup: (place) => [piExtension(place, 'pi', 'handoff', '.pi')],
  traces: ({ root, ...place }) => ({ project: [join(root, '.pi')], home: [piFolder(place)] }),
  launch: piLaunch,
}

/** The extension for Pi or one of its kin, whose command may need another name, in the folder of its project. */
export const piExtension = (
  place: SetupPlace,
  agent: string,
  command: string,
  folder: string,
): SetupEdit => ({
  type: 'file',
  path: join(place.root, folder, 'extensions', 'handoff.js'),
  content: place
    .template('pi-extension.js')
    .replace("const AGENT = 'pi'", `const AGENT = '${agent}'`)
    .replace("const COMMAND = 'handoff'", `const COMMAND = '${command}'`),
})
