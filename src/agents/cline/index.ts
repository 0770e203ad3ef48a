import { join } from 'node:path'
import type { Adapter } from '../../types/agent.ts'
import { skillIn, usualLaunch } from '../setup.ts'
import { clineFolder, findClineFiles, identifyCline } from './files.ts'
import { readClineSession } from './read.ts'

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
  // Its MCP servers stand at the person's home. A project may bring hooks (`.cline/hooks`), but in the CLI only those around a tool reach
  // the model: those of the start and of a prompt run beside (`hook-file-hooks.ts`, August 2026). The extension hears all, but each
  // event is one script, which people write by hand: two answers in it would be none.
  setup: (place) => [skillIn(place, '.cline')],
  traces: ({ root, ...place }) => ({
    project: [join(root, '.cline'), join(root, '.clinerules')],
    home: [clineFolder(place)],
  }),
  // The CLI approves every tool by itself unless it is told to ask; in a turn without a person it would then do nothing.
  launch: {
    ...usualLaunch,
    program: 'cline',
    interactive: (prompt) => ({ args: ['--tui', '--auto-approve', 'false', prompt] }),
    headless: (prompt) => ({ args: [prompt] }),
    passEnv: ['CLINE_*'],
  },
}
