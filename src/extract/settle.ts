import type { FileTouch } from '../types/session.ts'
import { commandText, isText } from './check-facts.ts'
import { type Deed, understand } from './command-effects.ts'
import type { How, Moment, TouchKind } from './file-log.ts'
import type { Call, Fold, Result } from './fold.ts'
import { anchorPath, atHome, isAbsolute } from './path-text.ts'
import { LEADING_CD } from './resolve.ts'
import { ownShare } from './self-calls.ts'

/**
 * Counts a call with its outcome. A call is an attempt: without a result, or refused, it changed nothing. `asOf`: when it was
 * made, for a call that is counted later because no result came.
 */
export function settleCall(fold: Fold, call: Call | null, result: Result | null, asOf?: Moment): void {
  if (call === null) {
    if (result?.ok && result.files)
      for (const file of result.files) touchChanged(fold, file, result.cwd, { sub: result.sub, byTool: true })
    return
  }
  const cwd = call.cwd ?? fold.sessionCwd
  const how: How = asOf ? { sub: call.sub, byTool: true, asOf } : { sub: call.sub, byTool: true }
  const touch = (path: string, kind: TouchKind, by: How = how) => {
    const key = anchorPath(path, cwd, fold.home)
    if (key !== null) fold.files.touch(key, kind, by)
  }
  if (result?.refused && !result.byClient && call.sub === null) {
    const reason = result.reason ?? ''
    if (reason !== '') fold.standing.hear(reason, result.at)
    // Told with its words. Without words a plan or a question is told by what it asked.
    if (reason !== '' || call.action.type === 'run' || call.action.type === 'edit')
      fold.turns.step({ kind: 'refused', text: refusalOf(call, reason, cwd, fold.home), at: result.at })
  }
  const happened = result?.ok === true && !result.refused
  const { action } = call
  switch (action.type) {
    case 'read':
      if (happened || result === null) for (const path of action.paths) touch(path, 'read')
      return
    case 'edit': {
      const changed = result?.refused ? [] : (result?.files ?? (happened ? action.files : []))
      for (const file of changed) {
        touchChanged(fold, file, cwd, how)
        fold.asks.wrote(atHome(file.path, fold.home))
      }
      if (changed.some(({ path }) => !isText(path))) fold.work.edited()
      if (changed.length === 0)
        for (const file of action.files)
          touch(file.path, result?.refused && !result.byClient ? 'refused' : 'failed')
      return
    }
    case 'run':
      if (result?.refused) leaveOut(fold, action.command, result.byClient ? BY_CLIENT : BY_USER)
      else settleRun(fold, call, action.command, result, { ...how, byTool: false }, cwd)
      // What a command changed beside its own words may be built things: git has to know them.
      if (happened && result.files)
        for (const file of result.files) touchChanged(fold, file, cwd, { ...how, byTool: false })
      return
    case 'search':
    case 'other':
      if (!result?.refused) for (const path of action.paths) touch(path, 'search', { ...how, byTool: false })
      return
    case 'task':
      return
  }
}

function touchChanged(fold: Fold, file: FileTouch, cwd: string | null, how: How) {
  const key = anchorPath(file.path, cwd, fold.home)
  if (key === null) return
  const from = file.from === undefined ? null : anchorPath(file.from, cwd, fold.home)
  if (file.change === 'rename' && from !== null) fold.files.rename(from, key, how)
  else fold.files.touch(key, file.change === 'create' || file.change === 'delete' ? file.change : 'edit', how)
}

function settleRun(
  fold: Fold,
  call: Call,
  command: string,
  result: Result | null,
  how: How,
  cwd: string | null,
) {
  const { shape, deeds } = understand(command, cwd, fold.home)
  const failed = result !== null && (!result.ok || (result.exitCode ?? 0) !== 0)
  // A `cd` to a folder that is not there names no file, and what stands behind it did not run.
  const isLost = failed && /\bcd: [^\n]{1,500}: no such file/i.test(result.text.slice(0, MAX_SHELL_ERROR))
  // Of a failed line the last part is the likeliest to have failed; what only names files is true either way.
  for (const { part, deed } of isLost ? [] : deeds)
    applyDeed(fold, deed, result !== null && (!failed || part < shape.parts.length - 1), how)
  if (result !== null) {
    const isUnsure = result.unsure === true
    const place = { cwd, sessionCwd: fold.sessionCwd }
    const { made, renamed } = fold.work.ran(shape.parts, result.text, { failed, isUnsure }, place)
    for (const [text, now] of renamed) fold.turns.renamed(text, now)
    for (const text of made) fold.turns.step({ kind: 'commit', text, at: result.at })
    if (!failed) fold.references.ran(command, result.text)
  } else fold.work.tried(shape.parts)
  if (ownShare(command) === 'some') leaveOut(fold, command, 'also runs handoff')
  else
    fold.commands.ran(
      { command, cwd, by: call.by, isSub: call.sub !== null, at: call.at, shape },
      result,
      fold.files.lastEdit,
      how.asOf,
    )
}

function applyDeed(fold: Fold, deed: Deed, isDone: boolean, how: How) {
  const { files } = fold
  switch (deed.type) {
    case 'read':
    case 'name':
      files.touch(deed.key, deed.type === 'read' ? 'read' : 'command', how)
      return
    case 'write':
    case 'delete':
      files.touch(deed.key, !isDone ? 'command' : deed.type === 'write' ? 'edit' : 'delete', how)
      return
    case 'rename':
      if (isDone) files.rename(deed.from, deed.key, how)
      return
    case 'enter':
      remember(fold.cwds, deed.key)
      return
    case 'worktree':
      if (isDone) remember(fold.worktrees, deed.key, deed.from)
      else remember(fold.cwds, deed.key)
      return
    case 'revert':
      if (files.has(deed.key) || deed.isPath) files.touch(deed.key, 'command', how)
      // `git checkout name` may mean a branch; it means a file when the session knows that file.
      if (isDone && (deed.isSure || files.has(deed.key))) files.revert(deed.key)
      return
    case 'revert-all':
      if (isDone) files.revert(null)
      return
    case 'stash':
    case 'unstash':
    case 'commit':
      if (isDone) files[deed.type]()
      return
  }
}

/** UTF-16 units at the start of an output, where a shell says that it could not change the folder. */
const MAX_SHELL_ERROR = 2_000
const MAX_DIRECTORIES = 500

function remember(known: Fold['cwds'] | Fold['worktrees'], path: string, from: string | null = null) {
  if (!isAbsolute(path) || known.size >= MAX_DIRECTORIES) return
  if (known instanceof Map) known.set(path, from)
  else known.add(path)
}

const MAX_LEFT_OUT = 100

function leaveOut(fold: Fold, text: string, why: string) {
  if (fold.leftOut.length < MAX_LEFT_OUT && !fold.leftOut.some((held) => held.text === text))
    fold.leftOut.push({ text, why })
}

/** Why a command is not told. An interrupt may have come in the middle of it. */
const BY_USER = 'refused or stopped by the user'
const BY_CLIENT = 'never run by the client'

function refusalOf({ action, tool }: Call, reason: string, cwd: string | null, home: string): string {
  const place = (path: string): string =>
    cwd !== null && path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : atHome(path, home)
  const what =
    action.type === 'run'
      ? commandText(action.command.replace(LEADING_CD, ''))
      : action.type === 'edit'
        ? `edit of ${action.files.map(({ path }) => `\`${place(path)}\``).join(', ')}`
        : tool
  return reason === '' ? what : `${what}: "${reason.replace(/\s+/g, ' ')}"`
}
