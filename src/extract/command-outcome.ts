import type { CommandFact } from '../types/evidence.ts'
import type { SessionEvent } from '../types/session.ts'
import { argumentsOf, type CommandShape, familyOf, isCheck, shapeOf } from './command-kind.ts'
import { pathTokens } from './mentions.ts'
import {
  firstErrorOf,
  plainOutput,
  ranOn,
  saysAllSkipped,
  saysFailure,
  saysNothingRan,
  saysTestFailure,
} from './tool-output.ts'

export type RunResult = Extract<SessionEvent, { kind: 'result' }>

const MAX_PATHS = 40

export interface Judgement {
  outcome: CommandFact['outcome']
  exitCode: number | null
  firstError: string | null
  /** A hook of a commit ran the tests, and they passed. */
  hasTested: boolean
  /** Of checks only: its script, its runner or the tests do not exist, or all were skipped: nothing was checked. */
  isMissing: boolean
  /** Of checks only: words of its failing output that look like paths. */
  failedIn: string[]
  /** Of checks only: what was checked, of a line that checks several things each. */
  scopes: Scope[]
}

const UNJUDGED: Judgement = {
  outcome: 'unknown',
  exitCode: null,
  firstError: null,
  hasTested: false,
  isMissing: false,
  failedIn: [],
  scopes: [],
}

/** What came of a run. Only of a check it matters what it said. */
export function judge(shape: CommandShape, result: RunResult | null): Judgement {
  const outcome = outcomeOf(shape, result)
  if (!isCheck(shape.kind)) {
    const firstError = outcome.outcome === 'failed' && result ? firstErrorOf(result.text) : null
    const hasTested =
      result?.ok === true &&
      shape.families.includes('git commit') &&
      saysSuccess({ ...shape, kind: 'test' }, result.text)
    return { ...UNJUDGED, ...outcome, firstError, hasTested }
  }
  const isClean = outcome.outcome === 'ok' && result !== null && !saysFailure(result.text)
  // A pipe hides the status of `lint | tail -3 && build`; its output tells of no failure.
  const isPassed = (index: number): boolean =>
    isClean && shape.parts.slice(index, -1).every(({ next }) => next === '&&' || next === '|')
  const scopes = shape.checks
    .filter((index) => shape.checked.includes(index) || isPassed(index))
    .map((index) => scopeOf(shape, index))
  if (result === null) return { ...UNJUDGED, ...outcome, scopes }
  const { text } = result
  const isMissing = saysNothingRan(text) && !saysTestFailure(text)
  if (outcome.outcome !== 'failed')
    return {
      ...UNJUDGED,
      ...outcome,
      isMissing: (isMissing && !saysSuccess(shape, text)) || saysAllSkipped(text),
      scopes,
    }
  const others = shape.checked.filter((index) => index > shape.main)
  const isMainSound = isTestSound(shape, text)
  // The tests passed, and what stood behind them was no check.
  if (isMainSound && others.length === 0 && shape.main < shape.parts.length - 1)
    return { ...UNJUDGED, scopes }
  return {
    ...UNJUDGED,
    ...outcome,
    scopes: isMainSound && others.length > 0 ? others.map((index) => scopeOf(shape, index)) : scopes,
    isMissing,
    firstError: firstErrorOf(text),
    failedIn: pathTokens(text).slice(0, MAX_PATHS),
  }
}

const isTestSound = (shape: CommandShape, output: string): boolean =>
  shape.kind === 'test' && saysSuccess(shape, output) && !saysTestFailure(output)

