import type { Adapter } from '../../types/agent.ts'
import { findClineFiles, identifyCline } from './files.ts'
import { readClineSession } from './read.ts'
import { clineLaunch, clineSetup, clineTraces } from './setup.ts'

/** Cline 3.0.65 (`cline`, and its extension since it keeps sessions in the same place): one JSON file of messages per session. */
export const cline: Adapter = {
  id: 'cline',
  label: 'Cline',
  basis: { is: 'recorded', of: 'cline 3.0.65' },
  // The CLI sets the first for itself, and its commands inherit it (seen in 3.0.65). The terminals of the extension have the other one
  // (apps/vscode/src/hosts/vscode/terminal/VscodeTerminalRegistry.ts of 4.1.13).
  marks: ['CLINE_CONNECTOR_CLI_LAUNCH', 'CLINE_ACTIVE'],
  caller: ({ CLINE_CONNECTOR_CLI_LAUNCH, CLINE_ACTIVE }) =>
    CLINE_CONNECTOR_CLI_LAUNCH || CLINE_ACTIVE ? { agent: 'cline', sessionId: null, path: null } : null,
  find: findClineFiles,
  identify: async (path, head) => identifyCline(path, head),
  read: readClineSession,
  setup: clineSetup,
  traces: clineTraces,
  launch: clineLaunch,
}
