import type { GitState, TextFact } from '../types.ts'
import { commandText, portable } from './check-facts.ts'
import { type CommandRecord, isCheck } from './command-log.ts'
import type { FileLog } from './file-log.ts'
import type { Fold } from './fold.ts'
import type { Resolver } from './resolve.ts'
import type { Root } from './roots.ts'
import { parseShell } from './shell.ts'

/** What was tried and given up: edits that git took back. */
export interface Tries {
  /** Takes edits back, of one path or (null) of all, and remembers which files lost some. */
  takeBack(files: FileLog, key: string | null, by: { command: string; at: string | null }): void
  readonly taken: readonly Taken[]
}

interface Taken {
  keys: string[]
  command: string
  at: string | null
  /** Number of the newest edit then. */
  edit: number
}

/** Far above what a brief tells. */
const MAX = 50

export function createTries(): Tries {
  const taken: Taken[] = []
  return {
    takeBack(files, key, { command, at }) {
      const before = new Map([...files.records].map(([name, { reverted }]) => [name, reverted]))
      files.revert(key)
      const keys = [...files.records].flatMap(([name, { reverted }]) =>
        reverted > (before.get(name) ?? 0) ? [name] : [],
      )
      if (keys.length === 0) return
      const last = taken.at(-1)
      // One line may name several files.
      if (last?.command === command && last.at === at) last.keys.push(...keys)
      else taken.push({ keys, command, at, edit: files.lastEdit })
      if (taken.length > MAX) taken.shift()
    },
    taken,
  }
}

/** Told at most of each kind, the latest ones: a dead end is worth a line, a list of them is history. */
const MOST = 2
const NAMES = 3

/**
 * What the next agent need not try again: edits that were taken back, and commands that failed and were not run again.
 * Checks are left out, since a failing one is an open question.
 */
export function triedInVain(
  fold: Fold,
  resolver: Resolver,
  roots: readonly Root[],
  git: GitState | null,
): TextFact[] {
  const taken = fold.tries.taken.flatMap(({ keys, command, at, edit }): TextFact[] => {
    const paths = keys.flatMap((key) => {
      const place = resolver.touched(key)
      return 'drop' in place ? [] : [`\`${place.path}\``]
    })
    if (paths.length === 0) return []
    const more = paths.length > NAMES ? ` and ${paths.length - NAMES} more` : ''
    const again = keys.some((key) => (fold.files.records.get(key)?.lastEdit ?? 0) > edit)
    return [
      {
        text: `Tried and taken back with ${commandText(stepBack(command))}: the edits of ${paths.slice(0, NAMES).join(', ')}${more}${again ? '; edited again since' : ''}`,
        source: 'transcript',
        at,
      },
    ]
  })
  const records = [...fold.commands.records.values()]
  const failed = records
    .filter((record) => isGivenUp(record, records))
    .sort((a, b) => a.order - b.order)
    .flatMap((record): TextFact[] => {
      const command = portable(record, roots)
      return command === null
        ? []
        : [
            {
              text: `Failed (exit ${record.exitCode}) and not run again: ${commandText(command)}: ${record.firstError}`,
              source: 'transcript',
              at: record.at,
            },
          ]
    })
  return [...takenBack(git).slice(-MOST), ...taken.slice(-MOST), ...failed.slice(-MOST)]
}

/** Commits since base that a later one took back, as `git revert` words it; one that was brought back again stands. */
function takenBack(git: GitState | null): TextFact[] {
  const gone = new Map<string, TextFact>()
  for (const { sha, subject, at } of (git?.commits ?? []).toReversed()) {
    const again = /^(?:Reapply "(.+)"|Revert "Revert "(.+)"")$/.exec(subject)
    const what = /^Revert "(.+)"$/.exec(subject)?.[1]
    if (again) gone.delete(again[1] ?? again[2] ?? '')
    else if (what !== undefined)
      gone.set(what, {
        text: `Tried and taken back by commit \`${sha.slice(0, 8)}\`: ${what}`,
        source: 'git',
        at,
      })
  }
  return [...gone.values()]
}

/** Of a longer line the command that took the edits back. */
const stepBack = (command: string): string =>
  command
    .split(/&&|\|\||[;\n]/)
    .map((piece) => piece.trim())
    .find((piece) => /^git\s.*\b(?:checkout|restore|reset)\b/.test(piece)) ?? command

/** Characters; on 440 cuts of real sessions every longer one was a script of a moment. */
const LONG = 200
const ASKS = new Set('--help -h --version -v -V help'.split(' '))

/** Lines that tell no more than the exit status. */
const SAYS_NOTHING =
  /^(?:command exited|process exited|exit(?:ed)?\b|usage\b|error: usage|["'[{(])|help requested/i

/** It failed by itself, and nothing of its kind ran well afterwards. */
function isGivenUp(record: CommandRecord, all: readonly CommandRecord[]): boolean {
  if (record.outcome !== 'failed' || record.exitCode === null || isCheck(record.kind)) return false
  if (record.isErrand || record.kind === 'git' || record.command.includes('\n')) return false
  if (record.command.length > LONG) return false
  if (record.firstError === null || SAYS_NOTHING.test(record.firstError)) return false
  const parts = parseShell(record.command)
  // Behind a pipe, `;` or `||` it is not known what failed.
  if (parts.some((part) => part.next !== '' && part.next !== '&&')) return false
  if (parts.some((part) => part.words.some((word) => ASKS.has(word)))) return false
  return !all.some(
    (later) =>
      later.order > record.order && later.families.some((family) => record.families.includes(family)),
  )
}
