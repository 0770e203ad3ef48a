import { join } from 'node:path'
import type { HookDialect, HookEvent, Launch, SetupEdit, SetupPlace } from '../../types/agent.ts'
import { type Fields, fieldsOf, listOf, textOf } from '../fields.ts'
import { readCall } from '../hooks.ts'
import { mcpServer, skillIn } from '../setup.ts'

/** Cursor 3, IDE and CLI: hooks, skill and MCP server of the project (its documentation of CLI, hooks and skills, 2026). */
export const cursorSetup = (place: SetupPlace): SetupEdit[] => {
  const hooks = join(place.root, '.cursor', 'hooks.json')
  return [
    { type: 'json-value', path: hooks, at: ['version'], value: 1 },
    ...EVENTS.map(([name, event]): SetupEdit => {
      const value = { command: place.hookCommand(event), timeout: TIME_LIMIT }
      return { type: 'json-item', path: hooks, at: ['hooks', name], value }
    }),
    skillIn(place, '.cursor'),
    mcpServer(place, '.cursor', 'mcp.json'),
  ]
}

/** Its own name of each event, and ours. */
const EVENTS: readonly [string, HookEvent][] = [
  ['sessionStart', 'session-start'],
  ['beforeSubmitPrompt', 'prompt'],
  ['stop', 'stop'],
  ['preCompact', 'pre-compact'],
  ['sessionEnd', 'session-end'],
]

/** Seconds that a hook may take. */
const TIME_LIMIT = 10

/** Only the answer at the start of a session reaches the model. */
export const cursorHooks: HookDialect = {
  read(payload) {
    const fields: Fields = fieldsOf(payload)
    const [root] = listOf(fields.workspace_roots)
    const { sessionId, cwd, ...call } = readCall(fields)
    return {
      ...call,
      sessionId: sessionId ?? (textOf(fields.conversation_id) || null),
      cwd: cwd ?? (textOf(root) || null),
    }
  },
  answer: (event, { context }) =>
    event === 'session-start' && context !== null
      ? `${JSON.stringify({ additional_context: context })}\n`
      : '',
  isHeard: (event) => event === 'session-start',
}

export const cursorTraces = ({ root, home, env }: Pick<SetupPlace, 'root' | 'home' | 'env'>) => ({
  project: [join(root, '.cursor')],
  home: [env.CURSOR_DATA_DIR || join(home, '.cursor')],
})

/** The CLI of Cursor, as its documentation of 2026 has it. */
export const cursorLaunch: Launch = {
  program: 'cursor-agent',
  interactive: (prompt) => ({ args: [prompt] }),
  headless: (prompt) => ({ args: ['-p', prompt] }),
  passEnv: ['CURSOR_API_KEY', 'CURSOR_DATA_DIR'],
  skillLine: (name) => `/${name}`,
  ready: /→/,
  exitLine: '/quit',
}
