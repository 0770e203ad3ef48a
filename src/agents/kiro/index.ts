import { join } from 'node:path'
import type { Adapter } from '../../types/agent.ts'
import { mcpServer, skillIn, usualLaunch } from '../setup.ts'
import { cliRef, findKiro, ideRef, kiroFolder } from './files.ts'
import { readKiro } from './read.ts'

/**
 * Kiro, CLI 2 and IDE: a file of JSON lines per session with its header beside it, one form for each. From documents, not recorded: the
 * session registry of deja (September 2026, of kiro-cli 2.22.0) and the parser of agentsview (`internal/parser/kiro.go`, August 2026).
 */
export const kiro: Adapter = {
  id: 'kiro',
  label: 'Kiro',
  basis: { is: 'documented', of: 'kiro-cli 2, IDE of 2026', source: 'deja, agentsview' },
  marks: [],
  caller: () => null,
  find: findKiro,
  async identify(path, head) {
    const first = head.split('\n', 1)[0] ?? ''
    // The header leads to the lines beside it.
    if (/^\s*\{\s*"session_id"\s*:/.test(head)) return cliRef(path.replace(/\.json$/, '.jsonl'))
    if (/"kind"\s*:\s*"(?:Prompt|AssistantMessage|ToolResults)"/.test(first)) return cliRef(path)
    return path.endsWith('messages.jsonl') && /"payload"\s*:/.test(first) ? ideRef(path) : null
  },
  read: readKiro,
  // Hooks are left out (its documentation and rulesync, August 2026): the engine that CLI 2.22 starts takes them only from an agent that
  // its person chooses, and the one of `--v3` puts an empty answer before the model too (subcortex, September 2026).
  setup: (place) => [skillIn(place, '.kiro'), mcpServer(place, '.kiro', 'settings', 'mcp.json')],
  traces: ({ root, ...place }) => ({ project: [join(root, '.kiro')], home: [kiroFolder(place)] }),
  // The CLI 2.22; without a terminal a tool that needs consent is refused.
  launch: {
    ...usualLaunch,
    program: 'kiro-cli',
    interactive: (prompt) => ({ args: ['chat', prompt] }),
    headless: (prompt) => ({ args: ['chat', '--no-interactive', prompt] }),
    passEnv: ['KIRO_*'],
    exitLine: '/quit',
  },
}
