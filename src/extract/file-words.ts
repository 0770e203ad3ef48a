import { clipSentence, markBrokenOff } from '../text/blocks.ts'
import type { Turn } from '../types/evidence.ts'
import { cleanPath, type KnownPaths } from './path-text.ts'

/** A line of a list or a table that begins with a file and goes on with what there is to say of it. */
const LINE =
  /^\s*(?:[-*•|]|\d{1,2}[.)])?\s*(?:\*\*)?`([^`\s]+)`(?:\*\*)?(?:\s*\([^()]*\))?\s*(?:[—–|:→]|->|-(?=\s))\s*(\S.*[^\s:])\s*$/
/** UTF-16 units. */
const MOST = 100
const LEAST = 12

export interface FileWords {
  words: string
  /** How many touches of files came before they were said. */
  touches: number
}

/** What the agent's replies say of the files, in its words, by path: the newest line that begins with the name of one of them alone. */
export function fileWords(turns: readonly Turn[], known: KnownPaths): ReadonlyMap<string, FileWords> {
  const found = new Map<string, FileWords>()
  const lines = turns.flatMap(({ steps }) =>
    steps.flatMap(({ kind, text, touches = 0 }) =>
      kind === 'said' ? text.split('\n').map((line) => ({ line, touches })) : [],
    ),
  )
  for (const { line, touches } of lines) {
    const [, name = '', rest = ''] = LINE.exec(line) ?? []
    const words = plain(rest)
    if (words.length < LEAST) continue
    const path = cleanPath(name)
    const [only, other] = known.has(path) ? [path] : known.endingIn(path)
    if (only !== undefined && other === undefined)
      found.set(only, { words: markBrokenOff(clipSentence(words, MOST)), touches })
  }
  return found
}

const plain = (words: string): string =>
  words
    .replace(/\s*\|\s*$/, '')
    .replace(/\s*\|\s*/g, ' — ')
    .replace(/\*\*/g, '')
    .trim()
