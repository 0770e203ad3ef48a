import { type CommandShape, shapeOf } from './command-kind.ts'
import { type Effect, effectsOf } from './effects.ts'
import { looksLikePath, pathTokens } from './mentions.ts'
import { anchorPath, LONGEST_PATH } from './path-text.ts'

/** What a command line does to files; `key` is a file's absolute place, as in the file log. */
export type Deed =
  | { type: 'read' | 'name' | 'write' | 'delete' | 'enter' | 'worktree'; key: string }
  | { type: 'rename'; from: string; key: string }
  /** `isSure`: it cannot mean anything but a file; `isPath`: it is written like one. */
  | { type: 'revert'; key: string; isSure: boolean; isPath: boolean }
  | { type: 'revert-all' | 'stash' | 'unstash' | 'commit' }

/** A command line as understood: its shape, and its deeds in order, each with the index of its part. */
export interface Understood {
  shape: CommandShape
  deeds: { part: number; deed: Deed }[]
}

/** Command lines remembered: the same few come again and again. */
const MAX_REMEMBERED = 200
/** Deeds of one line that count; one may go through all files of the session, and a longer list prefers none. */
const MAX_DEEDS = 1_000

/** A function that understands command lines run in a directory. */
export function createUnderstanding(home: string): (command: string, cwd: string | null) => Understood {
  const remembered = new Map<string, Understood>()
  return (command, cwd) => {
    const name = `${cwd ?? ''}\0${command}`
    const held = remembered.get(name)
    if (held) return held
    const shape = shapeOf(command)
    // There a backslash stands between folders and takes no character out of its meaning.
    const isWindows = cwd !== null && /^[A-Za-z]:/.test(cwd)
    const line = isWindows ? command.replace(/\\(?=[\w.@-])/g, '/') : command
    const { parts } = line === command ? shape : shapeOf(line)
    const deeds = effectsOf(parts, command, cwd)
      .flatMap(({ part, effect }) => deedsOf(effect, home).map((deed) => ({ part, deed })))
      .slice(0, MAX_DEEDS)
    if (remembered.size >= MAX_REMEMBERED) remembered.clear()
    remembered.set(name, { shape, deeds })
    return { shape, deeds }
  }
}

function deedsOf(effect: Effect, home: string): Deed[] {
  if (!('path' in effect)) return [effect]
  const keyOf = (path: string) => anchorPath(path, effect.cwd, home)
  const { type } = effect
  if (type === 'read' || type === 'name')
    return namesIn(effect.path).flatMap((path) => withKey(type, keyOf(path)))
  const key = keyOf(effect.path)
  if (key === null) return []
  switch (effect.type) {
    case 'write':
    case 'delete':
      return isFileName(effect.path) ? [{ type: effect.type, key }] : []
    case 'rename': {
      const from = keyOf(effect.from)
      return from === null ? [] : [{ type: 'rename', from, key }]
    }
    case 'revert':
      return [{ type: 'revert', key, isSure: effect.sure, isPath: looksLikePath(effect.path) }]
    default:
      return [{ type: effect.type, key }]
  }
}

const withKey = (type: 'read' | 'name', key: string | null): Deed[] => (key === null ? [] : [{ type, key }])

const isFileName = (word: string) =>
  word.length < 240 && !/[\s*?{}$<>|=]|:\/\//.test(word) && !/^[-&~]?$/.test(word)

/** File names in a word of a command line: the word itself, or those inside a quoted script or message. */
function namesIn(word: string): string[] {
  if (/\s/.test(word)) return word.length < 4_000 ? pathTokens(word) : []
  if (word.length > LONGEST_PATH) return []
  const path = word.replace(/:\d+(?:[:,-]\d+)*$/, '')
  return isFileName(path) && (looksLikePath(path) || /^[\w.@+-]+(?:\/[\w.@+-]+)+$/.test(path)) ? [path] : []
}
