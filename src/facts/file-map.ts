import type { FileTouch } from '../types/session.ts'
import { anchorPath, isAbsolute, LONGEST_PATH, mayBePath, pathTokens } from './paths.ts'
import { parseShell, type ShellPart, useOf } from './shell.ts'

/** Files remembered at most; those touched longest ago are forgotten first. */
const MAX_FILES = 20_000
/** File names taken from one command line. */
const MAX_NAMES = 200
const MAX_DIRECTORIES = 500

export type Touch = 'read' | 'edit' | 'create' | 'delete' | 'rename' | 'command' | 'search'

/** What happened to one file. Times count touches through the session. */
export interface FileRecord {
  reads: number
  edits: number
  /** Edits since the last commit, which `git restore` takes back. */
  live: number
  /** Times that it stood in a command line or in a search. */
  commands: number
  created: boolean
  deleted: boolean
  /** Git took its edits back. */
  reverted: boolean
  last: number
  lastEdit: number
  lastEditTurn: number
  /** A file tool named it, not only a command line. */
  byTool: boolean
}

export const freshRecord = (): FileRecord => ({
  ...{ reads: 0, edits: 0, live: 0, commands: 0, created: false, deleted: false, reverted: false },
  ...{ last: 0, lastEdit: 0, lastEditTurn: 0, byTool: false },
})

/** One record for two names of the same file. */
export function mergeRecords(a: FileRecord, b: FileRecord): FileRecord {
  const merged = { ...a, deleted: (b.last > a.last ? b : a).deleted }
  for (const key of ['reads', 'edits', 'live', 'commands'] as const) merged[key] += b[key]
  for (const key of ['last', 'lastEdit', 'lastEditTurn'] as const) merged[key] = Math.max(a[key], b[key])
  for (const key of ['created', 'reverted', 'byTool'] as const) merged[key] ||= b[key]
  return merged
}

interface From {
  cwd: string | null
  sub: string | null
  byTool: boolean
  turn: number
}

