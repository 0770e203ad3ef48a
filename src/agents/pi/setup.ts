import { join } from 'node:path'
import type { SetupEdit, SetupPlace } from '../../types/agent.ts'

/**
 * Pi 0.74 … 1.5: one extension of the project, which Pi loads without a build; since 0.79 the person is asked whether the project
 * is trusted. It brings hooks, `/handoff` and the tool for notes, since Pi before 0.99 has no MCP.
 */
export const piSetup = (place: SetupPlace): SetupEdit[] => [
  {
    type: 'file',
    path: join(place.root, '.pi', 'extensions', 'handoff.js'),
    content: piExtension(place, 'pi', 'handoff'),
  },
]

/** The extension for Pi or one of its kin, whose command may need another name. */
export const piExtension = (place: Pick<SetupPlace, 'template'>, agent: string, command: string): string =>
  place
    .template('pi-extension.js')
    .replace("const AGENT = 'pi'", `const AGENT = '${agent}'`)
    .replace("const COMMAND = 'handoff'", `const COMMAND = '${command}'`)

export const piTraces = ({ root, home, env }: Pick<SetupPlace, 'root' | 'home' | 'env'>) => ({
  project: [join(root, '.pi')],
  home: [env.PI_CODING_AGENT_DIR || join(home, '.pi', 'agent')],
})
