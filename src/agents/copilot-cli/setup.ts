import { join } from 'node:path'
import type { HookEvent, HookTrust, Launch, SetupEdit, SetupPlace } from '../../types/agent.ts'
import { fieldsOf, listOf, textOf } from '../fields.ts'
import { ancestorsOf, modelArgs, printedRecords, readSettings, sentenceIn, skillIn } from '../setup.ts'

/**
 * Copilot CLI 1.0.102, all at project level and read once the folder is trusted, in headless turns too: every file of
 * `.github/hooks` holds hooks, `/handoff` is a skill, of which the one in `.github` wins over the same in `.agents` or
 * `.claude`, and `.github/mcp.json` names servers. It also reads `.mcp.json` and the hooks of `.claude/settings.json`.
 */
export const copilotSetup = (place: SetupPlace): SetupEdit[] => [
  { type: 'file', path: join(place.root, '.github', 'hooks', 'handoff.json'), content: hooksFile(place) },
  skillIn(place, '.github'),
  {
    type: 'json-value',
    path: join(place.root, '.github', 'mcp.json'),
    at: ['mcpServers', 'handoff'],
    value: { type: 'local', command: place.mcp.command, args: place.mcp.args, tools: ['*'] },
  },
]

/** Its own name of each event, and ours. */
const EVENTS: readonly [string, HookEvent][] = [
  ['sessionStart', 'session-start'],
  ['userPromptSubmitted', 'prompt'],
  ['agentStop', 'stop'],
  ['preCompact', 'pre-compact'],
  ['sessionEnd', 'session-end'],
]

/** Seconds a hook may take. */
const TIME_LIMIT = 10

function hooksFile({ hookCommand }: SetupPlace): string {
  const hook = (event: HookEvent) => ({
    type: 'command',
    bash: hookCommand(event),
    powershell: hookCommand(event),
    timeoutSec: TIME_LIMIT,
  })
  const hooks = Object.fromEntries(EVENTS.map(([name, event]) => [name, [hook(event)]]))
  return `${JSON.stringify({ version: 1, hooks }, null, 2)}\n`
}

export const copilotTraces = ({ root, home, env }: Pick<SetupPlace, 'root' | 'home' | 'env'>) => ({
  project: ['copilot-instructions.md', 'hooks', 'mcp.json'].map((name) => join(root, '.github', name)),
  // That of JetBrains has a folder of its own in there.
  home: ['config.json', 'session-state', 'logs'].map((name) =>
    join(env.COPILOT_HOME || join(home, '.copilot'), name),
  ),
})

/** Copilot CLI 1.0.102: `trustedFolders` of its `config.json`. */
export async function copilotTrust({ root, home, env }: SetupPlace): Promise<HookTrust> {
  const where = join(env.COPILOT_HOME || join(home, '.copilot'), 'config.json')
  const trusted = listOf(fieldsOf(readSettings(where)).trustedFolders)
  return { folder: ancestorsOf(root).some((path) => trusted.includes(path)), waiting: [], where }
}

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
