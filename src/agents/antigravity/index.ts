import { join } from 'node:path'
import type { Adapter } from '../../types/agent.ts'
import { fieldsOf, listOf, textOf } from '../fields.ts'
import { readCall } from '../hooks.ts'
import { mcpServer, skillIn, usualLaunch } from '../setup.ts'
import { antigravityFolder, findAntigravitySessions, readAntigravityRef } from './files.ts'
import { readAntigravitySession } from './read.ts'

/**
 * Antigravity, CLI (`agy`) and IDE: one JSONL file of steps per conversation. From documents, not recorded: the description in
 * specstoryai/getspecstory (`docs/ANTIGRAVITY-FORMAT.md`, `agy` 1.1, August 2026) and the fixtures of codeburn (August 2026).
 */
export const antigravity: Adapter = {
  id: 'antigravity',
  label: 'Antigravity',
  basis: { is: 'documented', of: 'agy 1.1', source: 'getspecstory, codeburn' },
  marks: ['ANTIGRAVITY_AGENT', 'ANTIGRAVITY_CONVERSATION_ID'],
  caller: ({ ANTIGRAVITY_AGENT, ANTIGRAVITY_CONVERSATION_ID }) =>
    ANTIGRAVITY_AGENT || ANTIGRAVITY_CONVERSATION_ID
      ? { agent: 'antigravity', sessionId: ANTIGRAVITY_CONVERSATION_ID || null, path: null }
      : null,
  find: findAntigravitySessions,
  identify: async (path, head) =>
    head.startsWith('{"step_index":') ? readAntigravityRef(path, antigravityFolder(path)) : null,
  read: readAntigravitySession,
  // One message that stands before this request; nothing reaches the person.
  hooks: {
    read(payload) {
      const { conversationId, workspacePaths, ...fields } = fieldsOf(payload)
      return {
        ...readCall(fields),
        sessionId: textOf(conversationId) || null,
        cwd: textOf(listOf(workspacePaths)[0]) || null,
      }
    },
    answer: (event, { context }) =>
      event !== 'prompt'
        ? ''
        : `${JSON.stringify(context === null ? {} : { injectSteps: [{ ephemeralMessage: context }] })}\n`,
    isHeard: (event) => event === 'prompt',
  },
  // CLI 1.1 and IDE: a hook, a skill and MCP servers of the project. CLI 1.1.11 took hooks only from plugins (ToolAhead 0.7, August 2026),
  // 1.1.25 reads them here (skillsaw 0.20). The one before each request alone may tell the model something (its documentation as of July
  // 2026, in the adapter of AEP); the end of a turn wants a decision, which is not ours to make.
  setup: (place) => [
    {
      type: 'json-item',
      path: join(place.root, '.agents', 'hooks.json'),
      at: ['handoff', 'PreInvocation'],
      value: { type: 'command', command: place.hookCommand('prompt'), timeout: 10 },
    },
    skillIn(place, '.agents'),
    mcpServer(place, '.agents', 'mcp_config.json'),
  ],
  traces: ({ root, home }) => ({
    project: ['mcp_config.json', 'hooks.json'].map((name) => join(root, '.agents', name)),
    home: ['antigravity-cli', 'antigravity'].map((name) => join(home, '.gemini', name)),
  }),
  // The CLI 1.1 (`agy`).
  launch: {
    ...usualLaunch,
    program: 'agy',
    interactive: (prompt) => ({ args: ['-i', prompt] }),
    headless: (prompt) => ({ args: ['-p', prompt] }),
    passEnv: ['GEMINI_*', 'GOOGLE_*'],
    exitLine: '/quit',
  },
}
