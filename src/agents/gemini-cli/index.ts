import type { Adapter } from '../../types/agent.ts'
import { findGeminiFiles, geminiHeader, readGeminiRef } from './files.ts'
import { geminiFullness } from './fullness.ts'
import { geminiHooks } from './hooks.ts'
import { geminiLaunch } from './launch.ts'
import { readGeminiSession } from './read.ts'
import { geminiSetup, geminiTraces } from './setup.ts'

/** Gemini CLI 0.61 (`@google/gemini-cli`): one JSONL file per session, a log of changes to a list of messages. */
export const geminiCli: Adapter = {
  id: 'gemini-cli',
  label: 'Gemini CLI',
  marks: ['GEMINI_CLI'],
  // The id of the session is told to hooks only.
  caller: ({ GEMINI_CLI, GEMINI_SESSION_ID }) =>
    GEMINI_CLI ? { agent: 'gemini-cli', sessionId: GEMINI_SESSION_ID || null, path: null } : null,
  find: findGeminiFiles,
  identify: async (path, head) => (geminiHeader(head) ? await readGeminiRef(path) : null),
  read: readGeminiSession,
  fullness: geminiFullness,
  hooks: geminiHooks,
  setup: geminiSetup,
  traces: geminiTraces,
  afterSetup: [
    'At its next start here it asks whether to trust this folder: say yes, else it reads nothing of this and does not start without a terminal.',
  ],
  trust: async (place) => (await import('./trust.ts')).geminiTrust(place),
  launch: geminiLaunch,
}
