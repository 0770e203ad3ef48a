import { argumentsOf, type CommandShape, shapeOf } from './command-kind.ts'
import { looksLikePath, pathTokens } from './mentions.ts'
import { anchorPath, isAbsolute, LONGEST_PATH } from './path-text.ts'
import type { ShellPart } from './shell.ts'

/** What a command line does to files; `key` is a file's absolute place, as in the file log. */
export type Deed =
  | { type: 'read' | 'name' | 'write' | 'delete' | 'enter'; key: string }
  /** `from`: the folder that it was added in. */
  | { type: 'worktree'; key: string; from: string | null }
  | { type: 'rename'; from: string; key: string }
  /** `isSure`: it cannot mean anything but a file; `isPath`: it is written like one. */
  | { type: 'revert'; key: string; isSure: boolean; isPath: boolean }
  | { type: 'revert-all' | 'stash' | 'unstash' | 'commit' }

/** A command line as understood: its shape, and its deeds in order, each with the index of its part. */
export interface Understood {
  shape: CommandShape
  deeds: { part: number; deed: Deed }[]
}

/** Deeds of one line that count; one may go through all files of the session, and a longer list prefers none. */
const MAX_DEEDS = 1_000

/** What a command line run in a directory is, and what it does to files. */
export function understand(command: string, cwd: string | null, home: string): Understood {
  const shape = shapeOf(command)
  // There a backslash stands between folders and takes no character out of its meaning.
  const isWindows = cwd !== null && /^[A-Za-z]:/.test(cwd)
  const line = isWindows ? command.replace(/\\(?=[\w.@-])/g, '/') : command
  const { parts } = line === command ? shape : shapeOf(line)
  return { shape, deeds: deedsOf(parts, command, cwd, home).slice(0, MAX_DEEDS) }
}

const isFileName = (word: string) =>
  word.length < 240 && !/[\s*?{}$<>|=]|:\/\//.test(word) && !/^(?:[-&~]?$|!)/.test(word)

/** File names in a word of a command line: the word itself, or those inside a quoted script or message. */
function namesIn(word: string): string[] {
  if (/\s/.test(word)) return word.length < 4_000 ? pathTokens(word) : []
  if (word.length > LONGEST_PATH) return []
  const path = word.replace(/:\d+(?:[:,-]\d+)*$/, '')
  return isFileName(path) && (looksLikePath(path) || /^[\w.@+-]+(?:\/[\w.@+-]+)+$/.test(path)) ? [path] : []
}

const READERS = new Set(
  'cat sed head tail less more nl bat awk jq yq diff wc view vi vim nano code stat file type Get-Content gc'.split(
    ' ',
  ),
)
const PATCH = /^\*\*\* (Update|Add|Delete) File: (.+?)[ \t]*$|^\*\*\* Move to: (.+?)[ \t]*$/gm

/** Tells deeds of files by their paths in a directory. */
function createTeller(home: string, tell: (deed: Deed) => void) {
  const keyOf = (path: string, cwd: string | null) => anchorPath(path, cwd, home)
  return {
    tell,
    keyOf,
    touch(type: 'read' | 'name' | 'write' | 'delete', path: string, cwd: string | null) {
      const names = type === 'read' || type === 'name' ? namesIn(path) : isFileName(path) ? [path] : []
      for (const key of names.map((name) => keyOf(name, cwd))) if (key !== null) tell({ type, key })
    },
    rename(from: string, path: string, cwd: string | null) {
      const [old, key] = [keyOf(from, cwd), keyOf(path, cwd)]
      if (old !== null && key !== null) tell({ type: 'rename', from: old, key })
    },
  }
}

type Teller = ReturnType<typeof createTeller>

/** Deeds of the parts of a command, in order; `command` is looked at for patches. */
function deedsOf(
  parts: readonly ShellPart[],
  command: string,
  cwd: string | null,
  home: string,
): Understood['deeds'] {
  const deeds: Understood['deeds'] = []
  let here = cwd
  let at = 0
  const teller = createTeller(home, (deed) => deeds.push({ part: at, deed }))
  for (const [index, part] of parts.entries()) {
    at = index
    const [program = '', ...rest] = part.words
    const bare = rest.filter((word) => !word.startsWith('-'))
    for (const path of part.writes) teller.touch('write', path, here)
    if (program === 'cd') {
      here = enter(here, bare[0])
      const key = bare[0] !== undefined && isAbsolute(bare[0]) ? teller.keyOf(bare[0], null) : null
      if (key !== null) teller.tell({ type: 'enter', key })
    } else if (program === 'tee' || program === 'touch' || editsInPlace(program, rest))
      for (const path of bare) teller.touch('write', path, here)
    else if (program === 'mv') move(bare, here, teller)
    else if (program === 'cp') {
      if (bare.length === 2 && bare[0] && bare[1]) {
        teller.touch('read', bare[0], here)
        teller.touch('write', bare[1], here)
      }
    } else if (program === 'rm' || program === 'unlink')
      for (const path of bare) teller.touch('delete', path, here)
    else if (program === 'git') gitDeeds(part, here, teller)
    else {
      const type = READERS.has(program) ? 'read' : 'name'
      for (const word of rest) {
        const path = word.startsWith('-') ? word.slice(word.indexOf('=') + 1 || word.length) : word
        teller.touch(type, path, here)
      }
      if (type === 'name' && /[/.]/.test(program)) teller.touch('name', program, here)
    }
  }
  let last = ''
  for (const [, how, changed, moved] of command.matchAll(PATCH)) {
    if (moved !== undefined) teller.rename(last, moved, cwd)
    else teller.touch(how === 'Delete' ? 'delete' : 'write', changed ?? '', cwd)
    last = changed ?? moved ?? ''
  }
  return deeds
}

