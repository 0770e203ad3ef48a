import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

/**
 * @typedef {object} Module
 * @property {string} path From src/, as `git/spawn.ts`.
 * @property {string} room
 * @property {string} code
 * @property {string[]} imports Specifiers as they are written.
 */

/**
 * Every module under `src`, in order of paths.
 * @param {string} src
 * @returns {Module[]}
 */
export function readModules(src) {
  return readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .map((path) => {
      const code = readFileSync(join(src, path), 'utf8')
      const found = code.matchAll(/(?:from\s+|import\s*\(\s*|import\s+)['"]([^'"]+)['"]/g)
      return { path, room: roomOf(path), code, imports: [...found].map((match) => match[1] ?? '') }
    })
}

/**
 * The folder of src that a module is in; the name of a module that is in none.
 * @param {string} path
 */
export const roomOf = (path) => (path.split('/')[0] ?? path).replace(/\.ts$/, '')

/**
 * The path from src/ of what a module imports by a relative path; a package stays as it is.
 * @param {Module} module
 * @param {string} target
 */
export const importedPath = ({ path }, target) =>
  target.startsWith('.') ? relative('/src', resolve('/src', dirname(path), target)) : target

/**
 * Groups of files that import each other, by Tarjan's algorithm.
 * @param {readonly Module[]} modules
 * @returns {string[][]}
 */
export function circlesIn(modules) {
  const byPath = new Map(modules.map((module) => [module.path, module]))
  const index = new Map()
  const low = new Map()
  const stack = []
  const found = []
  const visit = (module) => {
    const { path } = module
    const own = index.size
    index.set(path, own)
    low.set(path, own)
    stack.push(path)
    for (const target of module.imports) {
      const next = byPath.get(importedPath(module, target))
      if (next === undefined) continue
      if (!index.has(next.path)) visit(next)
      else if (!stack.includes(next.path)) continue
      low.set(path, Math.min(low.get(path), low.get(next.path)))
    }
    if (low.get(path) !== own) return
    const group = stack.splice(stack.indexOf(path))
    if (group.length > 1) found.push(group.sort())
  }
  for (const module of modules) if (!index.has(module.path)) visit(module)
  return found
}
