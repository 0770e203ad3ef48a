/**
 * Builds dist/: one small CommonJS entry and a lazy chunk per command, dependencies bundled.
 * esbuild splits only ES modules, so it bundles with splitting first and then turns every output file into CommonJS
 * (an empty .mjs starts 9 ms slower than an empty .cjs).
 */
import { readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, transform } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
const out = join(root, 'dist')
const { version } = createRequire(import.meta.url)('../package.json')

// A CommonJS package imported lazily becomes a chunk with a default export alone; Node would offer its names too.
const NAMES =
  'for (const name of Object.keys(module.exports.default)) name in module.exports || Object.defineProperty(module.exports, name, { get: () => module.exports.default[name], enumerable: true });'
// Otherwise esbuild turns such literals into `new RegExp(…)`, compiled anew at every use; Node 20 knows them.
const supported = { 'regexp-unicode-property-escapes': true }

await rm(out, { recursive: true, force: true })
const result = await build({
  absWorkingDir: root,
  entryPoints: { cli: 'src/cli.ts' },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  supported,
  outExtension: { '.js': '.cjs' },
  chunkNames: 'chunk-[name]-[hash]',
  define: { __VERSION__: JSON.stringify(version) },
  // js-yaml is gray-matter's default engine, replaced by `yaml`; typescript is an optional loader of cosmiconfig.
  alias: { 'js-yaml': './bench/no-js-yaml.cjs' },
  external: ['typescript'],
  legalComments: 'linked',
  metafile: true,
  write: true,
  logLevel: 'warning',
})
for (const [file, { entryPoint }] of Object.entries(result.metafile.outputs)) {
  if (!file.endsWith('.cjs')) continue
  const path = join(root, file)
  const code = await readFile(path, 'utf8')
  const done = await transform(code, {
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    minify: true,
    keepNames: true,
    supported: { ...supported, 'dynamic-import': false },
    define: { 'import.meta.url': '__importMetaUrl' },
    banner: code.includes('import.meta.url')
      ? 'const __importMetaUrl = require("node:url").pathToFileURL(__filename).href;'
      : '',
    footer: result.metafile.inputs[entryPoint]?.format === 'cjs' ? NAMES : '',
  })
  await writeFile(path, done.code)
}
