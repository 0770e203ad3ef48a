import { join } from 'node:path'
import type { Adapter, HookEvent, SetupEdit } from '../../types/agent.ts'
import { fieldsOf, listOf, textOf } from '../fields.ts'
import { readCall } from '../hooks.ts'
import { mcpServer, skillIn, usualLaunch } from '../setup.ts'
import { findCursorSessions, readCursorRef } from './files.ts'
import { readCursorSession } from './read.ts'

/**
 * Cursor, IDE and CLI: one JSONL file of messages per session, without results, times and model. From documents, not recorded: the
 * session catalog of relayhistory (September 2026, of 104 transcripts of Cursor 3.13) and the parsers of agentsview and codeburn
 * (August 2026).
 */
export const cursor: Adapter = {
  id: 'cursor',
  label: 'Cursor',
  basis: { is: 'documented', of: 'transcripts of 2026', source: 'relayhistory, agentsview, codeburn' },
  marks: ['CURSOR_AGENT', 'CURSOR_CONVERSATION_ID'],
  caller: ({ CURSOR_AGENT, CURSOR_CONVERSATION_ID }) =>
    CURSOR_AGENT ? { agent: 'cursor', sessionId: CURSOR_CONVERSATION_ID || null, path: null } : null,
  find: findCursorSessions,
  identify: async (path, head) => (/^\s*\{\s*"role"/.test(head) ? readCursorRef(path) : null),
  read: readCursorSession,
  // Only the answer at the start of a session reaches the model.
  hooks: {
    read(payload) {
      const fields = fieldsOf(payload)
      const call = readCall(fields)
      return {
        ...call,
        sessionId: call.sessionId ?? (textOf(fields.conversation_id) || null),
        cwd: call.cwd ?? (textOf(listOf(fields.workspace_roots)[0]) || null),
      }
    },
    answer: (event, { context }) =>
      event === 'session-start' && context !== null
        ? `${JSON.stringify({ additional_context: context })}\n`
        : '',
    isHeard: (event) => event === 'session-start',
  },
  // Cursor 3, IDE and CLI: hooks, skill and MCP server of the project (its documentation of CLI, hooks and skills, 2026).
  setup(place) {
    const path = join(place.root, '.cursor', 'hooks.json')
    return [
      { type: 'json-value', path, at: ['version'], value: 1 },
      ...EVENTS.map(([name, event]): SetupEdit => {
        const value = { command: place.hookCommand(event), timeout: TIME_LIMIT }
        return { type: 'json-item', path, at: ['hooks', name], value }
      }),
      skillIn(place, '.cursor'),
      mcpServer(place, '.cursor', 'mcp.json'),
    ]
  },
  traces: ({ root, home, env }) => ({
    project: [join(root, '.cursor')],
    home: [env.CURSOR_DATA_DIR || join(home, '.cursor')],
  }),
  // The CLI of Cursor, as its documentation of 2026 has it.
  launch: {
    ...usualLaunch,
    program: 'cursor-agent',
    interactive: (prompt) => ({ args: [prompt] }),
    headless: (prompt) => ({ args: ['-p', prompt] }),
    passEnv: ['CURSOR_API_KEY', 'CURSOR_DATA_DIR'],
    ready: /→/,
    exitLine: '/quit',
  },
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
