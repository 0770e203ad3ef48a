import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { runNode, versionOf } from './run-program.mjs'

const PROGRAM = process.env.CONTINUES
/** It asks for Node 22; this benchmark runs with 20. */
const NODE = process.env.CONTINUES_NODE
const SOURCES = { 'claude-code': 'claude', codex: 'codex', 'gemini-cli': 'gemini', opencode: 'opencode' }

/** `continues` (github.com/yigitkonur/cli-continues), by its own `dump`: `CONTINUES=<its dist/cli.js>`, and `CONTINUES_NODE=<node>` for another Node. */
export const continues = {
  id: 'continues',
  name: 'continues',
  missing: PROGRAM ? null : 'set CONTINUES to its dist/cli.js',
  version: () => versionOf(PROGRAM, NODE),
  make({ agent, sessionId, repo, home }) {
    const out = join(home, 'dumped')
    rmSync(out, { recursive: true, force: true })
    const { used } = runNode(PROGRAM, ['dump', SOURCES[agent], out, '--rebuild'], { repo, home, node: NODE })
    const name = readdirSync(out).find((one) => one.includes(sessionId))
    return { markdown: readFileSync(join(out, name), 'utf8'), used }
  },
}
