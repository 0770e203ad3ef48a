/**
 * Lets bench/quality.mjs measure `continues` (github.com/yigitkonur/cli-continues): takes the arguments of `handoff create
 * --session <file>`, dumps the session with that program, and answers with the markdown as `create --json` would.
 *
 *   CONTINUES=<its dist/cli.js> npm run bench:quality -- --facts --format claude --format codex --program bench/continues.cjs
 */
const { spawnSync } = require('node:child_process')
const { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } = require('node:fs')
const { tmpdir } = require('node:os')
const { dirname, join } = require('node:path')

const args = process.argv.slice(2)
const file = args[args.indexOf('--session') + 1]
const records = readFileSync(file, 'utf8')
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line))
const codex = records.find(({ type }) => type === 'session_meta')?.payload.id
const claude = records.find(({ sessionId }) => sessionId)?.sessionId
const home = mkdtempSync(join(tmpdir(), 'continues-'))
try {
  const path = codex
    ? `.codex/sessions/2026/01/01/rollout-2026-01-01T00-00-00-${codex}.jsonl`
    : `.claude/projects/-home-dev-repo/${claude}.jsonl`
  mkdirSync(dirname(join(home, path)), { recursive: true })
  copyFileSync(file, join(home, path))
  const out = join(home, 'out')
  const dump = [process.env.CONTINUES, 'dump', codex ? 'codex' : 'claude', out, '--rebuild']
  const env = { ...process.env, HOME: home, XDG_CONFIG_HOME: home }
  const { stderr } = spawnSync(process.execPath, dump, { env, encoding: 'utf8' })
  const pages = readdirSync(out, { recursive: true }).filter((name) => name.endsWith('.md'))
  if (pages.length === 0) throw new Error(stderr)
  const markdown = pages.map((name) => readFileSync(join(out, name), 'utf8')).join('\n')
  console.log(JSON.stringify({ ok: true, markdown, tokens: Math.round(markdown.length / 3.8) }))
} finally {
  rmSync(home, { recursive: true, force: true })
}
