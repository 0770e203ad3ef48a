/**
 * Builds dist/: `cli.cjs`, one CommonJS file in which every command is evaluated only when it is called, and one file
 * for each large library that few calls need. Dependencies are bundled. Measured: an empty .mjs starts 9 ms slower than
 * an empty .cjs, and thirty small chunks take longer to load than one file of the same size. Other programs get
 * `index.js`, a module that loads `cli.cjs` at the first call, and `index.d.ts`.
 */
import { createHash } from 'node:crypto'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { declarationsOf } from './declarations.mjs'
import { noticesOf } from './notices.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const { version } = createRequire(import.meta.url)('../package.json')
const outdir = process.argv[2] ?? 'dist'

/** Libraries with a file of their own, by the name they are imported with. */
const LAZY = {
  '@clack/prompts': 'lib-prompts',
  cosmiconfig: 'lib-cosmiconfig',
  'jsonc-parser': 'lib-json',
  'smol-toml': 'lib-toml',
  acorn: 'lib-acorn',
  // Our own, which nothing but the official server library stands behind.
  '../mcp/serve.ts': 'lib-mcp',
}
/** Those that only modules import which few calls evaluate: `init` and `doctor` edit settings, some sessions hold scripts. */
const BEHIND_COMMANDS = new Set(['acorn', 'jsonc-parser', 'smol-toml'])
/** Where a library is not to be taken by its main file: that one loads its parts in a way that cannot be followed. */
const MAIN = {
  'jsonc-parser': 'jsonc-parser/lib/esm/main.js',
  '../mcp/serve.ts': 'src/mcp/serve.ts',
}

/** Modules of Node that take milliseconds to load and that many runs do without: loaded at the first use. */
const LATE =
  /^(?:node:)?(child_process|crypto|fs\/promises|os|tty|readline|timers\/promises|worker_threads|zlib)$/
/**
 * Modules of our own, likewise: schemas of zod take longer to build than most values take to check, few sessions hold scripts of Codex,
 * and most runs keep no brief, resume none, compare none and start no agent. What stands behind them is not evaluated either.
 */
const OWN_LATE =
  /\/(?:script|meta-schema|brief\/notes|save-brief|resumed|find-saved|read-truth|verify\/truth|propose-goal|verdict|destination|keep-program|text\/rows)\.ts$/

/** Libraries of many modules that are joined into one, by the name they are imported with: what is used of each. */
const FLAT = {
  yaml: `export { CST, Lexer, Scalar, isMap, isSeq, parseDocument, stringify } from 'yaml'
export { stringifyString } from 'yaml/util'`,
  'zod/mini': `export {
  _default, array, boolean, describe, enum, extend, gte, int, literal, looseObject, lte, maxLength, minLength, minimum, nullable, number, optional,
  record, regex, strictObject, string, toJSONSchema, union
} from 'zod/mini'`,
}
/** What was built on the way. */
const inner = []

const common = {
  absWorkingDir: root,
  outdir,
  bundle: true,
  format: 'cjs',
  platform: 'node',
  target: 'node20',
  outExtension: { '.js': '.cjs' },
  minify: !process.argv.includes('--readable'),
  // In a readable build as well: constants that are looked up, not inlined, make loops over bytes twice as slow.
  minifySyntax: true,
  define: { __VERSION__: JSON.stringify(version) },
  loader: { '.sh': 'text' },
  // Otherwise esbuild turns such literals into `new RegExp(…)`, compiled anew at every use; Node 20 knows them.
  supported: { 'regexp-unicode-property-escapes': true },
  // dist/THIRD-PARTY-NOTICES.txt has them.
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
  logOverride: { 'import-is-undefined': 'error' },
}

await rm(new URL(`../${outdir}`, import.meta.url), { recursive: true, force: true })
const builds = await Promise.all([
  build({
    ...common,
    // The second is what agents call at each of their events.
    entryPoints: { cli: 'src/cli.ts', hook: 'src/cli/hook-main.ts' },
    // js-yaml is gray-matter's default engine, which src/brief/front-matter.ts replaces; debug tells what nobody asks.
    alias: { 'js-yaml': './scripts/no-js-yaml.cjs', debug: './scripts/no-debug.cjs' },
    plugins: [
      { name: 'lazy', setup: keepLazy },
      { name: 'late', setup: loadLate },
      { name: 'flat', setup: joinLibraries },
    ],
    // Installed by whoever wants an exact count, or a model of a service to be asked.
    external: ['gpt-tokenizer/*', 'ai', '@ai-sdk/*'],
    // Our own lazy imports become lazy `require`s, which are faster.
    supported: { ...common.supported, 'dynamic-import': false },
  }),
  build({
    ...common,
    entryPoints: Object.fromEntries(Object.entries(LAZY).map(([name, file]) => [file, MAIN[name] ?? name])),
    alias: { 'js-yaml': './scripts/no-js-yaml.cjs' },
    // cosmiconfig asks for it only to read TypeScript configuration, which is refused.
    external: ['typescript'],
  }),
  build({
    ...common,
    entryPoints: { index: 'src/index.ts' },
    format: 'esm',
    outExtension: {},
    minify: false,
    plugins: [{ name: 'program', setup: leaveProgram }],
  }),
  declarationsOf(root, 'src/index.ts').then(async (text) => {
    await mkdir(new URL(`../${outdir}/`, import.meta.url), { recursive: true })
    await writeFile(new URL(`../${outdir}/index.d.ts`, import.meta.url), text)
  }),
])

