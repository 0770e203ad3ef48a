/**
 * `node bench/house.mjs`: how big the house is, by room and in all: lines, files, regular expressions, arrows between rooms,
 * the words of the documents. `npm run gates -- --only house` compares it with the goals. test/unit/architecture.test.ts fails on a circle
 * and on a file of more than 400 lines, test/unit/docs.test.ts on documents that are too long.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'vite'
import { allWords, commandWords } from '../scripts/words.mjs'
import { circlesIn, importedPath, readModules, roomOf } from './import-graph.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const MAX_LINES = 400
const MIN_LINES = 60

/** Lines, files and patterns by room, the files' sizes, and what should not be there. */
export function measureHouse() {
  const modules = readModules(join(ROOT, 'src')).map((module) => ({
    ...module,
    lines: linesIn(module.code),
    patterns: patternsIn(module.path, module.code),
  }))
  const rooms = new Map()
  for (const { path, room, lines, patterns } of modules) {
    const name = path.includes('/') ? room : '(none)'
    const all = rooms.get(name) ?? { lines: 0, files: 0, patterns: 0 }
    rooms.set(name, {
      lines: all.lines + lines,
      files: all.files + 1,
      patterns: all.patterns + patterns,
    })
  }
  const { arrows, upwards } = arrowsOf(modules)
  return { modules, rooms, arrows, upwards, circles: circlesIn(modules) }
}

/** Lines of one file below src; 0 when there is none. */
export const linesOf = ({ modules }, path) => modules.find((module) => module.path === path)?.lines ?? 0

/** From room to room, and those of them that lead back up: both ends are in one circle of rooms. */
function arrowsOf(modules) {
  const targets = new Map(modules.map(({ room }) => [room, new Set()]))
  for (const module of modules)
    for (const target of module.imports) {
      const room = roomOf(importedPath(module, target))
      if (room !== module.room && targets.has(room)) targets.get(module.room).add(room)
    }
  const circles = circlesIn([...targets].map(([path, imports]) => ({ path, imports: [...imports] })))
  const arrows = [...targets].flatMap(([from, rooms]) => [...rooms].map((to) => [from, to]))
  const upwards = arrows.filter(([from, to]) =>
    circles.some((group) => group.includes(from) && group.includes(to)),
  )
  return { arrows, upwards: upwards.map((ends) => ends.join(' → ')) }
}

/** Regular expressions by the syntax tree: literals and calls of `RegExp`. */
function patternsIn(path, code) {
  let count = 0
  const walk = (node) => {
    if (node === null || typeof node !== 'object') return
    if (node.type === 'Literal' && node.regex) count++
    if (/^(?:New|Call)Expression$/.test(node.type) && node.callee.name === 'RegExp') count++
    for (const child of Object.values(node)) walk(child)
  }
  const { program, errors } = parseSync(path, code)
  if (errors.length > 0) throw new SyntaxError(`${path}: ${errors[0].message}`)
  walk(program)
  return count
}

function linesIn(text) {
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
}

function printHouse({ modules, rooms, arrows, upwards, circles }) {
  const row = (name, ...figures) =>
    console.log(name.padEnd(12) + figures.map((figure) => String(figure).padStart(10)).join(''))
  row('room', 'lines', 'files', 'patterns')
  for (const [name, { lines, files, patterns }] of [...rooms].sort((a, b) => b[1].lines - a[1].lines))
    row(name, lines, files, patterns)
  console.log()
  const sum = (numbers) => numbers.reduce((all, one) => all + one, 0)
  const lengths = modules.map(({ lines }) => lines).sort((a, b) => a - b)
  const long = modules.filter(({ lines }) => lines > MAX_LINES)
  const inFolder = (folder, ending, apart = '*') =>
    sum(
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => ending.test(name) && !name.startsWith(apart))
        .map((name) => linesIn(readFileSync(join(ROOT, folder, name), 'utf8'))),
    )
  const rows = {
    'lines in src': sum(lengths),
    files: modules.length,
    'median file, lines': lengths[Math.floor(lengths.length / 2)],
    'largest file, lines': lengths.at(-1),
    [`files over ${MAX_LINES} lines`]: long.length,
    [`files under ${MIN_LINES} lines`]: modules.filter(({ lines }) => lines < MIN_LINES).length,
    'regular expressions': sum(modules.map(({ patterns }) => patterns)),
    'arrows between rooms': arrows.length,
    'arrows that lead back up': upwards.length,
    'circles between files': circles.length,
    'lines in test': inFolder('test', /\.(?:ts|mjs|js)$/),
    // The benchmark that others use is a package of its own.
    'lines in bench': inFolder('bench', /\.(?:ts|mjs|cjs|json|md)$/, 'handoff/'),
    'lines in bench/handoff': inFolder('bench/handoff', /\.(?:ts|mjs|cjs|json|md)$/),
    'lines in scripts': inFolder('scripts', /\.(?:ts|mjs|cjs)$/),
    'words of documents': allWords(),
    'most words about one command': Math.max(...commandWords().map(({ words }) => words)),
  }
  for (const [name, value] of Object.entries(rows)) console.log(`${name.padEnd(32)}${value}`)
  for (const group of circles) console.log(`circle: ${group.join(' ')}`)
  for (const arrow of upwards) console.log(`up: ${arrow}`)
  for (const { path, lines } of long) console.log(`over ${MAX_LINES} lines: ${path}, ${lines}`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) printHouse(measureHouse())
