import { word } from './check.ts'

/** Commits briefs that are on disk, and nothing else. */
export function commitCommand(paths: readonly string[]): string {
  // Of many the folder is named: a line of shell has an end.
  const words = paths.length > MOST ? '.handoff/briefs' : paths.map(word).join(' ')
  return `git add -- ${words} && git commit -m 'chore(handoff): keep what was handed over' -- ${words}`
}

const MOST = 3
