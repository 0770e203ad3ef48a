import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))

/** What a source file of this repository exports, TypeScript or not; it is bundled into `folder` first. */
export async function loadSource(folder, entry) {
  const outfile = join(folder, `${entry.replace(/\W/g, '-')}.mjs`)
  await build({
    entryPoints: [join(root, entry)],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)",
    },
    loader: { '.sh': 'text' },
    logLevel: 'warning',
  })
  return import(pathToFileURL(outfile))
}
