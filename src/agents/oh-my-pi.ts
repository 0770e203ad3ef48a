import { join, relative } from 'node:path'
import type { Adapter, Launch } from '../types/agent.ts'
import type { Home } from '../types/place.ts'
import { ownHooks } from './hooks.ts'
import { findPiFiles, fromHome, identifyAs, piNames } from './pi/files.ts'
import { piExtension, piLaunch } from './pi/index.ts'
import { namesIn } from './session-files.ts'
import { mcpServer, OTHER_NAME } from './setup.ts'

/** How oh-my-pi 18.2.3 is started; it takes the same arguments and keys as Pi. */
const launch: Launch = {
  ...piLaunch,
  program: 'omp',
  handoffLine: `/${OTHER_NAME}`,
  ready: /π/,
  passEnv: [...piLaunch.passEnv, 'OMP_PROFILE', 'PI_PROFILE', 'PI_CONFIG_DIR', 'OMP_*'],
}

/** oh-my-pi 18.2.3 (`@oh-my-pi/pi-coding-agent`): a title line first, then the records of Pi, in folders named otherwise. */
export const ohMyPi: Adapter = {
  id: 'oh-my-pi',
  label: 'oh-my-pi',
  basis: { is: 'recorded', of: '@oh-my-pi/pi-coding-agent 18.2.3' },
  marks: ['OMPCODE'],
  find: async (place, roots, onUnread) =>
    findPiFiles(ohMyPiSessionFolders(place), roots, 'oh-my-pi', ohMyPiNames(place.home, roots), onUnread),
  identify: identifyAs('oh-my-pi'),
  async *read(...given) {
    yield* (await import('./pi/read.ts')).readPiConversation(...given)
  },
  // It keeps 15 % of the window free, or 16,384 tokens where that is more.
  hooks: ownHooks((window) => window - Math.max(16_384, Math.floor(window * 0.15))),
  // Pi's extension, whose command is named otherwise since the built-in `/handoff` would win without a word, and the MCP server; both of
  // the project.
  setup: (place) => [
    piExtension(place, 'oh-my-pi', OTHER_NAME, '.omp'),
    mcpServer(place, '.omp', 'mcp.json'),
  ],
  traces: ({ root, home, env }) => ({
    project: [join(root, '.omp')],
    home: [join(home, env.PI_CONFIG_DIR || '.omp')],
  }),
  launch,
}

/**
 * Folders oh-my-pi 18.2.3 keeps sessions in (`pi-utils/src/dirs.ts`): below its agent folder, that of each profile, or where data
 * of the desktop goes once the person has moved it there; or side by side in the one the environment names.
 */
export function ohMyPiSessionFolders({ home, env }: Home): string[] {
  if (env.PI_CODING_AGENT_SESSION_DIR) return [fromHome(env.PI_CODING_AGENT_SESSION_DIR, home)]
  const profile = env.OMP_PROFILE ?? env.PI_PROFILE ?? ''
  const root = join(home, env.PI_CONFIG_DIR || '.omp')
  // Who calls from outside of a profile may mean a session of any.
  const all = profile === '' ? ['', ...namesIn(join(root, 'profiles'))] : [profile]
  return all.flatMap((name) => {
    const below = name === '' ? [] : ['profiles', name]
    const agent = (name === '' && env.PI_CODING_AGENT_DIR) || join(root, ...below, 'agent')
    const moved = env.XDG_DATA_HOME ? [join(env.XDG_DATA_HOME, 'omp', ...below, 'sessions')] : []
    return [...moved, join(fromHome(agent, home), 'sessions')]
  })
}

/**
 * How the names of oh-my-pi's folders may begin for sessions in `roots`: `-` and the path below the home, `-tmp` and the one
 * below the temporary folder, else as in Pi.
 */
export function ohMyPiNames(home: string, roots: readonly string[]): string[] {
  const below = roots.flatMap((root) => {
    const path = relative(home, root)
    if (path.startsWith('..')) return relative(root, home).startsWith('..') ? [] : ['-']
    return [`-${path.replace(/[/\\:]/g, '-')}`]
  })
  return [...below, '-tmp', ...piNames(roots)]
}
