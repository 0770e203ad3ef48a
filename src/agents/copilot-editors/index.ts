import { join } from 'node:path'
import type { Adapter } from '../../types/agent.ts'
import type { Batches, ReadOptions, SessionRef } from '../../types/session.ts'
import { jsonValue } from '../setup.ts'
import {
  findJetbrainsSessions,
  findVscodeSessions,
  isChat,
  isChatFile,
  readChatRef,
  readJetbrainsRef,
  readVscodeRef,
  userFolders,
  vscodeFolderOf,
} from './files.ts'

/**
 * GitHub Copilot in VS Code: chats of the editor, and with chat hooks on a JSONL file of events as in Copilot CLI.
 * Source: VS Code `chat/common/model/` (November 2026), Copilot Chat 0.42 `sessionTranscriptService.ts`, codeburn, deja.
 */
export const copilotVscode: Adapter = {
  id: 'copilot-vscode',
  label: 'GitHub Copilot in VS Code',
  basis: { is: 'documented', of: 'VS Code of 2026', source: 'its code, codeburn, deja' },
  // In terminals of the agent since VS Code 1.121 (microsoft/vscode#316267). What Copilot CLI starts in one is its own.
  marks: ['COPILOT_AGENT'],
  caller: ({ COPILOT_AGENT, COPILOT_CLI, COPILOT_AGENT_SESSION_ID }) =>
    COPILOT_AGENT && !COPILOT_CLI && !COPILOT_AGENT_SESSION_ID
      ? { agent: 'copilot-vscode', sessionId: null, path: null }
      : null,
  find: findVscodeSessions,
  identify: async (path, head) => {
    if (isChat(head)) return readChatRef(path, vscodeFolderOf(path))
    return head.startsWith('{"type":"session.start"') ? readVscodeRef(path, vscodeFolderOf(path)) : null
  },
  read: readVscode,
  // Skills of Copilot CLI count here as well; its hooks run in both (documentation of VS Code, 2026).
  setup: ({ root, mcp }) => [
    jsonValue(join(root, '.vscode', 'mcp.json'), ['servers', 'handoff'], { type: 'stdio', ...mcp }),
  ],
  program: 'code',
  traces: ({ root, ...place }) => ({
    project: [join(root, '.vscode', 'mcp.json')],
    // Where VS Code lets an extension keep what belongs to no workspace.
    home: userFolders(place).map((folder) => join(folder, 'globalStorage', 'github.copilot-chat')),
  }),
}

/** GitHub Copilot in JetBrains: the same events in partitions. Source: ai-engineering-fluency (Rider 2026.1, April 2026), codeburn#433. */
export const copilotJetbrains: Adapter = {
  id: 'copilot-jetbrains',
  label: 'GitHub Copilot in JetBrains',
  basis: { is: 'documented', of: 'Rider 2026.1', source: 'ai-engineering-fluency, codeburn' },
  marks: [],
  find: findJetbrainsSessions,
  identify: async (path, head) => (head.startsWith('{"type":"') ? readJetbrainsRef(path) : null),
  read: readEvents,
}

async function* readVscode(ref: SessionRef, options: ReadOptions): Batches {
  if (isChatFile(ref.path)) yield* (await import('./chat.ts')).readChat(ref, options)
  else yield* readEvents(ref, options)
}

async function* readEvents(ref: SessionRef, options: ReadOptions): Batches {
  yield* (await import('./transcript.ts')).readTranscript(ref, options)
}
