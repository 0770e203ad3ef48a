import type { CommandFact, Dropped, QuestionFact } from '../types/evidence.ts'
import { checksOf, commandText, portable } from './check-facts.ts'
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
 * one machine only; the directory stands in `cwd`.
 */
export function commandFacts(
  fold: Fold,
  roots: readonly Root[],
  drop: (item: Dropped) => void,
): CommandFact[] {
  for (const { text, why } of fold.leftOut) drop({ kind: 'command', text, why })
  for (const text of fold.commands.longScripts)
    drop({ kind: 'command', text, why: 'a script too long to repeat' })
  const lines = [...fold.commands.records.values()].flatMap((record): Line[] => {
    if (record.isErrand || !KINDS.includes(record.kind) || record.isMissing || changesGit(record)) return []
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
  return shown.map(({ record: { outcome, exitCode, kind, runs, by, at }, command, cwd }) => {
    const source = by === 'user' ? 'user' : 'transcript'
    return { command, cwd, outcome, exitCode, kind, runs, source, at }
  })
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
/** A check is worth knowing however it ended; anything else once it worked; a server that runs on has no outcome. */
const isUseful = ({ kind, outcome, families }: CommandRecord): boolean =>
  isCheck(kind) ||
  outcome === 'ok' ||
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

const MAX_TRAPS = 2
const MAX_TRAP_COMMAND = 120
/** A check that says this did not check anything; what else fails in it, a change of the code mends. */
const DID_NOT_RUN =
  /\bnot found$|command not found|no such file|missing script|no module named|(?:unknown|unrecognized|unexpected|invalid) (?:option|argument|flag|command)/i

/** Commands that failed and worked in another form as the very next command, with no edit between: one line each, the newest. */
export function traps(records: Iterable<CommandRecord>, roots: readonly Root[]): QuestionFact[] {
  const all = [...records].sort((a, b) => a.order - b.order)
  return all
    .flatMap((failed, at): QuestionFact[] => {
      const worked = all[at + 1]
      if (failed.outcome !== 'failed' || failed.firstError === null || failed.isErrand) return []
      if (isCheck(failed.kind) && !DID_NOT_RUN.test(failed.firstError)) return []
      // A run between them that was repeated later is counted, and not here: it may have mended the first.
      if (worked?.outcome !== 'ok' || worked.order !== failed.order + 1 || worked.edit !== failed.edit)
        return []
      if (!isOtherForm(failed.command, worked.command)) return []
      const [before, after] = [portable(failed, roots), portable(worked, roots)]
      if (
        before === null ||
        after === null ||
        before.length > MAX_TRAP_COMMAND ||
        after.length > MAX_TRAP_COMMAND
      )
        return []
      const text = `${commandText(before)} failed (${failed.firstError}); ${commandText(after)} worked`
      return [{ kind: 'risk', text, source: 'transcript', at: failed.at }]
    })
    .slice(-MAX_TRAPS)
}

/** Beside options, one has all words of the other; or only the program has another name, such as `python3`. */
function isOtherForm(a: string, b: string): boolean {
  const [first, second] = [wordsOf(a), wordsOf(b)]
  if (first.join(' ') === second.join(' ')) return false
  const [few = [], many = []] = [first, second]
    .map((words) => words.filter((word) => !word.startsWith('-')))
    .sort((one, other) => one.length - other.length)
  const isHeld = (word: string, at: number): boolean =>
    many.includes(word) || (at === 0 && isSameProgram(word, many[0] ?? ''))
  return few.length > 1 && few.every(isHeld)
}

const isSameProgram = (a: string, b: string): boolean => a.includes(b) || b.includes(a)

/** Where the output goes makes no other form. */
const wordsOf = (command: string): string[] =>
  command
    .replace(/\d?>&\d|&?\d?>>?\s*\S+/g, '')
    .split(/[\s;]+/)
    .filter(Boolean)
