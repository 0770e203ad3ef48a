import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** A file of JSON at a person's home; null when it is missing or cannot be read as that. */
export function readSettings(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return null // The agent itself makes the same of it: nothing was said.
  }
}

/** A folder and those above it, innermost first. */
export function ancestorsOf(folder: string): string[] {
  const above = dirname(folder)
  return above === folder ? [folder] : [folder, ...ancestorsOf(above)]
}
