/**
 * `node bench/packages.mjs`: writes the forms in which agents and servers take this repository as it is, from templates/ and package.json.
 * `--server <name>` prints what the MCP registry takes instead, under the name that its owner has there (`io.github.<owner>/git-handoff`).
 * `--release <url> --files <folder> --home <url>` fills templates/release/ (Homebrew, mise, winget) with what bench/executable.mjs put into
 * the folder and somebody is about to publish at the address; it writes there, too.
 *
 * plugin.json, mcp.json, skills/: Agent Plugins 1.0.0 (agent-plugins.org, schemas of 2026-08-06). .claude-plugin/marketplace.json: Claude
 * Code 2.1.330. action.yml: GitHub Actions. Server: schema of 2025-12-11. test/unit/packages.test.ts fails when they are out of step.
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
const SCHEMAS = 'https://agent-plugins.org/schemas/1.0.0'

/** Every file by its path from the root. */
export function packageFiles() {
  const skill = read('templates/agents/SKILL.md')
  const action = read('templates/github-action/action.yml')
    .replace(/^#.*\n/, '# Written by bench/packages.mjs from templates/github-action/action.yml.\n')
    .replaceAll('{{version}}', version)
  return {
    'plugin.json': json({
      $schema: `${SCHEMAS}/plugin.schema.json`,
      name: 'handoff',
      ...{ version, description, author: { name: 'git-handoff contributors' }, license, keywords },
    }),
    'mcp.json': json({
      $schema: `${SCHEMAS}/mcp.schema.json`,
      mcpServers: {
        handoff: { type: 'stdio', command: 'npx', args: ['--yes', `git-handoff@${version}`, 'mcp'] },
      },
    }),
    'skills/handoff/SKILL.md': skill,
    '.claude-plugin/marketplace.json': json({
      name: 'git-handoff',
      owner: { name: 'git-handoff contributors' },
      description,
      plugins: [
        { name: 'handoff', source: './templates/agents/claude-plugin', description, version, license },
      ],
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
