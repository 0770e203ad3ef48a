/** Writes docs/brief.v1.schema.json from the one schema in src/brief/meta-schema.ts. */
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
const { outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: ['src/brief/meta-schema.ts'],
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  write: false,
})
const { frontMatterJsonSchema } = await import(
  `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`
)
await writeFile(`${root}docs/brief.v1.schema.json`, `${JSON.stringify(frontMatterJsonSchema(), null, 2)}\n`)