const program = new URL(`../${outdir}/cli.cjs`, import.meta.url)
const metafiles = [...inner, ...builds.flatMap((one) => one?.metafile ?? [])]
await writeFile(new URL('THIRD-PARTY-NOTICES.txt', program), noticesOf(root, metafiles))
await Promise.all([stamp(program), stamp(new URL('hook.cjs', program))])
await writeFile(new URL('help.txt', program), await helpOf(program))
const { completionScripts } = createRequire(import.meta.url)(fileURLToPath(program))
for (const [shell, script] of Object.entries(await completionScripts()))
  await writeFile(new URL(`completion.${shell}`, program), script)

/** What `handoff --help` prints, so that bin/handoff.cjs need not load the program for it. */
async function helpOf(file) {
  let text = ''
  const ignore = { write() {} }
  const { run } = createRequire(import.meta.url)(fileURLToPath(file))
  await run({
    argv: ['--help'],
    env: {},
    stdin: [],
    stdout: { write: (part) => (text += part) },
    stderr: ignore,
  })
  return text
}

/**
 * Makes the program ASCII, which V8 reads three times as fast and keeps in half the memory, and puts the digest of it
 * before it, so that bin/load-cached.cjs knows the build without reading it all. What esbuild leaves beyond ASCII stands
 * in regular expressions, as literals or as `String.raw`, where an escape means the same.
 */
async function stamp(file) {
  const text = await readFile(file, 'utf8')
  const plain = text.replace(/[^\0-\x7f]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
  const digest = createHash('sha256').update(plain).digest('hex').slice(0, 16)
  await writeFile(file, `/*${digest}*/${plain}`)
}

/** One module is evaluated instead of a hundred. Those for Node are CommonJS, which cannot be joined. */
function joinLibraries({ onResolve, onLoad }) {
  onResolve({ filter: /^(?:yaml(?:\/util)?|zod\/mini)$/ }, ({ path }) => ({
    path: path.replace('/util', ''),
    namespace: 'flat',
  }))
  onLoad({ filter: /^/, namespace: 'flat' }, async ({ path }) => {
    const joined = await build({
      ...common,
      stdin: { contents: FLAT[path], resolveDir: root },
      format: 'esm',
      platform: 'neutral',
      write: false,
    })
    inner.push(joined.metafile)
    return { contents: joined.outputFiles[0].text }
  })
}

/** The library is a skin: it runs the program, which is there anyway. */
function leaveProgram({ onResolve }) {
  onResolve({ filter: /^\.\.\/cli\.ts$/ }, () => ({ path: './cli.cjs', external: true }))
}

function keepLazy({ onResolve }) {
  onResolve({ filter: /^(?:[@a-z]|\.\.\/mcp\/)/ }, ({ path, kind }) => {
    const file = LAZY[path]
    if (file === undefined) return undefined
    if (kind !== 'dynamic-import' && !BEHIND_COMMANDS.has(path))
      throw new Error(`${path} must be imported with import()`)
    return { path: `./${file}.cjs`, external: true }
  })
}

function loadLate({ onResolve, onLoad }) {
  onResolve({ filter: LATE }, ({ path, namespace }) =>
    namespace === 'late' ? { path, external: true } : { path: path.replace('node:', ''), namespace: 'late' },
  )
  onLoad({ filter: LATE, namespace: 'late' }, ({ path }) => ({
    // The last is what a newer Node has than the one that builds.
    contents: gettersOf(`node:${path}`, [
      ...new Set([...Object.keys(createRequire(import.meta.url)(path)), 'zstdDecompressSync']),
    ]),
  }))
  onResolve({ filter: OWN_LATE }, ({ path, resolveDir, kind }) =>
    kind === 'import-statement' ? { path: join(resolveDir, path), namespace: 'late-own' } : undefined,
  )
  onLoad({ filter: /^/, namespace: 'late-own' }, async ({ path }) => {
    const source = await readFile(path, 'utf8')
    const names = [...source.matchAll(/^export (?:const|(?:async )?function\*?) (\w+)/gm)].map(
      ([, name]) => name,
    )
    return { contents: gettersOf(`./${basename(path)}`, names), resolveDir: dirname(path) }
  })
}

/** CommonJS of the same exports, each of which loads the module when it is asked for. */
function gettersOf(path, names) {
  return `for (const name of ${JSON.stringify(names)})
  Object.defineProperty(exports, name, { enumerable: true, get: () => require(${JSON.stringify(path)})[name] })`
}
