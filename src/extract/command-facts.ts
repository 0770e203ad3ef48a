import type { CommandFact, Dropped } from '../types/evidence.ts'
import { checksOf } from './check-facts.ts'
import { isCheck, withoutPlumbing } from './command-kind.ts'
import type { CommandRecord } from './command-log.ts'
import { covers } from './command-outcome.ts'
import type { Fold } from './fold.ts'
import { byCodeUnit } from './path-text.ts'
import { placeOf, type Root } from './resolve.ts'

/** The kinds that help the next agent, in the order of a brief. */
const KINDS: readonly CommandFact['kind'][] = ['test', 'build', 'lint', 'run', 'deploy', 'install']
/** Longer lines were written for one moment. */
const MAX_COMMAND = 160

/**
 * One command per kind, then further checks that run one program which no earlier one shows. Of lines that do
 * the same one that worked is told, the plainest of equals. A leading `cd` into the recorded repository is taken off, since that path exists on
 * one machine only; the directory stands in `cwd`. `lastEdit`: touch number of the newest edit.
 */
export function commandFacts(
  fold: Fold,
  roots: readonly Root[],
  lastEdit: number,
  drop: (item: Dropped) => void,
): CommandFact[] {
  for (const { text, why } of fold.leftOut) drop({ kind: 'command', text, why })
  for (const text of fold.commands.longScripts)
    drop({ kind: 'command', text, why: 'a script too long to repeat' })
  const lines = [...fold.commands.records.values()].map(withMainAlone).flatMap((record): Line[] => {
    if (record.isErrand || record.isMissing || changesGit(record)) return []
    const place = placeOf(record.command, record.cwd, roots)
    if (place === null || record.families.every((family) => isForeign(family, roots))) {
      drop({ kind: 'command', text: record.command, why: 'ran outside the repository' })
      return []
    }
    const command = withoutPlumbing(place.command)
    return command.length > MAX_COMMAND || command.includes('\n') ? [] : [{ record, command, cwd: place.cwd }]
  })
  const passed = checksOf(fold, roots).filter(({ outcome }) => outcome === 'ok')
  const merged = mergeEqual(lines)
    .filter(({ record }) => isUseful(record) && !isMadeGood(record, passed))
    .sort(
      (a, b) =>
        b.record.runs - a.record.runs || b.record.order - a.record.order || byCodeUnit(a.command, b.command),
    )
  const shown: Line[] = []
  for (const kind of KINDS) {
    const first = merged.find(({ record }) => record.kind === kind)
    if (first !== undefined) shown.push(first)
  }
  const covered = new Set(shown.flatMap(({ record }) => record.families))
  for (const line of merged) {
    const isNew = line.record.families.some((family) => !covered.has(family))
    // What runs several programs was put together for one moment.
    if (!isNew || !isCheck(line.record.kind) || line.record.families.length > 1) continue
    shown.push(line)
    for (const family of line.record.families) covered.add(family)
  }
  return shown.map(({ record: { outcome, exitCode, edit, kind, runs, by, at }, command, cwd }) => {
    const source = by === 'user' ? 'user' : 'transcript'
    // Files were edited since: how it ends now is not known.
    const isOld = outcome === 'failed' && edit < lastEdit
    const ended = isOld ? { outcome: 'unknown' as const, exitCode: null } : { outcome, exitCode }
    return { command, cwd, ...ended, kind, runs, source, at }
  })
}

/** A check is told without what the line did beside it. */
function withMainAlone(record: CommandRecord): CommandRecord {
  const { main, command, families } = record
  const own = families.filter((family) => main.includes(family))
  return main === command || own.length === 0 ? record : { ...record, command: main, families: own }
}

/** `git stash && npm test` would do more than check, if it were run again. */
const changesGit = ({ families }: CommandRecord): boolean =>
  families.some((family) => /^git (?:stash|checkout|switch|reset|restore)\b/.test(family))

interface Line {
  record: CommandRecord
  command: string
  cwd: string | null
}

const SERVES = /\b(?:dev|start|serve|preview|watch|up)\b/
/**
 * A check is worth knowing however it ended; anything else once it worked, or was repeated and is not known to have failed; a
 * server that runs on has no outcome.
 */
const isUseful = ({ kind, outcome, families, runs }: CommandRecord): boolean =>
  isCheck(kind) ||
  outcome === 'ok' ||
  (runs > 1 && outcome === 'unknown') ||
  (kind === 'run' && outcome === 'unknown' && families.some((family) => SERVES.test(family)))

/** A check that failed before another of its kind or a line that holds it passed says nothing any more. */
function isMadeGood(check: CommandRecord, passed: readonly CommandRecord[]): boolean {
  const since = passed.filter(({ order }) => order > check.order)
  return (
    isCheck(check.kind) &&
    check.outcome === 'failed' &&
    (since.some(({ kind }) => kind === check.kind) || covers(since, check))
  )
}

/** Lines with the same programs and directory as one: the last that worked, else the last; runs add up. */
function mergeEqual(lines: readonly Line[]): Line[] {
  const held = new Map<string, Line>()
  for (const line of lines) {
    const key = `${line.record.kind}\0${line.cwd ?? ''}\0${line.record.families.join('\0')}`
    const other = held.get(key)
    const runs = line.record.runs + (other?.record.runs ?? 0)
    const best = other === undefined || isBetter(line, other) ? line : other
    held.set(key, { ...best, record: { ...best.record, runs } })
  }
  return [...held.values()]
}

/** Of two that ended alike the plainer one. */
const isBetter = (a: Line, b: Line): boolean =>
  a.record.outcome === b.record.outcome
    ? a.command.length <= b.command.length
    : rank(a.record.outcome) > rank(b.record.outcome)

const rank = (outcome: CommandFact['outcome']): number => ['failed', 'unknown', 'ok'].indexOf(outcome)

/** Programs and scripts of another place than this repository and the system. */
const isForeign = (family: string, roots: readonly Root[]): boolean =>
  family
    .split(' ')
    .some(
      (word) =>
        /^(?:\/|~\/)/.test(word) &&
        !/^\/(?:usr|bin|sbin|opt)\//.test(word) &&
        !roots.some((root) => word.startsWith(`${root}/`)),
    )
