import type { Adapter } from '../../types/agent.ts'
import { lastWrite } from '../sqlite.ts'
import { databasePath, openCodeFullness, splitSessionPath } from './database.ts'
import { identifyExport, readExportFile } from './export.ts'
import { openCodeHooks, openCodeLaunch, openCodeSetup, openCodeTraces } from './setup.ts'

/**
 * OpenCode 1.18: sessions are rows of one SQLite database, read by Node where it can (22.13), else by asking OpenCode; and the file
 * that `opencode export <id>` prints. Its environment does not name the session: our plugin's hook `shell.env` does.
 */
export const opencode: Adapter = {
  id: 'opencode',
  label: 'OpenCode',
  basis: { is: 'recorded', of: 'opencode-ai 1.18.33' },
  marks: ['OPENCODE', 'HANDOFF_OPENCODE_SESSION'],
  caller: ({ OPENCODE, HANDOFF_OPENCODE_SESSION }) =>
    OPENCODE ? { agent: 'opencode', sessionId: HANDOFF_OPENCODE_SESSION || null, path: null } : null,
  lastWrite: (place) => lastWrite(databasePath(place)),
  async find(place, roots) {
    const database = databasePath(place)
    if ((await lastWrite(database)) === null) return []
    // Loaded only where there is a database.
    const { listSessions } = await import('./read.ts')
    return listSessions(database, roots, place)
  },
  identify: identifyExport,
  async *read(ref, options) {
    const live = splitSessionPath(ref.path)
    if (live === null) yield* readExportFile(ref, options)
    else yield* (await import('./read.ts')).readSession(ref, live, options)
  },
  async text(ref, options) {
    const live = splitSessionPath(ref.path)
    return live && (await import('./read.ts')).exportText(live, options)
  },
  async fullness(ref, place) {
    const live = splitSessionPath(ref.path)
    return live && openCodeFullness(live, place)
  },
  hooks: openCodeHooks,
  setup: openCodeSetup,
  traces: openCodeTraces,
  launch: openCodeLaunch,
}
