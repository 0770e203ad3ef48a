import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Launch, SetupEdit, SetupPlace } from '../types/agent.ts'
import { fileFrom, xdgFolders } from './setup.ts'

/**
 * Amp of September 2026: a skill and an MCP server of the project, as `amp mcp add --workspace` writes it (the client), `settings.jsonc`
 * where it is there (rulesync, August 2026). It has no hooks; its plugins are code.
 */
export const ampSetup = (place: SetupPlace): SetupEdit[] => {
  const [plain, commented] = ['settings.json', 'settings.jsonc'].map((name) =>
    join(place.root, '.amp', name),
  ) as [string, string]
  return [
    fileFrom(place, 'SKILL.md', '.agents', 'skills', 'handoff', 'SKILL.md'),
    {
      type: 'json-value',
      path: existsSync(commented) ? commented : plain,
      at: ['amp.mcpServers', 'handoff'],
      value: place.mcp,
    },
  ]
}

export const ampTraces = ({ root, home, env }: Pick<SetupPlace, 'root' | 'home' | 'env'>) => ({
  project: [join(root, '.amp')],
  home: xdgFolders({ home, env }, 'amp'),
})

/** As its own help says (September 2026): a prompt on standard input begins a session on the screen. */
export const ampLaunch: Launch = {
  program: 'amp',
  interactive: (prompt) => ({ args: [], stdin: prompt }),
  headless: (prompt) => ({ args: ['-x'], stdin: prompt }),
  passEnv: ['AMP_*'],
  skillLine: (name) => `/${name}`,
  ready: /^/,
  exitLine: '/quit',
}
