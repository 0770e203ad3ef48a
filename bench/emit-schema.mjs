/**
 * Writes the schemas in docs/ from what the program itself reads by: front matter, configuration, and the answer of a model; and the
 * tables of docs/format.md and docs/configuration.md.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
const { frontMatterJsonSchema } = await load('src/brief/meta-schema.ts')
const { configJsonSchema } = await load('bench/config-schema.ts')
const { replyJsonSchema } = await load('src/extract/model-reply.ts')
await write('brief.v1.schema.json', frontMatterJsonSchema())
await write('config.v1.schema.json', configJsonSchema())
await write('extraction.v1.schema.json', replyJsonSchema())
const { configTable, frontMatterTable, withPart } = await load('bench/doc-tables.ts')
const { defaultConfig, keys } = await load('src/config/keys.ts')
await rewrite('format.md', 'front matter', frontMatterTable(frontMatterJsonSchema()))
await rewrite('configuration.md', 'keys', configTable(keys, defaultConfig()))

async function load(file) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [file],
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    write: false,
  })
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`)
}

async function write(name, schema) {
  await writeFile(`${root}docs/${name}`, `${JSON.stringify(schema, null, 2)}\n`)
}

async function rewrite(name, part, table) {
  const path = `${root}docs/${name}`
  await writeFile(path, withPart(await readFile(path, 'utf8'), part, table))
}