const editsInPlace = (program: string, rest: readonly string[]): boolean =>
  /^(?:sed|perl|gsed)$/.test(program) &&
  rest.some((word) => /^-(?:i|[pne]*i)/.test(word) || word === '--in-place')

/** The folder that `cd` or `git -C` goes to from another; not made plain. */
export function enter(cwd: string | null, to: string | undefined): string | null {
  if (to === undefined || to === '-' || to.startsWith('$')) return cwd
  if (isAbsolute(to) || to.startsWith('~') || cwd === null) return to
  return `${cwd}/${to}`
}

function move(bare: string[], cwd: string | null, { rename }: Teller) {
  const to = bare.at(-1)
  if (to === undefined) return
  const isInto = to.endsWith('/') || bare.length > 2
  for (const from of bare.slice(0, -1)) {
    const name = from.replace(/\/$/, '').split('/').at(-1)
    rename(from, isInto ? `${to.replace(/\/$/, '')}/${name}` : to, cwd)
  }
}

function gitDeeds(part: ShellPart, cwd: string | null, teller: Teller) {
  const { tell, touch, keyOf } = teller
  const dir = part.words[1] === '-C' ? enter(cwd, part.words[2]) : cwd
  const [verb = '', ...rest] = argumentsOf(part)
  const flags = new Set(part.words.filter((word) => word.startsWith('-')))
  const dashes = part.words.indexOf('--')
  const paths = dashes === -1 ? rest : part.words.slice(dashes + 1)
  if (verb === 'mv') move(rest, dir, teller)
  else if (verb === 'rm' && !flags.has('--cached')) for (const path of rest) touch('delete', path, dir)
  else if (verb === 'worktree') {
    const isAdded = rest[0] === 'add' && rest[1] !== undefined
    const key = isAdded ? keyOf(worktreePath(part.words), dir) : null
    if (key !== null) tell({ type: 'worktree', key, from: dir === null ? null : keyOf(dir, null) })
  } else if (verb === 'commit') tell({ type: 'commit' })
  else if (verb === 'reset' && flags.has('--hard')) tell({ type: 'revert-all' })
  else if (verb === 'stash') {
    if (rest[0] === 'pop' || rest[0] === 'apply') tell({ type: 'unstash' })
    else if (rest.length === 0 || rest[0] === 'push' || rest[0] === 'save') tell({ type: 'stash' })
  } else if (verb === 'checkout' || verb === 'restore') {
    if (flags.has('-b') || flags.has('-B') || flags.has('--orphan')) return
    const isOfIndex = flags.has('--staged') || flags.has('-S')
    if (verb === 'restore' && isOfIndex && !flags.has('--worktree') && !flags.has('-W')) return
    for (const path of paths) {
      const key = keyOf(path, dir)
      if (path === '.' || path === ':/' || path === '*') tell({ type: 'revert-all' })
      else if (key !== null)
        tell({
          ...{ type: 'revert', key },
          isSure: dashes !== -1 || verb === 'restore',
          isPath: looksLikePath(path),
        })
    }
  } else
    for (const path of rest.slice(0, MAX_NAMES))
      touch('name', path.replace(/^[\w./@{}~^,+-]+:(?=.)/, ''), dir)
}

/** Files taken from one git command. */
const MAX_NAMES = 200

/** `git worktree add [-b branch] <path> [<commit>]`: the first word that is neither a flag nor the value of one. */
function worktreePath(words: readonly string[]): string {
  const from = words.indexOf('add') + 1
  for (let i = from; i < words.length; i++) {
    const word = words[i] ?? ''
    if (word === '-b' || word === '-B' || word === '--reason') i++
    else if (!word.startsWith('-')) return word
  }
  return ''
}
