import { dirname, join } from 'node:path'
import type { Adapter } from '../../types/agent.ts'
import { PROVIDER_LOGINS, skillIn, usualLaunch, xdgFolders } from '../setup.ts'
import { lastWrite } from '../sqlite.ts'
import { databasePath, exportRef, findGoose } from './files.ts'
import { readGoose } from './read.ts'

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
  // Its hooks only look on at the start and at a prompt (its documentation of 2026, rulesync of August 2026).
  setup: (place) => [skillIn(place, '.agents')],
  traces: ({ root, ...place }) => ({
    project: [join(root, '.goose'), join(root, '.goosehints')],
    home: [xdgFolders(place, 'goose')[0], dirname(databasePath(place))],
  }),
  // `-s` stays open after the prompt (`goose-cli-commands` of its documentation, and IDE Agent Tabs, 2026).
  launch: {
    ...usualLaunch,
    program: 'goose',
    interactive: (prompt) => ({ args: ['run', '-s', '-t', prompt] }),
    headless: (prompt) => ({ args: ['run', '-i', '-'], stdin: prompt }),
    passEnv: ['GOOSE_*', ...PROVIDER_LOGINS],
    skillLine: (name) => `Use the skill ${name}.`,
  },
}
