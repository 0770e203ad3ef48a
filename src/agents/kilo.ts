import { join } from 'node:path'
import type { Adapter } from '../types/agent.ts'
import { databasePath, KILO, splitSessionPath } from './opencode/database.ts'
import { openCodeHooks, openCodeLaunch, openCodeSetup } from './opencode/index.ts'
import { xdgFolders } from './setup.ts'
import { lastWrite } from './sqlite.ts'

/** What has been seen of OpenCode alone is left out. */
const { ask: _ask, fork: _fork, ...onlyStarts } = openCodeLaunch

/** Kilo 7.7.9, a fork of OpenCode: the same SQLite database, plugin and settings under other names. */
export const kilo: Adapter = {
  id: 'kilo',
  label: 'Kilo',
  basis: { is: 'recorded', of: '@kilocode/cli 7.7.9' },
  marks: ['KILO', 'KILO_PID'],
  sessionMarks: ['HANDOFF_OPENCODE_SESSION'],
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
  hooks: openCodeHooks,
  // It reads the settings of OpenCode in a project as well: the plugin is one for both, and loaded once.
  setup: (place) => openCodeSetup(place, 'kilo', 'https://app.kilo.ai'),
  traces: ({ root, home, env }) => ({
    project: ['kilo.json', 'kilo.jsonc', '.kilo', '.kilocode'].map((name) => join(root, name)),
    home: xdgFolders({ home, env }, 'kilo'),
  }),
  launch: {
    ...onlyStarts,
    program: 'kilo',
    passEnv: [...openCodeLaunch.passEnv.filter((name) => !name.startsWith('OPENCODE')), 'KILO_*'],
  },
}
