import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { MANIFESTS, manifestOf, packageFiles, serverOf } from '../../scripts/packages.mjs'

const ROOT = new URL('../../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8')
const { version } = JSON.parse(read('package.json'))
const files = packageFiles()
const written = new Map(Object.entries(files))

it.each(Object.entries(files))('%s is what scripts/packages.mjs writes', (path, text) => {
  // The formatter sets JSON in its own way.
  if (path.endsWith('.json')) expect(JSON.parse(read(path))).toEqual(JSON.parse(text))
  else expect(read(path)).toBe(text)
})

// The schema of Agent Plugins 1.0.0 is closed: clients report and ignore any other key.
it('the manifest keeps to the schema of Agent Plugins', () => {
  const manifest = JSON.parse(files['plugin.json'])
  const allowed = '$schema name version description author homepage repository license keywords extensions'
  expect(Object.keys(manifest).filter((key) => !allowed.split(' ').includes(key))).toEqual([])
  expect(manifest.$schema).toBe('https://agent-plugins.org/schemas/1.0.0/plugin.schema.json')
  expect(manifest.name).toMatch(/^(?!.*(?:--|\.\.))[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/)
  expect(manifest.version).toBe(version)
  const [, head = ''] = files['skills/handoff/SKILL.md'].split('---\n')
  expect(parse(head)).toMatchObject({ name: 'handoff' })
  expect(parse(head).description.length).toBeLessThanOrEqual(1024)
})

it('the marketplace leads to the plugin, the action runs this version', () => {
  const market = JSON.parse(files['.claude-plugin/marketplace.json'])
  const [plugin] = market.plugins
  expect(JSON.parse(read(`${plugin.source}/.claude-plugin/plugin.json`))).toMatchObject({
    name: plugin.name,
    version,
  })
  for (const path of ['.agents/plugins/marketplace.json', '.cursor-plugin/marketplace.json']) {
    const [{ source }] = JSON.parse(written.get(path) ?? '').plugins
    expect(written.get(`${(source.path ?? source).slice(2)}/plugin.json`)).toBe(files['plugin.json'])
  }
  const action = parse(files['action.yml'])
  expect(action.runs.using).toBe('composite')
  expect(action.inputs.version.default).toBe(version)
  expect(action.runs).toEqual(parse(read('templates/github-action/action.yml')).runs)
})

it('one field of package.json gives all addresses', () => {
  const url = 'https://github.com/acme/handoff'
  const repository = { type: 'git', url: `git+${url}.git` }
  const set = new Map(Object.entries(packageFiles(repository)))
  const told = (path: string) => JSON.parse(set.get(path) ?? 'null')
  const homepage = `${url}#readme`
  const mcpName = 'io.github.acme/git-handoff'
  const manifest = { version, repository, homepage, bugs: `${url}/issues`, mcpName }
  expect(told('package.json')).toEqual({ ...JSON.parse(read('package.json')), ...manifest })
  expect(told('server.json')).toMatchObject({
    ...{ name: mcpName, version, repository: { url, source: 'github' }, websiteUrl: homepage },
  })
  expect(told('plugin.json')).toMatchObject({ homepage, repository: url })
  // Nobody has set it here: then no file has an address, rather than one that leads nowhere.
  const isSet = JSON.parse(read('package.json')).repository !== undefined
  expect([...written.keys()].includes('server.json')).toBe(isSet)
  expect(() => packageFiles({ url: 'https://example.org/a.git' })).toThrow('repository.url')
})

it('the entry of the MCP registry has what its schema of 2025-12-11 asks for', () => {
  const server = serverOf('io.github.owner/git-handoff')
  expect(server.name).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/)
  expect(server.description.length).toBeLessThanOrEqual(100)
  expect(server.packages).toMatchObject([
    { registryType: 'npm', identifier: 'git-handoff', version: server.version, transport: { type: 'stdio' } },
  ])
})

it.each(MANIFESTS)('%s leads to executables with their sums', (name) => {
  const asked: string[] = []
  const text = manifestOf(
    name,
    { url: 'https://example.org/1/', home: 'https://example.org' },
    (file: string) => {
      asked.push(file)
      return file
    },
  )
  expect(text).not.toMatch(/\{\{|\}\}/)
  expect(text).toContain(version)
  for (const file of asked) {
    expect(text).toContain(`https://example.org/1/${file}`)
    expect(text).toContain(createHash('sha256').update(file).digest('hex'))
  }
  expect(asked.length).toBeGreaterThan(0)
  if (name.endsWith('.yaml')) expect(parse(text)).toMatchObject({ PackageVersion: version })
})