function outcomeOf(shape: CommandShape, result: RunResult | null): Pick<Judgement, 'outcome' | 'exitCode'> {
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
const foundNothing = ({ parts }: CommandShape, { exitCode, text }: RunResult): boolean =>
  exitCode === 1 && text.trim() === '' && /^(?:[ef]?grep|rg)$/.test(parts.at(-1)?.words[0] ?? '')

function saidOutcome(shape: CommandShape, output: string): CommandFact['outcome'] {
  // Tests that pass may print errors; their totals tell.
  if (shape.families.length === 1 && isTestSound(shape, output)) return 'ok'
  if (saysFailure(output)) return isTolerated(shape) && !saysTestFailure(output) ? 'unknown' : 'failed'
  return saysSuccess(shape, output) ? 'ok' : 'unknown'
}

/** `check || true`: whoever wrote it does not mind a complaint. */
const isTolerated = ({ parts, main }: CommandShape): boolean =>
  parts.some(
    (part, index) =>
      index >= main && part.next === '||' && /^(?:true|:)$/.test(parts[index + 1]?.words[0] ?? ''),
  )

interface Scope {
  family: string
  targets: string[]
}

type Ran = Pick<Judgement, 'scopes'> & { cwd: string | null }

/** Whether runs checked at least what another did, each of its parts: same family, no narrower targets, same or outer directory. */
export const covers = (later: readonly Ran[], check: Ran): boolean =>
  check.scopes.every((scope) =>
    later.some((run) => isAtOrAbove(run.cwd, check.cwd) && run.scopes.some((wide) => isWithin(scope, wide))),
  )

export const isAtOrAbove = (outer: string | null, cwd: string | null): boolean =>
  outer === cwd || (outer !== null && (cwd ?? '').startsWith(`${outer}/`))

const isWithin = (narrow: Scope, wide: Scope): boolean =>
  wide.family === narrow.family &&
  wide.targets
    .filter((target) => !/^(?:\.|\.\/\.\.\.|\.\/)$/.test(target))
    .every((target) => narrow.targets.includes(target))

/** Flags whose value narrows what is checked, before it or joined to it by `=`. */
const FILTERS = new Set(
  '-run --run -t -k -p -tags --tags --package --testNamePattern --grep -g --filter --test'.split(' '),
)
const JOINED_FILTERS = new Set('-run -k -tags --filter --testNamePattern'.split(' '))

function scopeOf({ parts }: CommandShape, index: number): Scope {
  const part = parts[index]
  const family = part === undefined ? null : familyOf(part)
  if (part === undefined || family === null) return { family: '', targets: [] }
  const filters = part.words.flatMap((word, i) =>
    FILTERS.has(word)
      ? [`${word} ${part.words[i + 1] ?? ''}`]
      : JOINED_FILTERS.has(word.split('=', 1)[0] ?? '') && word.includes('=')
        ? [word.replace('=', ' ')]
        : [],
  )
  const named = new Set(family.split(' '))
  const entered = parts
    .slice(0, index)
    .flatMap(({ words: [program, to = '/'] }) => (program === 'cd' && !/^[$/]/.test(to) ? [`cd ${to}`] : []))
  return {
    family,
    targets: [...argumentsOf(part).filter((word) => !named.has(word)), ...filters, ...entered],
  }
}

/** Lines by which tools say that all is well, per kind: that a linter is content says nothing about the tests beside it. */
const SUCCESS: Partial<Record<CommandFact['kind'], readonly RegExp[]>> = {
  test: [
    // Vitest, Jest, pytest, Mocha; Go; Rust; Node's runner; RSpec, ExUnit, JUnit; unittest; ticks.
    /(?:^|[^\d.])[1-9]\d* (?:tests? )?pass(?:ed|ing|es)?\b/i,
    /^ok\s+\S+\s+(?:\(cached\)|[\d.]+m?s)/,
    /^PASS\b|^\s*--- PASS: /,
    /^test result: ok\./,
    /^\s*[#ℹ] pass [1-9]/,
    /(?:^|[^\d.])0 fail(?:ures?|ed|ing)?\b|\bFailures: 0\b/i,
    /^OK(?: \(.*\))?$/,
    /^\s*[✓✔] /,
  ],
  lint: [
    /(?:^|[^\d.])0 (?:errors?|issues|problems|warnings|violations|offenses)\b/i,
    /\bno (?:lint )?(?:errors?|issues|problems|warnings|violations|offenses)\b/i,
    /\ball (?:\w+ )?(?:checks|tests) pass(?:ed)?\b/i,
    /\b(?:is|are) valid\b/i,
    /\bAll matched files use\b/,
    /^Checked \d+ files? in .*(?:No fixes applied|Fixed \d+ files?)\.?/,
    /^\s*Finished `/,
    /^\s*[✓✔] /,
  ],
  build: [
    /^\s*Finished `/,
    /\b(?:compiled|built|build) (?:was )?(?:success\w*|succeeded)/i,
    /\bbuilt in [\d.]+ ?m?s\b/i,
    /\bCompiled (?:\S+ )?successfully\b/i,
    /^\s*[✓✔] /,
  ],
}

/** Checks that say nothing when all is well. */
const SILENT = /^(?:go (?:build|vet)|tsc|vue-tsc|eslint|gofmt)\b|(?:^| )(?:tsc|eslint)$/
/** What agents write for an output that was empty. */
const EMPTY = /^(?:\(?(?:bash completed with )?no (?:output|content)\)?)?$/i
/** What npm, pnpm and Bun print of the script they run: its name, then its command. */
const ECHO = /^(?:> \S+@\S+ .*\n+)?[>$] (.+)$/m
/** Programs that show all or an end of what they are fed. */
const SHOWS = new Set(['head', 'tail', 'cat', 'tee'])

function saysSuccess(shape: CommandShape, output: string): boolean {
  const whole = plainOutput(output)
  const text = whole.replace(ECHO, '')
  if (EMPTY.test(text.trim())) {
    const ran = ECHO.exec(whole)?.[1]
    return isSilent(ran === undefined ? shape : { ...shape, families: shapeOf(ran).families })
  }
  const shapes = SUCCESS[shape.kind] ?? []
  // `check | tail; echo OK` prints it whatever the check said.
  const echoed = new Set(
    shape.parts
      .filter(({ words }) => words[0] === 'echo')
      .map(({ words }) => words.slice(1).join(' ').trim()),
  )
  return text.split('\n').some((line) => !echoed.has(line.trim()) && shapes.some((mark) => mark.test(line)))
}

/** Every check of the line is silent when content, and all that it would say is shown. */
function isSilent({ families, parts }: CommandShape): boolean {
  return (
    families.length > 0 &&
    families.every((family) => SILENT.test(family)) &&
    parts.every((part, at) => parts[at - 1]?.next !== '|' || SHOWS.has(part.words[0] ?? ''))
  )
}
