import { statSync } from 'node:fs'
import { parse } from 'node:path'
import type { Facts } from './facts.ts'

/**
 * Where a program is asked for its version: at home, or at the root where there is no home. A repository may bring settings that the
 * program obeys at its start, and nothing starts in a folder that does not exist.
 */
export const outsideFolder = (home: string): string => (stateOf(home) === 'there' ? home : parse(home).root)

/** What stands at the path of a folder; one that cannot be looked at is taken for missing. */
export function stateOf(path: string): Facts['home']['is'] {
  try {
    return statSync(path).isDirectory() ? 'there' : 'no folder'
  } catch {
    return 'missing'
  }
}
