import type { CommandFact } from '../types/evidence.ts'
import type { SessionEvent } from '../types/session.ts'
import { type Scope, scopeOf } from './check-scope.ts'
import { type CommandShape, isCheck } from './command-kind.ts'
import { isErrand } from './errand.ts'
import { pathTokens } from './mentions.ts'
import type { Moment } from './moment.ts'
import { firstErrorOf, ranOn, saysFailure, saysNothingRan, saysTestFailure } from './outcome.ts'
import { saysSuccess } from './says-success.ts'
import { withoutScripts } from './scripts.ts'

/** One command line, with its last outcome. */
export interface CommandRecord {
  command: string
  /** Absolute directory it ran in, or null. */
  cwd: string | null
  families: string[]
  kind: CommandFact['kind']
  outcome: CommandFact['outcome']
  exitCode: number | null
  /** Of the output of its last run, when that failed. */
  firstError: string | null
  /** Of checks only: its script, its runner or the tests do not exist: nothing was checked. */
  isMissing: boolean
  /** Of checks only: words of its last failing output that look like paths. */
  failedIn: string[]
  runs: number
  by: 'agent' | 'user'
  /** A subagent ran it last. */
  isSub: boolean
  at: string | null
  /** It was done once and must not be repeated. */
  isErrand: boolean
  /** Number of the last run, counted through the session. */
  order: number
  /** Touch number of the newest edit when it ran last: a later edit makes its result stale. */
  edit: number
  /** Of checks only: what was checked, of a line that checks several things each. */
  scopes: Scope[]
}

export interface CommandLog {
  ran(
    call: {
      command: string
      cwd: string | null
      by: 'agent' | 'user'
      isSub: boolean
      at: string | null
      shape: CommandShape
    },
    result: Result | null,
    edit: number,
    /** When it ran, if it is counted later. */
    asOf?: Moment,
  ): void
  /** Runs so far. */
  readonly order: number
  readonly records: ReadonlyMap<string, CommandRecord>
  readonly longScripts: readonly string[]
}
type Result = Extract<SessionEvent, { kind: 'result' }>

/** Different command lines remembered, and the longest that is worth repeating, in characters. */
const MAX_COMMANDS = 3_000
const MAX_LENGTH = 1_200
/** Paths taken from one failing output. */
const MAX_PATHS = 40

/** Runs whose output is kept until somebody asks: most are overwritten by the next run of the same line. */
const MAX_OPEN = 64

/** Keeps the last outcome per command line and directory. Lines that only look around are not kept. */
export function createCommandLog(): CommandLog {
  const records = new Map<string, CommandRecord>()
  const open = new Map<string, Run>()
  const longScripts: string[] = []
  let order = 0
  const close = (key: string, run: Run) => {
    open.delete(key)
    const record = records.get(key)
    if (record) Object.assign(record, judge(run))
  }
  return {
    ran(line, result, edit, asOf) {
      const { cwd, by, isSub, at } = line
      if (line.shape.families.length === 0) return
      const repeatable = line.command.length > MAX_LENGTH ? null : withoutScripts(line)
      if (repeatable === null) {
        if (longScripts.length < 50) longScripts.push(firstLine(line.command))
        return
      }
      const { command, shape } = repeatable
      const key = `${cwd ?? ''}\0${command}`
      const held = records.get(key)
      const runs = (held?.runs ?? 0) + 1
      order++
      // Between the runs that ended before and after it.
      const own = asOf === undefined ? order : asOf.order + 0.5
      if (held && held.order > own) {
        held.runs = runs
        return
      }
      const { families, kind } = shape
      const once = held?.isErrand ?? (!isCheck(kind) && isErrand(shape.parts))
      // Newest last, so that the oldest is forgotten first.
      records.delete(key)
      // Written out: spread, it takes longer than all the rest of this.
      records.set(key, {
        command,
        cwd,
        by,
        isSub,
        at,
        families,
        kind,
        runs,
        isErrand: once,
        order: own,
        edit: asOf?.edit ?? edit,
        outcome: UNJUDGED.outcome,
        exitCode: UNJUDGED.exitCode,
        firstError: UNJUDGED.firstError,
        isMissing: UNJUDGED.isMissing,
        failedIn: UNJUDGED.failedIn,
        scopes: UNJUDGED.scopes,
      })
      open.delete(key)
      open.set(key, { shape, result })
      if (open.size > MAX_OPEN)
        for (const [oldest, run] of open) {
          close(oldest, run)
          break
        }
      if (records.size > MAX_COMMANDS)
        for (const [oldest] of records) {
          records.delete(oldest)
          break
        }
    },
    get order() {
      return order
    },
    get records() {
      for (const [key, run] of open) close(key, run)
      return records
    },
    longScripts,
  }
}

