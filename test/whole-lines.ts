import { existsSync, readFileSync } from 'node:fs'

/** Lines of a file that another process writes, as far as they are whole; none while it is not there. */
export const wholeLines = (path: string): string[] =>
  existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : []
