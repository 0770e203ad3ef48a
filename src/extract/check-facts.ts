import type { CheckFact, Evidence, QuestionFact, SessionWork } from '../types/evidence.ts'
import { isCheck, withoutPlumbing } from './command-kind.ts'
import type { CommandRecord } from './command-log.ts'
import { covers, isAtOrAbove } from './command-outcome.ts'
import type { Fold } from './fold.ts'
import { placeOf, type Root, relative } from './resolve.ts'

/** Tests, builds and lints of this repository that came to an end, in order of time. */
export const checksOf = (fold: Fold, roots: readonly Root[]): CommandRecord[] =>
  [...fold.commands.records.values()]
    .filter((record) => isCheck(record.kind) && record.outcome !== 'unknown' && !record.isMissing)
    .filter((record) => placeOf(record.command, record.cwd, roots) !== null)
    .sort((a, b) => a.order - b.order)

/** The last run of every check and of what may be a test by its words, wherever it ran and however it ended, in order of time. */
export const runsOf = ({ commands }: Fold): Evidence['checks'] =>
  [...commands.records.values()]
    .filter(({ kind, command }) => isCheck(kind) || (kind !== 'git' && MAY_TEST.test(command)))
    .sort((a, b) => a.order - b.order)
    .map(({ command, kind, outcome }) => ({ command, kind, outcome }))

/** Which checks the session never ran, though it ran commands; a line that may be a test by its words counts as one. */
export function neverRan({ commands }: Fold): Pick<SessionWork, 'neverRan'> {
  const records = [...commands.records.values()]
  const texts = [...records.map(({ command }) => command), ...commands.longScripts]
  if (texts.length === 0 || texts.some((text) => MAY_TEST.test(text))) return {}
  return { neverRan: records.some(({ kind }) => isCheck(kind)) ? 'test' : 'check' }
}
const MAY_TEST = /test|spec|check|verif|e2e|bench|\bci\b/i

/** A check that failed; `likeRan` when a command like it ran later in its folder or above, over less or in a longer line. */
export type FailingCheck = CommandRecord & { likeRan: boolean }

/** Of checks in order of time those whose last run failed and that no later run covering them passed; oldest first. */
export function failingChecks(
  checks: readonly CommandRecord[],
  all: Iterable<CommandRecord> = checks,
): FailingCheck[] {
  const runs = [...all]
  return checks.flatMap((check, index) => {
    const since = checks.slice(index + 1)
    // A later run of at least as much has the last word, whichever way it went.
    if (check.outcome !== 'failed' || covers(since, check)) return []
    const later = runs.filter((run) => run.order > check.order && isAtOrAbove(run.cwd, check.cwd))
    if (later.some((run) => settles(run, check))) return []
    return [{ ...check, likeRan: later.some((run) => isLike(run, check)) }]
  })
}

type Kind = Pick<CommandRecord, 'kind' | 'families'>

const isLike = (run: Kind, check: Kind): boolean =>
  run.families.some((family) => check.families.includes(family))

/** Another way to check the same that passed, as `lint --fix` for `lint`, or the suite for one of its files. */
export const settles = (run: Kind & Pick<CommandRecord, 'outcome'>, check: Kind): boolean =>
  run.kind === check.kind && run.outcome === 'ok' && !isLike(run, check)

/** Failing checks as items, with their error: those that nothing was edited after and no check of their kind passed since; the others in one line. */
export function failingQuestions(
  failing: readonly FailingCheck[],
  lastEdit: number,
  roots: readonly Root[],
): QuestionFact[] {
  const isTold = ({ edit, likeRan }: FailingCheck): boolean => edit >= lastEdit && !likeRan
  const told = failing.filter(isTold).map((record) => failingQuestion(record, roots))
  const rest = failing.filter((record) => !isTold(record))
  if (rest.length === 0) return told
  const names = [
    ...new Set(rest.map((record) => commandText(checkText(record, roots)) + folderOf(record, roots))),
  ]
  const more = names.length > MAX_EARLIER ? ` and ${names.length - MAX_EARLIER} more` : ''
  const text = `${FAILED_EARLIER}${names.slice(-MAX_EARLIER).join(', ')}${more}`
  return [...told, { kind: 'risk', text, source: 'transcript', at: rest.at(-1)?.at ?? null }]
}
const MAX_EARLIER = 3
const FAILED_EARLIER = 'Failed earlier, not run whole since: '

function failingQuestion(record: FailingCheck, roots: readonly Root[]): QuestionFact {
  const status = record.exitCode === null ? '' : ` (exit ${record.exitCode})`
  const error = record.firstError === null ? '' : `: ${record.firstError}`
  return {
    kind: 'failing',
    text: `${commandText(portable(record, roots) ?? record.main)} failed${folderOf(record, roots)}${record.isSub ? ' in a subagent' : ''}${status}${error}`,
    source: 'transcript',
    at: record.at,
  }
}

/** ` in `apps/api``, for a check that did not run at the root. */
function folderOf({ command, cwd }: CommandRecord, roots: readonly Root[]): string {
  const folder = placeOf(command, cwd, roots)?.cwd ?? null
  return folder === null ? '' : ` in ${commandText(folder)}`
}

/** Touch number of the newest edit that can make a check stale: prose is checked by nothing, nor are files of another place. */
export function lastCodeEdit({ files }: Fold, roots: readonly Root[]): number {
  const isOutside = (path: string): boolean => roots.length > 0 && relative(path, roots) === null
  let last = 0
  for (const [path, { lastEdit, edits, deleted }] of files.records)
    if ((edits > 0 || deleted) && lastEdit > last && !isText(path) && !isOutside(path)) last = lastEdit
  return last
}

/** Prose; `requirements.txt` and `CMakeLists.txt` are none, nor is MDX, which is compiled. */
export const isText = (path: string): boolean =>
  /\.(?:md|rst|adoc)$|(?<!CMakeLists|(?:requirements|constraints)[^/]*)\.txt$/i.test(path)

/** The command a failing item is about, as `failingQuestion` wrote it; null for other items. */
export const commandOfFailing = (text: string): string | null =>
  /^(`+)\s?(.+?)\s?\1 failed/.exec(text)?.[2] ?? null

/** A failing check of an earlier brief, once files changed: whether it fails now is not known. */
export function asEarlier(fact: QuestionFact): QuestionFact {
  const command = fact.kind === 'failing' ? commandOfFailing(fact.text) : null
  return command === null ? fact : { ...fact, kind: 'risk', text: FAILED_EARLIER + commandText(command) }
}

/** The commands that a line of earlier failures names, as `failingQuestions` wrote it; none for other items and where it leaves some out. */
export const commandsOfEarlier = (text: string): string[] =>
  text.startsWith(FAILED_EARLIER) && !/ and \d+ more$/.test(text)
    ? [...text.matchAll(/(?:: |, )(`+)\s?(.+?)\s?\1(?!`)/g)].flatMap(([, , command]) => command ?? [])
    : []

/** The last test, build or lint that came to an end, or tests that a hook ran; `all`: every command of the session. */
export function lastCheckOf(
  checks: readonly CommandRecord[],
  all: readonly CommandRecord[],
  lastEdit: number,
  roots: readonly Root[],
): CheckFact | null {
  const record = [...checks, ...all.filter(({ hasTested }) => hasTested)]
    .sort((a, b) => a.order - b.order)
    .at(-1)
  if (record === undefined) return null
  const isUnclear = all.some(
    ({ kind, order, outcome }) => kind === record.kind && order > record.order && outcome === 'unknown',
  )
  // Edited since, and run again to an end that nobody saw: how it stands is not known.
  if (record.outcome === 'failed' && record.edit < lastEdit && isUnclear) return null
  return {
    ...(record.hasTested ? { command: 'git commit', inHook: true } : { command: checkText(record, roots) }),
    outcome: record.outcome,
    exitCode: record.exitCode,
    firstError: record.firstError,
    at: record.at,
    ...(record.edit < lastEdit ? { stale: true } : {}),
    ...(isUnclear ? { unclearSince: true } : {}),
  }
}

/** A check as it is told: without its place and what was done with its output. */
const checkText = (record: CommandRecord, roots: readonly Root[]): string =>
  withoutPlumbing(portable(record, roots) ?? record.main)

/** The command without the place it ran in; null when it ran elsewhere. */
export const portable = (record: CommandRecord, roots: readonly Root[]): string | null =>
  placeOf(record.main, record.cwd, roots)?.command ?? null

/** A command on one line as inline code: its first line, fenced by more backticks than it holds. */
export function commandText(command: string): string {
  const [first = '', ...more] = command.trim().split('\n')
  const line = more.length > 0 ? `${first.trim()} […]` : first.trim()
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length))
  const fence = '`'.repeat(longest + 1)
  const pad = longest > 0 ? ' ' : ''
  return `${fence}${pad}${line}${pad}${fence}`
}
