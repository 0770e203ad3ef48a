/**
 * Writes the schemas in docs/ from what the program itself reads by: front matter, and configuration; and the
 * tables of agents, options, rules and keys in the pages of docs/, and the manual page.
 */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadSource } from './load-source.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
// Below node_modules, so that what is bundled finds the packages.
const folder = await mkdtemp(join(root, 'node_modules', '.emit-'))
try {
  await emit()
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function emit() {
  const { frontMatterJsonSchema } = await load('scripts/brief-schema.ts')
  const { configJsonSchema } = await load('scripts/config-schema.ts')
  await write('brief.v1.schema.json', frontMatterJsonSchema())
  await write('config.v1.schema.json', configJsonSchema())
  const tables = await load('scripts/doc-tables.ts')
  const { defaultConfig, keys } = await load('src/config/keys.ts')
  const { rules } = await load('src/validate/validate-brief.ts')
  const { commands } = await load('src/commands/table.ts')
  const { withPart } = tables
  await rewrite('configuration.md', (page) =>
    withPart(page, 'keys', tables.configList(keys, defaultConfig())),
  )
  await rewrite('spec/brief-v1.md', (page) => withPart(page, 'rules', tables.ruleList(rules)))
  const modules = new Map(await Promise.all(commands.map(async ({ name, load }) => [name, await load()])))
  await rewrite('commands.md', (page) =>
    withPart(page, 'commands', tables.commandReference(commands, modules)),
  )
  const { adapters } = await load('src/agents/table.ts')
  const guides = await readdir(join(root, 'docs/agents'))
  const fixtures = join(root, 'test/fixtures/agents')
  await rewrite('agents/README.md', (page) =>
    withPart(page, 'agents', tables.agentTable(adapters, guides, fixtures)),
  )
  const { manPage } = await load('scripts/man-page.ts')
  const { pages } = await load('src/commands/help-topics.ts')
  await writeFile(`${root}docs/git-handoff.1`, manPage(commands, modules, pages))
}

function load(entry) {
  return loadSource(folder, entry, { packages: 'external' })
}

async function write(name, schema) {
  await writeFile(`${root}docs/${name}`, `${JSON.stringify(schema, null, 2)}\n`)
}

async function rewrite(name, edit) {
  const path = `${root}docs/${name}`
  await writeFile(path, edit(await readFile(path, 'utf8')))
}
