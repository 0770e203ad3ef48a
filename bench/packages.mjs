/**
 * `node bench/packages.mjs`: writes the forms in which agents and servers take this repository as it is, from templates/ and package.json.
 * `--server <name>` prints what the MCP registry takes instead, under the name that its owner has there (`io.github.<owner>/git-handoff`).
 * `--release <url> --files <folder> --home <url>` fills templates/release/ (Homebrew, mise, winget) with what bench/executable.mjs put into
 * the folder and somebody is about to publish at the address; it writes there, too.
 *
 * plugin.json, skills/: Agent Plugins 1.0.0 (agent-plugins.org, schemas of 2026-08-06), also in a folder of their own, which the marketplaces
 * of Codex (0.169) and Cursor name: they copy the whole folder. No mcp.json: its server starts in the plugin's folder and cannot know the
 * project (openai/codex#37903, agentplugins/agent-plugins-spec#40). .claude-plugin/marketplace.json: Claude Code 2.1.330.
 * gemini-extension.json: Gemini CLI 0.61, which takes skills/ as well. action.yml: GitHub Actions. Server: schema of 2025-12-11.
 * test/unit/packages.test.ts fails when they are out of step.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const read = (path) => readFileSync(join(ROOT, path), 'utf8')
const json = (value) => `${JSON.stringify(value, null, 2)}\n`
const { version, description, license, keywords } = JSON.parse(read('package.json'))
const PLUGIN = 'templates/agents/agent-plugin'
const owner = { name: 'git-handoff contributors' }

/** Every file by its path from the root. */
export function packageFiles() {
  const skill = read('templates/agents/SKILL.md')
  const action = read('templates/github-action/action.yml')
    .replace(/^#.*\n/, '# Written by bench/packages.mjs from templates/github-action/action.yml.\n')
    .replaceAll('{{version}}', version)
  const plugin = {
    'plugin.json': json({
      $schema: 'https://agent-plugins.org/schemas/1.0.0/plugin.schema.json',
      name: 'handoff',
      ...{ version, description, author: owner, license, keywords },
    }),
    'skills/handoff/SKILL.md': skill,
  }
  const market = { name: 'git-handoff', owner, description }
  return {
    ...plugin,
    ...Object.fromEntries(Object.entries(plugin).map(([path, text]) => [`${PLUGIN}/${path}`, text])),
    '.claude-plugin/marketplace.json': json({
      ...market,
      plugins: [
        { name: 'handoff', source: './templates/agents/claude-plugin', description, version, license },
      ],
    }),
    '.agents/plugins/marketplace.json': json({
      name: 'git-handoff',
      interface: { displayName: 'git-handoff' },
      plugins: [
        {
          name: 'handoff',
          source: { source: 'local', path: `./${PLUGIN}` },
          policy: { installation: 'AVAILABLE', authentication: 'ON_INSTALL' },
          category: 'Productivity',
        },
      ],
    }),
    '.cursor-plugin/marketplace.json': json({
      ...market,
      plugins: [{ name: 'handoff', source: `./${PLUGIN}`, description }],
    }),
    'gemini-extension.json': json({
      ...{ name: 'handoff', version, description },
      mcpServers: { handoff: { command: 'npx', args: ['--yes', `git-handoff@${version}`, 'mcp'] } },
    }),
    'action.yml': action,
  }
}

/** What the MCP registry takes; package.json has to have the same name as `mcpName` when it is published. */
export const serverOf = (name) => ({
  $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
  name,
  description: 'Hand work from one coding agent to the next through git: drafts, notes, briefs, search.',
  version,
  packages: [
    {
      registryType: 'npm',
      identifier: 'git-handoff',
      version,
      transport: { type: 'stdio' },
      packageArguments: [{ type: 'positional', value: 'mcp' }],
    },
  ],
})

/** A manifest for people who install executables; `read` gives the bytes of one by its name. Throws when one is missing. */
export const manifestOf = (name, { url, home }, bytesOf) =>
  read(`templates/release/${name}.in`)
    .replaceAll('{{version}}', version)
    .replaceAll('{{url}}', url.replace(/\/$/, ''))
    .replaceAll('{{home}}', home)
    .replace(/\{\{sha256:([^}]+)\}\}/g, (_, file) => createHash('sha256').update(bytesOf(file)).digest('hex'))

export const MANIFESTS = ['homebrew.rb', 'mise.toml', 'winget.yaml']

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const text = { type: 'string' }
  const { values } = parseArgs({ options: { server: text, release: text, files: text, home: text } })
  const { release, files = '', home = release } = values
  if (values.server !== undefined) process.stdout.write(json(serverOf(values.server)))
  else if (release !== undefined)
    for (const name of MANIFESTS)
      writeFileSync(
        join(files, name),
        manifestOf(name, { url: release, home }, (file) => readFileSync(join(files, file))),
      )
  else
    for (const [path, text] of Object.entries(packageFiles())) {
      mkdirSync(dirname(join(ROOT, path)), { recursive: true })
      writeFileSync(join(ROOT, path), text)
    }
}
