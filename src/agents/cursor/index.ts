import type { Adapter } from '../../types/agent.ts'
import { findCursorSessions, readCursorRef } from './files.ts'
import { readCursorSession } from './read.ts'
import { cursorHooks, cursorLaunch, cursorSetup, cursorTraces } from './setup.ts'

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
  hooks: cursorHooks,
  setup: cursorSetup,
  traces: cursorTraces,
  launch: cursorLaunch,
}
