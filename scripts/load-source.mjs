import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))

/** What a source file of this repository exports, TypeScript or not; it is bundled into `folder` first. `options`: more for esbuild. */
export async function loadSource(folder, entry, options = {}) {
  const outfile = join(folder, `${entry.replace(/\W/g, '-')}.mjs`)
  await build({
    entryPoints: [join(root, entry)],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    banner: {
      // As in CommonJS, which the program is built as.
      js: `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url); const __dirname = ${JSON.stringify(root)}`,
    },
    loader: { '.sh': 'text' },
    logLevel: 'warning',
    ...options,
  })
  return import(pathToFileURL(outfile))
}
