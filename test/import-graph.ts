import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

export interface Module {
  /** From src/, as `git/spawn.ts`. */
  path: string
  room: string
  code: string
  /** Import specifiers as they are written. */
  imports: string[]
}

/** Every module under `src`, in order of paths. */
export function readModules(src: string): Module[] {
  return readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .map((path) => {
      const code = readFileSync(join(src, path), 'utf8')
      const found = code.matchAll(/(?:from\s+|import\s*\(\s*|import\s+)['"]([^'"]+)['"]/g)
      return { path, room: roomOf(path), code, imports: [...found].map((match) => match[1] ?? '') }
    })
}

export const roomOf = (path: string): string => (path.split('/')[0] ?? path).replace(/\.ts$/, '')

/** The path from src/ of what a module imports by a relative path; a package stays as it is. */
export const importedPath = ({ path }: Module, target: string): string =>
  target.startsWith('.') ? relative('/src', resolve('/src', dirname(path), target)) : target

/** Groups of files that import each other, by Tarjan's algorithm. */
export function circlesIn(modules: readonly Module[]): string[][] {
  const byPath = new Map(modules.map((module) => [module.path, module]))
  const index = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: string[] = []
  const found: string[][] = []
  const visit = (module: Module): void => {
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
      low.set(path, Math.min(low.get(path) ?? own, low.get(next.path) ?? own))
    }
    if (low.get(path) !== own) return
    const group = stack.splice(stack.indexOf(path))
    if (group.length > 1) found.push(group.sort())
  }
  for (const module of modules) if (!index.has(module.path)) visit(module)
  return found
}
