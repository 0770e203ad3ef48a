/**
 * `node scripts/packages.mjs`: writes the forms in which agents and servers take this repository as it is, from templates/ and package.json.
 * Set `repository` in package.json before a release: `{"type": "git", "url": "git+https://github.com/<owner>/<name>.git"}`. This script then
 * writes what follows from it: `homepage`, `bugs` and `mcpName` there, the addresses of plugin.json, and server.json for the MCP registry.
 * `--release <url> --files <folder>` fills templates/release/ (Homebrew, mise, winget) with what scripts/executable.mjs put into the folder
 * and somebody is about to publish at the address; it writes there, too. `--home <url>` names another homepage.
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
const manifest = JSON.parse(read('package.json'))
const { version, description, license, keywords } = manifest
const PLUGIN = 'templates/agents/agent-plugin'
const owner = { name: 'git-handoff contributors' }

/** What follows from `repository` of package.json; null before it is set. */
function addressesOf(repository) {
  if (repository === undefined) return null
  const [, owner, name] = /^git\+https:\/\/github\.com\/([\w-]+)\/([\w.-]+)\.git$/.exec(repository.url) ?? []
  if (owner === undefined)
    throw new Error(
      `repository.url in package.json is not git+https://github.com/<owner>/<name>.git: ${repository.url}`,
    )
  const url = `https://github.com/${owner}/${name}`
  return { url, homepage: `${url}#readme`, bugs: `${url}/issues`, server: `io.github.${owner}/git-handoff` }
}

/** Every file by its path from the root. */
export function packageFiles(repository = manifest.repository) {
  const at = addressesOf(repository)
  const skill = read('templates/agents/SKILL.md')
  const action = read('templates/github-action/action.yml')
    .replace(/^#.*\n/, '# Written by scripts/packages.mjs from templates/github-action/action.yml.\n')
    .replaceAll('{{version}}', version)
    .replaceAll('{{digest}}', '')
  const plugin = {
    'plugin.json': json({
      $schema: 'https://agent-plugins.org/schemas/1.0.0/plugin.schema.json',
      name: 'handoff',
      ...{ version, description, author: owner, license, keywords },
      ...(at && { homepage: at.homepage, repository: at.url }),
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
      mcpServers: {
        handoff: { command: 'git', args: ['-c', 'safe.bareRepository=explicit', 'handoff', 'mcp'] },
      },
    }),
    'action.yml': action,
    ...(at && {
      'package.json': json({
        ...manifest,
        ...{ repository, homepage: at.homepage, bugs: at.bugs, mcpName: at.server },
      }),
      'server.json': json({
        ...serverOf(at.server),
        ...{ repository: { url: at.url, source: 'github' }, websiteUrl: at.homepage },
      }),
    }),
  }
}

/** What the MCP registry takes under a name that is `mcpName` in package.json. */
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
  const { values } = parseArgs({ options: { release: text, files: text, home: text } })
  const { release, files = '', home = addressesOf(manifest.repository)?.homepage ?? release } = values
  if (release !== undefined)
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
