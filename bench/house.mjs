/**
 * `node bench/house.mjs [--check]`: how big the house is. Prints lines, files and import circles by room, and the words of
 * the documents. With `--check` it exits 1 when files import each other in a circle or a file has more than 300 lines.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const MAX_LINES = 300

const filesIn = (folder, ending) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name))
    .map((name) => join(folder, name))
    .sort()
const lineCount = (text) => text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
const sum = (numbers) => numbers.reduce((all, one) => all + one, 0)

const modules = filesIn('src', /\.ts$/).map((path) => {
  const code = readFileSync(join(ROOT, path), 'utf8')
  return { path, code, lines: lineCount(code), imports: importsOf(path, code) }
})

/** Files of src that `path` imports at run time or for types, as paths from the root. */
function importsOf(path, code) {
  return [...code.matchAll(/(?:from\s+|import\s*\(\s*|import\s+)['"](\.[^'"]+\.ts)['"]/g)].map((match) =>
    relative(ROOT, resolve(ROOT, dirname(path), match[1])),
  )
}

/** Groups of files that import each other in a circle (Tarjan). */
function circles() {
  const byPath = new Map(modules.map((module) => [module.path, module]))
  const index = new Map()
  const low = new Map()
  const stack = []
  const found = []
  const visit = (path) => {
    index.set(path, index.size)
    low.set(path, index.get(path))
    stack.push(path)
    for (const next of byPath.get(path)?.imports ?? []) {
      if (!byPath.has(next)) continue
      if (!index.has(next)) {
        visit(next)
        low.set(path, Math.min(low.get(path), low.get(next)))
      } else if (stack.includes(next)) low.set(path, Math.min(low.get(path), index.get(next)))
    }
    if (low.get(path) !== index.get(path)) return
    const group = stack.splice(stack.indexOf(path))
    if (group.length > 1) found.push(group.sort())
  }
  for (const { path } of modules) if (!index.has(path)) visit(path)
  return found
}

const lengths = modules.map(({ lines }) => lines).sort((a, b) => a - b)
const found = circles()
const long = modules.filter(({ lines }) => lines > MAX_LINES)
const matching = (pattern) => modules.filter(({ code }) => pattern.test(code)).map(({ path }) => path)
const runners = matching(/from 'node:child_process'/)
const parsers = matching(/result:\s*\(|JSON\.parse\([^)]*(?:stdout|printed|written)/)
const documents = [...filesIn('docs', /\.md$/), ...readdirSync(ROOT).filter((name) => name.endsWith('.md'))]
const words = sum(documents.map((path) => readFileSync(join(ROOT, path), 'utf8').split(/\s+/).length))
const tests = sum(
  filesIn('test', /\.(?:ts|mjs|js)$/).map((path) => lineCount(readFileSync(join(ROOT, path), 'utf8'))),
)

const rooms = new Map()
for (const { path, lines } of modules) {
  const room = path.split('/').length > 2 ? path.split('/')[1] : '(root)'
  const { files = 0, total = 0 } = rooms.get(room) ?? {}
  rooms.set(room, { files: files + 1, total: total + lines })
}
const rows = [
  ['lines in src', sum(lengths)],
  ['files', modules.length],
  ['median file, lines', lengths[Math.floor(lengths.length / 2)]],
  ['largest file, lines', lengths.at(-1)],
  ['files over 300 lines', long.length],
  ['circles between files', `${found.length} (${sum(found.map((group) => group.length))} files)`],
  ['files that start programs', runners.length],
  ['files that fake a printer or parse our own output', parsers.length],
  ['lines in test', tests],
  ['words of documents', words],
]
for (const [room, { files, total }] of [...rooms].sort((a, b) => b[1].total - a[1].total))
  console.log(`${room.padEnd(12)}${String(total).padStart(7)} lines${String(files).padStart(5)} files`)
console.log()
for (const [name, value] of rows) console.log(`${name.padEnd(52)}${value}`)
for (const group of found) console.log(`circle: ${group.join(' ')}`)
for (const { path, lines } of long) console.log(`long: ${path} ${lines}`)
for (const path of parsers) console.log(`own output: ${path}`)
if (process.argv.includes('--check') && found.length + long.length > 0) process.exitCode = 1
