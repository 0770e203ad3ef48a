import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { SetupEdit, SetupPlace } from '../../types/agent.ts'

/** Where the plugin stands, from the top of the repository. */
const PLUGIN = '.agents/opencode/handoff.js'

/**
 * OpenCode 1.18: one plugin, which brings hooks and the fresh session of `/handoff`, the command itself, and the MCP server. All of
 * it is named in the project's settings and nothing stands in `.opencode/`: at every start OpenCode installs a package from the
 * registry into each such folder, which brings a package.json and node_modules and takes 70 s where there is no network.
 */
export const openCodeSetup = (place: SetupPlace): SetupEdit[] => {
  const path = join(
    place.root,
    existsSync(join(place.root, 'opencode.jsonc')) ? 'opencode.jsonc' : 'opencode.json',
  )
  return [
    { type: 'file', path: join(place.root, PLUGIN), content: place.template('opencode-plugin.js') },
    // OpenCode adds it by itself at its next start, and a committed file would differ.
    { type: 'json-value', path, at: ['$schema'], value: 'https://opencode.ai/config.json' },
    { type: 'json-item', path, at: ['plugin'], value: `./${PLUGIN}` },
    {
      type: 'json-value',
      path,
      at: ['command', 'handoff'],
      value: {
        description: 'Hand the work of this session over: /handoff <what the next session must achieve>',
        template: `${withoutHead(place.template('SKILL.md'))}\nThe goal: $ARGUMENTS`,
      },
    },
    {
      type: 'json-value',
      path,
      at: ['mcp', 'handoff'],
      value: { type: 'local', command: [place.mcp.command, ...place.mcp.args], enabled: true },
    },
  ]
}

/** A skill's text without its front matter. */
const withoutHead = (text: string): string => text.replace(/^---\n[\s\S]*?\n---\n+/, '')

export const openCodeTraces = ({ root, home, env }: Pick<SetupPlace, 'root' | 'home' | 'env'>) => ({
  project: ['opencode.json', 'opencode.jsonc', '.opencode'].map((name) => join(root, name)),
  home: [
    join(env.XDG_CONFIG_HOME || join(home, '.config'), 'opencode'),
    join(env.XDG_DATA_HOME || join(home, '.local', 'share'), 'opencode'),
  ],
})
