import { join, relative } from 'node:path'
import type { Adapter, Launch, SetupEdit, SetupPlace } from '../../types/agent.ts'
import type { Home } from '../../types/config.ts'
import { loaded, textBlocks, wordsIn } from '../content.ts'
import { fieldsOf, textOf } from '../fields.ts'
import { ownHooks } from '../hooks.ts'
import { namesIn } from '../session-files.ts'
import { mcpServer, modelArgs, OTHER_NAME, PROVIDER_LOGINS, printedRecords, sentenceIn } from '../setup.ts'
import { findPiFiles, fromHome, identifyAs, piFolder, piNames, piSessionFolders } from './files.ts'

/** One answer, no tool. */
const ASKED = ['-p', '--mode', 'json', '--no-tools', '--no-extensions', '--no-skills']

/** How Pi 0.74 … 1.5 is started. The prompt is an argument: on standard input it would lose its line break before other text. */
export const piLaunch: Launch = {
  program: 'pi',
  interactive: (prompt) => ({ args: [prompt] }),
  headless: (prompt) => ({ args: ['-p', prompt] }),
  passEnv: [
    ...wordsIn(
      'PI_CODING_AGENT_DIR PI_CODING_AGENT_SESSION_DIR PI_OFFLINE PI_TELEMETRY PI_SKIP_VERSION_CHECK',
    ),
    ...[...PROVIDER_LOGINS, 'CEREBRAS_API_KEY', 'ZAI_API_KEY', 'AZURE_OPENAI_*'],
  ],
  skillLine: (name) => `/skill:${name}`,
  handoffLine: '/handoff',
  // How full the context is, always in its last line.
  ready: /[%?]\/[\d.]+[kM]/,
  busy: /Working\.\.\./,
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
  basis: { is: 'recorded', of: '@earendil-works/pi-coding-agent 0.74.2 to 1.6.0' },
  marks: ['PI_CODING_AGENT', 'PI_SESSION_FILE', 'PI_SESSION_ID'],
  caller: ({ PI_CODING_AGENT, PI_SESSION_ID, PI_SESSION_FILE }) =>
    // The mark alone in 0.74; since 0.82 the bash tool also gets id and file.
    PI_CODING_AGENT || PI_SESSION_FILE
      ? { agent: 'pi', sessionId: PI_SESSION_ID || null, path: PI_SESSION_FILE || null }
      : null,
  find: async (place, roots, onUnread) =>
    findPiFiles(piSessionFolders(place, roots), roots, 'pi', piNames(roots), onUnread),
  identify: identifyAs('pi'),
  read: loaded(async () => (await import('./read.ts')).readPiConversation),
  // It keeps 16,384 tokens free (`compaction.reserveTokens`).
  hooks: ownHooks((window) => window - 16_384),
  // An extension of the project, which Pi loads without a build; before 0.99 it has no MCP. Since 0.79 the person is asked for trust.
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

/** How oh-my-pi 18.2.3 is started; it takes the same arguments and keys as Pi. */
const launch: Launch = {
  ...piLaunch,
  program: 'omp',
  handoffLine: `/${OTHER_NAME}`,
  ready: /π/,
  passEnv: [...piLaunch.passEnv, 'OMP_PROFILE', 'PI_PROFILE', 'PI_CONFIG_DIR', 'OMP_*'],
}

/** oh-my-pi 18.2.3 (`@oh-my-pi/pi-coding-agent`): a title line first, then the records of Pi, in folders named otherwise. */
export const ohMyPi: Adapter = {
  id: 'oh-my-pi',
  label: 'oh-my-pi',
  basis: { is: 'recorded', of: '@oh-my-pi/pi-coding-agent 18.2.3' },
  marks: ['OMPCODE'],
  find: async (place, roots, onUnread) =>
    findPiFiles(ohMyPiSessionFolders(place), roots, 'oh-my-pi', ohMyPiNames(place.home, roots), onUnread),
  identify: identifyAs('oh-my-pi'),
  read: loaded(async () => (await import('./read.ts')).readPiConversation),
  // It keeps 15 % of the window free, or 16,384 tokens where that is more.
  hooks: ownHooks((window) => window - Math.max(16_384, Math.floor(window * 0.15))),
  // Pi's extension under another command, since the built-in `/handoff` would win, and the MCP server; both of the project.
  setup: (place) => [
    piExtension(place, 'oh-my-pi', OTHER_NAME, '.omp'),
    mcpServer(place, '.omp', 'mcp.json'),
  ],
  traces: ({ root, home, env }) => ({
    project: [join(root, '.omp')],
    home: [join(home, env.PI_CONFIG_DIR || '.omp')],
  }),
  launch,
}

/** Folders of sessions (18.2.3, `pi-utils/src/dirs.ts`): of the agent and each profile, or where data was moved; or that of the environment. */
export function ohMyPiSessionFolders({ home, env }: Home): string[] {
  if (env.PI_CODING_AGENT_SESSION_DIR) return [fromHome(env.PI_CODING_AGENT_SESSION_DIR, home)]
  const profile = env.OMP_PROFILE ?? env.PI_PROFILE ?? ''
  const root = join(home, env.PI_CONFIG_DIR || '.omp')
  // Who calls from outside of a profile may mean a session of any.
  const all = profile === '' ? ['', ...namesIn(join(root, 'profiles'))] : [profile]
  return all.flatMap((name) => {
    const below = name === '' ? [] : ['profiles', name]
    const agent = (name === '' && env.PI_CODING_AGENT_DIR) || join(root, ...below, 'agent')
    const moved = env.XDG_DATA_HOME ? [join(env.XDG_DATA_HOME, 'omp', ...below, 'sessions')] : []
    return [...moved, join(fromHome(agent, home), 'sessions')]
  })
}

/** How folders may begin for sessions in `roots`: `-` and the path below the home, `-tmp` for temporary ones, else as in Pi. */
export function ohMyPiNames(home: string, roots: readonly string[]): string[] {
  const below = roots.flatMap((root) => {
    const path = relative(home, root)
    if (path.startsWith('..')) return relative(root, home).startsWith('..') ? [] : ['-']
    return [`-${path.replace(/[/\\:]/g, '-')}`]
  })
  return [...below, '-tmp', ...piNames(roots)]
}
