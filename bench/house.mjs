/**
 * `node bench/house.mjs`: how big the house is. Prints lines, files and import circles by room, and the words of the
 * documents. test/unit/architecture.test.ts fails on a circle and on a file of more than 300 lines, test/unit/docs.test.ts
 * on documents that are too long.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { circlesIn, readModules } from './import-graph.mjs'
import { allWords, commandWords } from './words.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const MAX_LINES = 300

const filesIn = (folder, ending) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name))
    .map((name) => join(folder, name))
const read = (path) => readFileSync(join(ROOT, path), 'utf8')
const linesIn = (text) => text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
const sum = (numbers) => numbers.reduce((all, one) => all + one, 0)

const modules = readModules(join(ROOT, 'src')).map((module) => ({ ...module, lines: linesIn(module.code) }))
const lengths = modules.map(({ lines }) => lines).sort((a, b) => a - b)
const circles = circlesIn(modules)
const long = modules.filter(({ lines }) => lines > MAX_LINES)
const matching = (pattern) => modules.filter(({ code }) => pattern.test(code)).map(({ path }) => path)
const runners = matching(/from 'node:child_process'/)
// A printer whose `result` keeps the object, or printed text that is parsed again.
const parsers = matching(/\bresult: \(|JSON\.parse\([^)]*(?:stdout|printed|written)/)

const rooms = new Map()
for (const { path, room, lines } of modules) {
  const name = path.includes('/') ? room : '(none)'
  const { files = 0, total = 0 } = rooms.get(name) ?? {}
  rooms.set(name, { files: files + 1, total: total + lines })
}
for (const [room, { files, total }] of [...rooms].sort((a, b) => b[1].total - a[1].total))
  console.log(`${room.padEnd(12)}${String(total).padStart(7)} lines${String(files).padStart(5)} files`)
console.log()
const rows = {
  'lines in src': sum(lengths),
  files: modules.length,
  'median file, lines': lengths[Math.floor(lengths.length / 2)],
  'largest file, lines': lengths.at(-1),
  'files over 300 lines': long.length,
  'circles between files': circles.length,
  'files that start programs': runners.length,
  'files that fake a printer or parse our own output': parsers.length,
  'lines in test': sum(filesIn('test', /\.(?:ts|mjs|js)$/).map((path) => linesIn(read(path)))),
  'words of documents': allWords(),
  'most words about one command': Math.max(...commandWords().map(({ words }) => words)),
}
for (const [name, value] of Object.entries(rows)) console.log(`${name.padEnd(52)}${value}`)
for (const group of circles) console.log(`circle: ${group.join(' ')}`)
for (const { path, lines } of long) console.log(`over ${MAX_LINES} lines: ${path}, ${lines}`)
for (const path of parsers) console.log(`own output: ${path}`)
