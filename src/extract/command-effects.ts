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
    case 'worktree':
      return [
        { type: 'worktree', key, from: effect.cwd === null ? null : anchorPath(effect.cwd, null, home) },
      ]
    default:
      return [{ type: effect.type, key }]
  }
}

const withKey = (type: 'read' | 'name', key: string | null): Deed[] => (key === null ? [] : [{ type, key }])

const isFileName = (word: string) =>
  word.length < 240 && !/[\s*?{}$<>|=]|:\/\//.test(word) && !/^(?:[-&~]?$|!)/.test(word)

/** File names in a word of a command line: the word itself, or those inside a quoted script or message. */
function namesIn(word: string): string[] {
  if (/\s/.test(word)) return word.length < 4_000 ? pathTokens(word) : []
  if (word.length > LONGEST_PATH) return []
  const path = word.replace(/:\d+(?:[:,-]\d+)*$/, '')
  return isFileName(path) && (looksLikePath(path) || /^[\w.@+-]+(?:\/[\w.@+-]+)+$/.test(path)) ? [path] : []
}

/** What a command line does to files, part by part, in order. Paths are relative to `cwd`. */
type Effect =
  | { type: 'read' | 'name' | 'write' | 'delete'; path: string; cwd: string | null }
  | { type: 'rename'; from: string; path: string; cwd: string | null }
  | { type: 'revert'; path: string; cwd: string | null; sure: boolean }
  | { type: 'revert-all' | 'stash' | 'unstash' | 'commit' }
  /** A directory that commands went to, or a further checkout that was made there. */
  | { type: 'enter' | 'worktree'; path: string; cwd: string | null }

const READERS = new Set(
  'cat sed head tail less more nl bat awk jq yq diff wc view vi vim nano code stat file type Get-Content gc'.split(
    ' ',
  ),
)
const PATCH = /^\*\*\* (Update|Add|Delete) File: (.+?)[ \t]*$|^\*\*\* Move to: (.+?)[ \t]*$/gm

/** Effects of the parts of a command, each with the index of its part; `command` is looked at for patches. */
function effectsOf(
  parts: readonly ShellPart[],
  command: string,
  cwd: string | null,
): { part: number; effect: Effect }[] {
  const out: { part: number; effect: Effect }[] = []
  let here = cwd
  parts.forEach((part, index) => {
    const add = (effect: Effect) => out.push({ part: index, effect })
    const [program = '', ...rest] = part.words
    const bare = rest.filter((word) => !word.startsWith('-'))
    for (const path of part.writes) add({ type: 'write', path, cwd: here })
    if (program === 'cd') {
      here = enter(here, bare[0])
      if (bare[0] !== undefined && isAbsolute(bare[0])) add({ type: 'enter', path: bare[0], cwd: null })
    } else if (program === 'tee' || program === 'touch')
      for (const path of bare) add({ type: 'write', path, cwd: here })
    else if (
      /^(?:sed|perl|gsed)$/.test(program) &&
      rest.some((word) => /^-(?:i|[pne]*i)/.test(word) || word === '--in-place')
    )
      for (const path of bare) add({ type: 'write', path, cwd: here })
    else if (program === 'mv') move(bare, here, add)
    else if (program === 'cp') {
      if (bare.length === 2 && bare[0] && bare[1]) {
        add({ type: 'read', path: bare[0], cwd: here })
        add({ type: 'write', path: bare[1], cwd: here })
      }
    } else if (program === 'rm' || program === 'unlink')
      for (const path of bare) add({ type: 'delete', path, cwd: here })
    else if (program === 'git') gitEffects(part, here, add)
    else {
      const type = READERS.has(program) ? 'read' : 'name'
      for (const word of rest) {
        const path = word.startsWith('-') ? word.slice(word.indexOf('=') + 1 || word.length) : word
        if (path !== '') add({ type, path, cwd: here })
      }
      if (type === 'name' && /[/.]/.test(program)) add({ type: 'name', path: program, cwd: here })
    }
  })
  if (command.includes('*** ')) {
    let last = ''
    for (const match of command.matchAll(PATCH)) {
      const path = match[2] ?? match[3] ?? ''
      const effect: Effect =
        match[3] !== undefined
          ? { type: 'rename', from: last, path, cwd }
          : { type: match[1] === 'Delete' ? 'delete' : 'write', path, cwd }
      out.push({ part: Math.max(0, parts.length - 1), effect })
      last = path
    }
  }
  return out
}

/** The folder that `cd` or `git -C` goes to from another; not made plain. */
export function enter(cwd: string | null, to: string | undefined): string | null {
  if (to === undefined || to === '-') return cwd
  if (isAbsolute(to) || to.startsWith('~') || cwd === null) return to
  return `${cwd}/${to}`
}

function move(bare: string[], cwd: string | null, add: (effect: Effect) => void) {
  const to = bare.at(-1)
  if (to === undefined) return
  for (const from of bare.slice(0, -1)) {
    const into = to.endsWith('/') || bare.length > 2
    add({
      type: 'rename',
      from,
      path: into ? `${to.replace(/\/$/, '')}/${from.replace(/\/$/, '').split('/').at(-1)}` : to,
      cwd,
    })
  }
}

function gitEffects(part: ShellPart, cwd: string | null, add: (effect: Effect) => void) {
  const dir = part.words[1] === '-C' ? enter(cwd, part.words[2]) : cwd
  const [verb = '', ...rest] = argumentsOf(part)
  const flags = new Set(part.words.filter((word) => word.startsWith('-')))
  const dashes = part.words.indexOf('--')
  const paths = dashes === -1 ? rest : part.words.slice(dashes + 1)
  if (verb === 'mv') move(rest, dir, add)
  else if (verb === 'rm' && !flags.has('--cached'))
    for (const path of rest) add({ type: 'delete', path, cwd: dir })
  else if (verb === 'worktree') {
    if (rest[0] === 'add' && rest[1] !== undefined)
      add({ type: 'worktree', path: worktreePath(part.words), cwd: dir })
  } else if (verb === 'commit') add({ type: 'commit' })
  else if (verb === 'reset' && flags.has('--hard')) add({ type: 'revert-all' })
  else if (verb === 'stash') {
    if (rest[0] === 'pop' || rest[0] === 'apply') add({ type: 'unstash' })
    else if (rest.length === 0 || rest[0] === 'push' || rest[0] === 'save') add({ type: 'stash' })
  } else if (verb === 'checkout' || verb === 'restore') {
    if (flags.has('-b') || flags.has('-B') || flags.has('--orphan')) return
    if (
      verb === 'restore' &&
      (flags.has('--staged') || flags.has('-S')) &&
      !flags.has('--worktree') &&
      !flags.has('-W')
    )
      return
    for (const path of paths) {
      if (path === '.' || path === ':/' || path === '*') add({ type: 'revert-all' })
      else add({ type: 'revert', path, cwd: dir, sure: dashes !== -1 || verb === 'restore' })
    }
  } else
    for (const path of rest.slice(0, MAX_NAMES))
      add({ type: 'name', path: path.replace(/^[\w./@{}~^,+-]+:(?=.)/, ''), cwd: dir })
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
