import type { Adapter } from '../types/agent.ts'
import { databasePath, KILO, splitSessionPath } from './opencode/database.ts'
import { lastWrite } from './sqlite.ts'

/**
 * Kilo 7, a fork of OpenCode: the same SQLite database under another name. From documents, not recorded: the reader of agentsview
 * (`internal/parser/kilo.go`, August 2026) and the client's own start (`KILO=1`, `kilo.db`).
 */
export const kilo: Adapter = {
  id: 'kilo',
  label: 'Kilo',
  basis: { is: 'documented', of: 'database of OpenCode 1.18' },
  marks: ['KILO', 'KILO_PID'],
  caller: ({ KILO: isKilo, KILO_PID }) =>
    isKilo || KILO_PID ? { agent: 'kilo', sessionId: null, path: null } : null,
  lastWrite: (place) => lastWrite(databasePath(place, KILO)),
  async find(place, roots) {
    const database = databasePath(place, KILO)
    if ((await lastWrite(database)) === null) return []
    const { listSessions } = await import('./opencode/read.ts')
    return listSessions(database, roots, place, KILO)
  },
  // What it exports has the form of OpenCode, which takes it.
  identify: async () => null,
  async *read(ref, options) {
    const live = splitSessionPath(ref.path)
    if (live !== null) yield* (await import('./opencode/read.ts')).readSession(ref, live, options)
  },
  async text(ref, options) {
    const live = splitSessionPath(ref.path)
    return live && (await import('./opencode/read.ts')).exportText(live, options, KILO)
  },
}