interface Run {
  shape: CommandShape
  result: Result | null
}

type Judgement = Pick<
  CommandRecord,
  'outcome' | 'exitCode' | 'firstError' | 'isMissing' | 'failedIn' | 'scopes'
>

const UNJUDGED: Judgement = {
  outcome: 'unknown',
  exitCode: null,
  firstError: null,
  isMissing: false,
  failedIn: [],
  scopes: [],
}

/** What came of a run. Only of a check it matters what it said. */
function judge({ shape, result }: Run): Judgement {
  const outcome = outcomeOf(shape, result)
  if (!isCheck(shape.kind)) {
    const firstError = outcome.outcome === 'failed' && result ? firstErrorOf(result.text) : null
    return { ...UNJUDGED, ...outcome, firstError }
  }
  const scopes = shape.checked.map((index) => scopeOf(shape, index))
  if (result === null) return { ...UNJUDGED, ...outcome, scopes }
  const { text } = result
  const isMissing = saysNothingRan(text) && !saysTestFailure(text)
  if (outcome.outcome !== 'failed')
    return { ...UNJUDGED, ...outcome, isMissing: isMissing && !saysSuccess(shape, text), scopes }
  const others = shape.checked.filter((index) => index > shape.main)
  const isMainSound = isTestSound(shape, text)
  // The tests passed, and what stood behind them was no check.
  if (isMainSound && others.length === 0 && shape.main < shape.parts.length - 1)
    return { ...UNJUDGED, scopes }
  return {
    ...outcome,
    scopes: isMainSound && others.length > 0 ? others.map((index) => scopeOf(shape, index)) : scopes,
    isMissing,
    firstError: firstErrorOf(text),
    failedIn: pathTokens(text).slice(0, MAX_PATHS),
  }
}

/** The words of the tests say that they passed. */
const isTestSound = (shape: CommandShape, output: string): boolean =>
  shape.kind === 'test' && saysSuccess(shape, output) && !saysTestFailure(output)

function outcomeOf(shape: CommandShape, result: Result | null): Pick<CommandRecord, 'outcome' | 'exitCode'> {
  if (result === null || ranOn(result.text)) return { outcome: 'unknown', exitCode: null }
  const failed = !result.ok || (result.exitCode !== null && result.exitCode !== 0)
  if (failed && (shape.statusIsMain || !isCheck(shape.kind)))
    return { outcome: 'failed', exitCode: result.exitCode }
  if (!failed && shape.statusIsMain && !result.unsure) return { outcome: 'ok', exitCode: result.exitCode }
  // The status of `test | tail` or `test; echo done` is not that of the test; its output is asked.
  const said = isCheck(shape.kind) ? saidOutcome(shape, result.text) : 'unknown'
  return failed && said !== 'ok' && !foundNothing(shape, result)
    ? { outcome: 'failed', exitCode: result.exitCode }
    : { outcome: said, exitCode: null }
}

/** `check | grep error` ends with 1 when no line fits. */
const foundNothing = ({ parts }: CommandShape, { exitCode, text }: Result): boolean =>
  exitCode === 1 && text.trim() === '' && /^(?:[ef]?grep|rg)$/.test(parts.at(-1)?.words[0] ?? '')

function saidOutcome(shape: CommandShape, output: string): CommandFact['outcome'] {
  if (saysFailure(output)) return isTolerated(shape) && !saysTestFailure(output) ? 'unknown' : 'failed'
  return saysSuccess(shape, output) ? 'ok' : 'unknown'
}

/** `check || true`: whoever wrote it does not mind a complaint. */
const isTolerated = ({ parts, main }: CommandShape): boolean =>
  parts.some(
    (part, index) =>
      index >= main && part.next === '||' && /^(?:true|:)$/.test(parts[index + 1]?.words[0] ?? ''),
  )

const firstLine = (command: string) => (command.split('\n')[0] ?? '').trim()
