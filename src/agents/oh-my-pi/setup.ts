import { join } from 'node:path'
import type { Launch, SetupEdit, SetupPlace } from '../../types/agent.ts'
import { piLaunch } from '../pi/launch.ts'
import { piExtension } from '../pi/setup.ts'

/**
 * oh-my-pi 18.2.3: Pi's extension, whose command is named otherwise since the built-in `/handoff` would win without a word, and the
 * MCP server; both of the project.
 */
export const ohMyPiSetup = (place: SetupPlace): SetupEdit[] => [
  {
    type: 'file',
    path: join(place.root, '.omp', 'extensions', 'handoff.js'),
    content: piExtension(place, 'oh-my-pi', 'handoff-brief'),
  },
  {
    type: 'json-value',
    path: join(place.root, '.omp', 'mcp.json'),
    at: ['mcpServers', 'handoff'],
    value: { command: place.mcp.command, args: place.mcp.args },
  },
]

export const ohMyPiTraces = ({ root, home, env }: Pick<SetupPlace, 'root' | 'home' | 'env'>) => ({
  project: [join(root, '.omp')],
  home: [join(home, env.PI_CONFIG_DIR || '.omp')],
})

/** How oh-my-pi 18.2.3 is started; it takes the same arguments and keys as Pi. */
export const ohMyPiLaunch: Launch = {
  ...piLaunch,
  program: 'omp',
  handoffLine: '/handoff-brief',
  ready: /π/,
  passEnv: [...piLaunch.passEnv, 'OMP_PROFILE', 'PI_PROFILE', 'PI_CONFIG_DIR', 'OMP_*'],
}
