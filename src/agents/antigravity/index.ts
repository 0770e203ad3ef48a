import type { Adapter } from '../../types/agent.ts'
import { antigravityFolder, findAntigravitySessions, readAntigravityRef } from './files.ts'
import { readAntigravitySession } from './read.ts'
import { antigravityHooks, antigravityLaunch, antigravitySetup, antigravityTraces } from './setup.ts'

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
  hooks: antigravityHooks,
  setup: antigravitySetup,
  traces: antigravityTraces,
  launch: antigravityLaunch,
}
