import type { Adapter } from '../../types/agent.ts'
import { ownHooks } from '../hooks.ts'
import { findPiFiles, identifyAs, piNames, piSessionFolders } from './files.ts'
import { readPiConversation } from './read.ts'
import { piLaunch, piSetup, piTraces } from './setup.ts'

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
  read: readPiConversation,
  // It keeps 16,384 tokens free (`compaction.reserveTokens`).
  hooks: ownHooks((window) => window - 16_384),
  setup: piSetup,
  traces: piTraces,
  launch: piLaunch,
}
