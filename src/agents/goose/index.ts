import type { Adapter } from '../../types/agent.ts'
import { lastWrite } from '../sqlite.ts'
import { databasePath, exportRef, findGoose } from './files.ts'
import { readGoose } from './read.ts'
import { gooseLaunch, gooseSetup, gooseTraces } from './setup.ts'

/**
 * Goose: one SQLite file for all sessions, and what `goose session export --format json` prints. From documents, not recorded: the
 * session registry of deja (September 2026, of Goose 1.49) and the parser of agentsview (`internal/parser/goose.go`, August 2026).
 */
export const goose: Adapter = {
  id: 'goose',
  label: 'Goose',
  basis: { is: 'documented', of: 'Goose 1.10 to 1.49', source: 'deja, agentsview' },
  marks: ['GOOSE_TERMINAL'],
  caller: ({ GOOSE_TERMINAL, AGENT_SESSION_ID }) =>
    GOOSE_TERMINAL ? { agent: 'goose', sessionId: AGENT_SESSION_ID || null, path: null } : null,
  lastWrite: (place) => lastWrite(databasePath(place)),
  find: findGoose,
  identify: async (path, head) =>
    /"working_dir"\s*:/.test(head) && /"conversation"\s*:\s*\[/.test(head) ? exportRef(path) : null,
  read: readGoose,
  setup: gooseSetup,
  traces: gooseTraces,
  launch: gooseLaunch,
}