/** One record per file, by its absolute place, or by the path as given where no directory is known. */
export function createFileMap(home: string) {
  const records = new Map<string, FileRecord>()
  /** Directories that the session worked in, and worktrees that it added. */
  const directories = new Set<string>()
  let clock = 0

  const recordOf = (key: string): FileRecord => {
    const held = records.get(key)
    if (held !== undefined) return held
    if (records.size >= MAX_FILES) {
      const oldest = [...records].sort(([, a], [, b]) => a.last - b.last).slice(0, MAX_FILES / 10)
      for (const [old] of oldest) records.delete(old)
    }
    const fresh = freshRecord()
    records.set(key, fresh)
    return fresh
  }
  const touch = (path: string, how: Touch, { cwd, sub, byTool, turn }: From): void => {
    const key = anchorPath(path, cwd, home)
    if (key === null) return
    const record = recordOf(key)
    const isChange = how === 'edit' || how === 'create' || how === 'delete' || how === 'rename'
    clock++
    record.byTool ||= byTool
    // What a subagent looks at on its way says little of the work.
    if (sub === null || isChange) record.last = clock
    if (how === 'read') record.reads += sub === null ? 1 : 0
    else if (how === 'command' || how === 'search') record.commands++
    if (!isChange) return
    record.lastEdit = clock
    record.deleted = how === 'delete'
    if (how === 'delete' || how === 'rename') return
    record.edits++
    record.live++
    record.reverted = false
    record.created ||= how === 'create'
    record.lastEditTurn = turn
  }
  /** Null means every file. */
  const revert = (key: string | null): void => {
    for (const [path, record] of records) {
      if (record.live === 0 || (key !== null && path !== key && !path.startsWith(`${key}/`))) continue
      record.edits -= record.live
      record.live = 0
      record.reverted = record.edits === 0
    }
  }
  const rename = (from: string, to: string, how: From): void => {
    const [old, key] = [anchorPath(from, how.cwd, home), anchorPath(to, how.cwd, home)]
    if (old === null || key === null || old === key) return
    const folder = `${old}/`
    for (const [path, record] of [...records])
      if (path === old || path.startsWith(folder)) {
        const now = key + path.slice(old.length)
        records.delete(path)
        records.set(now, mergeRecords(records.get(now) ?? freshRecord(), record))
      }
    touch(to, 'rename', how)
  }
  const enter = (path: string | null): void => {
    if (path !== null && isAbsolute(path) && directories.size < MAX_DIRECTORIES) directories.add(path)
  }

  return {
    touch,
    enter,
    change(file: FileTouch, from: From) {
      if (file.change === 'rename' && file.from !== undefined) rename(file.from, file.path, from)
      else touch(file.path, file.change === 'create' || file.change === 'delete' ? file.change : 'edit', from)
    },
    /** Counts what a command line does to files, and tells which it edited. `isDone`: it ended well. */
    ran(command: string, isDone: boolean, from: From): string[] {
      let { cwd } = from
      let count = 0
      const edited: string[] = []
      const at = (path: string, how: Touch): void => {
        const isChange = how !== 'read' && how !== 'command'
        for (const name of isChange ? (isFileName(path) ? [path] : []) : namesIn(path))
          if (++count <= MAX_NAMES) {
            touch(name, isChange && !isDone ? 'command' : how, { ...from, cwd })
            // What is taken away by a name without an ending is a folder of what was made.
            if (isChange && isDone && (how !== 'delete' || /\.\w+$/.test(name))) edited.push(name)
          }
      }
      for (const part of parseShell(command)) {
        const [program = '', ...rest] = part.words
        const use = useOf(part.words)
        const bare = rest.filter((word) => !word.startsWith('-'))
        for (const path of part.writes) at(path, 'edit')
        if (program === 'cd') {
          const to = bare[0]
          cwd = to === undefined || /^[-$]/.test(to) ? cwd : anchorPath(to, cwd, home)
          enter(cwd)
        } else if (use === 'edit') for (const path of bare) at(path, 'edit')
        else if (program === 'cp' && bare.length === 2) at(bare[1] ?? '', 'edit')
        else if (program === 'rm' || program === 'unlink') for (const path of bare) at(path, 'delete')
        else if (program === 'mv' || (program === 'git' && bare[0] === 'mv')) {
          const [to = '', ...sources] = (program === 'mv' ? bare : bare.slice(1)).reverse()
          for (const source of isDone ? sources : []) {
            const isInto = to.endsWith('/') || sources.length > 1
            const name = source.replace(/\/$/, '').split('/').at(-1)
            rename(source, isInto ? `${to.replace(/\/$/, '')}/${name}` : to, { ...from, cwd })
          }
        } else if (program === 'git') {
          gitPart(part, bare, at, (path) => enter(anchorPath(path, cwd, home)))
          const undone = isDone ? undoneBy(part, bare) : []
          if (undone === null) revert(null)
          else for (const path of undone) revert(anchorPath(path, cwd, home) ?? '')
          if (isDone && bare[0] === 'commit') for (const record of records.values()) record.live = 0
        } else
          for (const word of rest)
            at(
              word.startsWith('-') ? word.replace(/^[^=]*=?/, '') : word,
              use === 'read' ? 'read' : 'command',
            )
      }
      for (const [, how, path, moved] of command.matchAll(PATCH))
        if (path !== undefined) at(path, how === 'Delete' ? 'delete' : how === 'Add' ? 'create' : 'edit')
        else if (moved !== undefined) at(moved, 'edit')
      return edited
    },
    records: records as ReadonlyMap<string, FileRecord>,
    directories: directories as ReadonlySet<string>,
    get clock(): number {
      return clock
    },
  }
}

function gitPart(
  { words }: ShellPart,
  bare: readonly string[],
  at: (path: string, how: Touch) => void,
  enter: (path: string) => void,
) {
  const [verb = '', ...paths] = bare
  if (verb === 'rm' && !words.includes('--cached')) for (const path of paths) at(path, 'delete')
  else if (verb === 'worktree' && paths[0] === 'add') for (const path of paths.slice(1)) enter(path)
  else for (const path of paths) at(path.replace(/^[\w./@{}~^,+-]+:(?=.)/, ''), 'command')
}

/** The paths whose edits since the last commit a git command takes back; null: all of them. */
function undoneBy({ words }: ShellPart, [verb = '', ...paths]: readonly string[]): readonly string[] | null {
  const isRestore = verb === 'restore' && !words.includes('--staged')
  const isCheckout = verb === 'checkout' && !words.some((word) => /^-[bB]$|^--orphan$/.test(word))
  if (verb === 'reset' && words.includes('--hard')) return null
  if (verb === 'stash' && /^(?:push|save)?$/.test(paths[0] ?? '')) return null
  if (!isRestore && !isCheckout) return []
  return paths.some((path) => /^(?:\.|:\/|\*)$/.test(path)) ? null : paths
}

const PATCH = /^\*\*\* (Update|Add|Delete) File: (.+?)[ \t]*$|^\*\*\* Move to: (.+?)[ \t]*$/gm

const isFileName = (word: string): boolean =>
  word.length < 240 && !/[\s*?{}$<>|=]|:\/\/|^(?:[-&~]?$|!)/.test(word)

/** File names in a word of a command line: the word itself, or those inside a quoted script. */
function namesIn(word: string): string[] {
  if (word.length > LONGEST_PATH) return []
  if (/\s/.test(word)) return pathTokens(word)
  const path = word.replace(/:\d+(?:[:,-]\d+)*$/, '')
  return isFileName(path) && mayBePath(path) ? [path] : []
}
