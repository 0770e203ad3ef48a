import { contentWords, cutAtWord, folded } from '../text/blocks.ts'
import { codeSpan } from '../text/safe-text.ts'
import type { CheckFact, CommandFact, Evidence, QuestionFact } from '../types/evidence.ts'
import type { SessionEvent } from '../types/session.ts'
import { type Root, relative } from './paths.ts'
import { useOf, withoutHeredocs, withoutWrappers } from './shell.ts'

type Result = Extract<SessionEvent, { kind: 'result' }>

/** The last run of one command line in one directory. */
export interface Run extends Pick<CommandFact, 'command' | 'kind' | 'outcome' | 'exitCode' | 'runs' | 'at'> {
  /** As recorded. */
  cwd: string | null
  firstError: string | null
  by: 'agent' | 'user'
  /** Counted through the session: of the run, and of the newest edit before it. */
  order: number
  edit: number
}

/** Command lines remembered; longer ones were written for one moment. */
const MAX_RUNS = 3_000
const MAX_COMMAND = 160
const MAX_LINE = 2_000
/** Characters of an error that is told. */
const MAX_ERROR = 200

/** Keeps the last run of each command line. Lines that only look around are not kept. */
export function createCommandMap() {
  const runs = new Map<string, Run>()
  let [order, heard] = [0, 0]
  return {
    ran(whole: string, { cwd, by, edit }: Pick<Run, 'cwd' | 'by' | 'edit'>, result: Result) {
      const bare = withoutHeredocs(whole)
      // A longer line is a script, written for one moment.
      if (bare.length > MAX_LINE) return
      const line = bare.replace(/(?:\\\n|[^\S\n])+/g, ' ')
      const outcome = outcomeOf(line, result)
      for (const command of essenceOf(line, outcome.outcome === 'ok' && !/[|;]/.test(line))) {
        const kind = kindOf(command)
        // What reads a document from its line was written for one moment.
        if (kind === null || (bare !== whole && !isCheck(kind))) continue
        const key = `${cwd ?? ''}\0${command}`
        const held = runs.get(key)
        runs.delete(key)
        runs.set(key, {
          ...{ command, cwd, kind, by, edit, at: result.at, ...outcome },
          ...{ runs: (held?.runs ?? 0) + 1, order: ++order },
        })
      }
      if (runs.size > MAX_RUNS) runs.delete(runs.keys().next().value ?? '')
    },
    get order(): number {
      return order
    },
    /** The agent's next words prove what an output did not tell. */
    hear(text: string) {
      const isProven = PROOF.test(text) && !FAILS.test(text)
      for (const run of isProven ? runs.values() : [])
        if (run.order > heard && run.outcome === 'unknown') run.outcome = 'ok'
      heard = order
    },
    all: (): Run[] => [...runs.values()],
  }
}

const PROOF =
  /\b(?:tests?|lint|types?|checks?|builds?|all|everything)\b[^.\n]{0,40}\b(?:pass(?:e[sd])?|green|clean|succeed(?:s|ed)?)\b/i

/** The parts of a line between `&&`, `;` and line ends. */
const PART = /(?:'[^']*'|"(?:\\.|[^"\\])*"|(?<!&)&(?!&)|[^'"&;\n]|['"])+/g
const LOOPS = new Set('for while until if case do then else done fi #'.split(' '))
const SETS = /^(?:cd|export|source|set|\.) |^\w+=\S*$/

/** The checks of a line without what stood beside them and what was done with their output, each by itself if it passed; other lines as they are. */
function essenceOf(line: string, passed: boolean): string[] {
  const parts = [...line.matchAll(PART)].map(([part]) => part.trim()).filter((part) => part !== '')
  if (parts.some((part) => LOOPS.has(part.split(' ', 1)[0] ?? ''))) return [withoutPlumbing(line)]
  const plain = parts.map(withoutPlumbing)
  const isDone = (part: string): boolean => isCheck(kindOf(part) ?? 'other')
  if (!plain.some(isDone)) return [withoutPlumbing(line)]
  const kept = plain.filter((part) => isDone(part) || SETS.test(part))
  if (!passed) return [kept.join(' && ')]
  const sets = kept.filter((part) => SETS.test(part))
  return kept.flatMap((part) => (sets.includes(part) ? [] : [...sets, part].join(' && ')))
}

export const isCheck = (kind: CommandFact['kind']): boolean =>
  kind === 'test' || kind === 'build' || kind === 'lint'

/** The same command, whatever was done with its output and its status: `npm test 2>&1 | tail -5; exit $?` is `npm test`. */
export const withoutPlumbing = (command: string): string =>
  command
    .replace(/; *(?:exit|echo) [^|&;\n]*\$(?:\?|\{?PIPESTATUS)[^|&;\n]*$/, '')
    .replace(/(?: *\| *(?:head|tail|cat|tee|grep)\b(?:"[^"\n]*"|'[^'\n]*'|[^|&;\n"'])*)+$/, '')
    .replace(/ *2>(?:&1|\/dev\/null)/g, '')
    .trim()

const KINDS: readonly (readonly [RegExp, CommandFact['kind']])[] = [
  [/^(?:git|gh|glab|curl)\b/, 'git'],
  [
    /\b(?:tests?|vitest|jest|pytest|mocha|playwright|rspec|ctest|phpunit|unittest|spec|e2e|bats|nextest)\b|--test\b/,
    'test',
  ],
  [
    /lint\b|\b(?:biome|ruff|mypy|pyright|tsc|clippy|prettier|gofmt|fmt|format|typecheck|type-check|check|vet|fix|validate|hk|pre-commit)\b/,
    'lint',
  ],
  [/\b(?:build|compile|make|webpack|rollup|esbuild|cmake|gradle|mvn|generate)\b/, 'build'],
  [/\b(?:deploy|publish|wrangler|terraform|kubectl|rollout)\b/, 'deploy'],
  [/\b(?:install|npm ci|uv sync|mod tidy)\b/, 'install'],
  [
    /^(?:node|python3?|ruby|go run|cargo run|deno|bun|npm (?:run|start)|pnpm|yarn|docker|mise run|\.\/)/,
    'run',
  ],
]

/** What a command line is for; null where it only looks around, holds a script, or goes on over several lines. */
export function kindOf(line: string): CommandFact['kind'] | null {
  const command = withoutWrappers(line.replace(LEADING_CD, '').split(' ')).join(' ')
  if (command.length > MAX_COMMAND || /\n|<<| -[ec] /.test(command) || useOf(command.split(' ')) !== null)
    return null
  const plain = command.replace(PROSE, '""')
  // What stands behind is told apart from a path: `test/a.ts` is an argument.
  const [first = ''] = plain.split(/ && | ; |; /)
  const words = first.replace(/\S*\/\S*/g, (path) => (path === first.split(' ', 1)[0] ? path : ''))
  return (
    KINDS.find(([shape]) => shape.test(words))?.[1] ??
    KINDS.find(([shape]) => shape.test(plain))?.[1] ??
    'other'
  )
}
/** A quoted argument of several words, which is no script: a reason, a message. */
const PROSE = /(?<! -\w*c )(?:"[^"]* [^"]* [^"]*"|'[^']* [^']* [^']*')/g

/** What a summary, or the program that runs a script, says outweighs what a test prints on its way. */
const FAILS =
  /\b[1-9]\d* (?:fail(?:ed|ing|ures?)?|errors?)\b|^not ok\b|^(?:--- )?FAIL\b|\b(?:exited with code|with exit code|npm ERR! code) [1-9]/im
const PASSES =
  /\b[1-9]\d* (?:tests? )?pass(?:ed|ing)?\b|^ok\s|^PASS\b|\b(?:0|no) (?:errors|failures|issues|problems|fixes)\b|^OK\b|[✓✔]|\bsuccessful(?:ly)?\b|\bis valid\b/im
/** Whatever ended before it, the line ends well. */
const NEVER_FAILS = /\|\| *(?:echo|printf|true|:)(?:\s+["']?([^"'\n;|&]*)|$)/
/** Nothing ran: the program or its part is not known here, and no edit of a file mends that. */
const NEVER_RAN =
  /\bcommand not found\b|: not found$|\bunrecognized (?:sub)?command\b|\bNo module named [\w.]+$/m
const TELLS_FAILURE =
  /\b(?:[A-Z]\w+)?error(?:\[\w+\]| TS\d+)?:|^(?:Error\b|fatal: |failed to |could not |unable to )|[✗✖❌]/imu
const TELLS_ERROR = /error|fail|expected|not ok|✗|✕|✖|assert|panic|exception/i
const RUNS_ON =
  /^(?:Command (?:is )?running in (?:the )?background|Process running with session ID|Running in background)/im

/** The exit status, unless a pipe or the client hides it: then what the output says. */
function outcomeOf(line: string, result: Result): Pick<Run, 'outcome' | 'exitCode' | 'firstError'> {
  const { text } = result
  if (RUNS_ON.test(text)) return { outcome: 'unknown', exitCode: null, firstError: null }
  const failed = !result.ok || (result.exitCode ?? 0) !== 0
  const [isNeverFailing, echoed = ''] = NEVER_FAILS.exec(line) ?? []
  const isHidden =
    /\||;/.test(line.replaceAll('||', '')) || isNeverFailing !== undefined || result.unsure === true
  const outcome = isHidden
    ? (saidIn(echoed === '' ? text : text.replace(echoed, '')) ?? (failed ? 'failed' : 'unknown'))
    : failed
      ? 'failed'
      : 'ok'
  const exitCode = isHidden || !Number.isSafeInteger(result.exitCode) ? null : result.exitCode
  return { outcome, exitCode, firstError: outcome === 'failed' ? firstErrorOf(text) : null }
}

/** How a run ended by the words of its output; null where they do not say. */
function saidIn(text: string): 'failed' | 'ok' | null {
  if (FAILS.test(text)) return 'failed'
  const lines = text.split('\n')
  const passed = lines.findLastIndex((line) => PASSES.test(line))
  // A test that passed before the program broke down proves nothing.
  const failed = lines.findLastIndex((line) => TELLS_FAILURE.test(line) || NEVER_RAN.test(line))
  return failed > passed ? 'failed' : passed >= 0 ? 'ok' : null
}

/** The first line of an output that tells of an error, else its first line. */
function firstErrorOf(text: string): string | null {
  const lines = text.split('\n').flatMap((line) => folded(line) || [])
  const told = lines.filter(
    (line) => !/^(?:Exit code:? \d+|TAP version \d+|[>$] .*|Error: Exit code \d+|={3,} .*)$/i.test(line),
  )
  const found = told.find((line) => TELLS_ERROR.test(line) && !/\b0 (?:errors?|failed|fail)\b/i.test(line))
  const line = found ?? told[0]
  return line === undefined ? null : cutAtWord(line, MAX_ERROR)
}

/** Checks whose last run failed, that no edit came after and no check of their kind, and no part of their line, passed since. */
export const failingChecks = (runs: readonly Run[], lastEdit: number): Run[] =>
  runs.filter(
    (run) =>
      isCheck(run.kind) &&
      run.outcome === 'failed' &&
      run.edit >= lastEdit &&
      !NEVER_RAN.test(run.firstError ?? '') &&
      !runs.some(
        ({ kind, order, outcome, command }) =>
          order > run.order &&
          outcome === 'ok' &&
          (kind === run.kind || run.command.split(' && ').some((part) => command.includes(part))),
      ),
  )

/** The last check that came to an end; `lastEdit`: the newest edit of code. */
export function lastCheckOf(
  runs: readonly Run[],
  lastEdit: number,
  roots: readonly Root[],
): CheckFact | null {
  const run = runs.findLast(({ kind, outcome }) => isCheck(kind) && outcome !== 'unknown')
  if (run === undefined) return null
  const { outcome, exitCode, firstError, at } = run
  const command = portable(run, roots)
  return { command, outcome, exitCode, firstError, at, ...(run.edit < lastEdit ? { stale: true } : {}) }
}

/** The command without the folder of the recorded checkout. */
const portable = ({ command, cwd }: Run, roots: readonly Root[]): string =>
  placeOf(command, cwd, roots)?.command ?? command

export const checksOf = (runs: readonly Run[]): Evidence['checks'] =>
  runs.filter(({ kind }) => isCheck(kind)).map(({ command, kind, outcome }) => ({ command, kind, outcome }))

export function failingQuestions(failing: readonly Run[], roots: readonly Root[]): QuestionFact[] {
  return failing.map((run) => {
    const { exitCode, firstError, at, cwd } = run
    const folder = placeOf(run.command, cwd, roots)?.cwd ?? null
    const where = folder === null ? '' : ` in \`${folder}\``
    const status = exitCode === null ? '' : ` (exit ${exitCode})`
    const error = firstError === null ? '' : `: ${firstError}`
    return {
      kind: 'failing',
      text: `${commandText(portable(run, roots))} failed${where}${status}${error}`,
      source: 'transcript',
      at,
    }
  })
}

/** The command that a failing item is about, as `failingQuestions` wrote it; null for other items. */
export const commandOfFailing = (text: string): string | null =>
  /^(`+)\s?(.+?)\s?\1 failed/.exec(text)?.[2] ?? null

/**
 * Two per kind: first what asks of a service by words of the goal, the newest first, then checks, what ran most often first: those that worked, checks
 * that failed, and what ran twice where its end is not known.
 */
export function commandFacts(
  runs: readonly Run[],
  lastEdit: number,
  roots: readonly Root[],
  goal: string,
): CommandFact[] {
  const counts = new Map<string, number>()
  const named = (text: string): string[] => [...contentWords(text), ...(text.match(/\d+/g) ?? [])]
  const others = runs.filter(
    ({ command, kind, outcome }) => kind === 'git' && !command.startsWith('git ') && outcome !== 'failed',
  )
  const words = new Set(others.length === 0 ? [] : named(goal))
  const asked = others.filter(({ command }) => named(command).some((word) => words.has(word)))
  const told = asked.reverse().map((run): Run => ({ ...run, kind: 'other' }))
  return [...told, ...checksFirst(runs)].flatMap((run): CommandFact[] => {
    const { kind, by, at } = run
    const place = placeOf(run.command, run.cwd, roots)
    const count = counts.get(kind) ?? 0
    if (place === null || ELSEWHERE.test(place.command) || count >= MAX_OF_KIND) return []
    const bare = [kind, place.cwd, place.command.replace(FLAG, '')].join(' ')
    if (counts.has(bare)) return []
    counts.set(kind, count + 1).set(bare, 1)
    const { outcome, exitCode } = kind === 'other' ? { outcome: 'unknown' as const, exitCode: null } : run
    const stale = isCheck(kind) && outcome !== 'unknown' && run.edit < lastEdit
    const source = by === 'user' ? 'user' : 'transcript'
    return [{ ...place, outcome, exitCode, ...(stale ? { stale } : {}), kind, runs: run.runs, source, at }]
  })
}
const checksFirst = (runs: readonly Run[]): Run[] =>
  [...runs]
    .filter(({ kind, firstError }) => kind !== 'git' && kind !== 'other' && !NEVER_RAN.test(firstError ?? ''))
    .filter(
      ({ kind, outcome, runs: n }) => outcome === 'ok' || (outcome === 'unknown' ? n > 1 : isCheck(kind)),
    )
    .sort((a, b) => Number(isCheck(b.kind)) - Number(isCheck(a.kind)) || b.runs - a.runs || b.order - a.order)
const MAX_OF_KIND = 2
/** An option with its value: two lines that differ in such alone are one command. */
const FLAG = / -{1,2}[a-z][\w-]*(?:[= ](?:"[^"]*"|'[^']*'|[A-Z^\d][\w.:^$|]*))?/g
/** A path of the machine that the session ran on. */
const ELSEWHERE = /(?:^|[\s"'=])(?:~|\/[\w.-]+)\//

/** The first line of a command as inline code. */
export function commandText(command: string): string {
  const [first = '', ...more] = command.trim().split('\n')
  return codeSpan(more.length > 0 ? `${first.trim()} […]` : first.trim())
}

/** Begins the risk of a session that the agent's own failure ended; it is over once another session works. */
export const SESSION_FAILED = 'The session ended with a failure of the agent: '

export const riskOf = (text: string, at: string | null): QuestionFact => ({
  kind: 'risk',
  text: `${SESSION_FAILED}${folded(text)}`,
  source: 'transcript',
  at,
})

const FAILED_EARLIER = 'Failed earlier, not run whole since: '

/** A failing check of an earlier brief, once files changed: whether it fails now is not known. */
export function asEarlier(fact: QuestionFact): QuestionFact {
  const command = fact.kind === 'failing' ? commandOfFailing(fact.text) : null
  return command === null ? fact : { ...fact, kind: 'risk', text: FAILED_EARLIER + commandText(command) }
}

/** The command of an item that `asEarlier` wrote; null for other items. */
export const commandOfEarlier = (text: string): string | null =>
  text.startsWith(FAILED_EARLIER) ? (/: (`+)\s?(.+?)\s?\1$/.exec(text)?.[2] ?? null) : null

export const LEADING_CD = /^\s*cd\s+(?:"([^"]+)"|'([^']+)'|([^\s;&|]+))\s*(?:&&|;|\n)\s*/

/**
 * Where a command ran, relative to the repository, and the command without a leading `cd` into the recorded checkout; null when
 * it ran elsewhere.
 */
export function placeOf(
  run: string,
  cwd: string | null,
  roots: readonly Root[],
): { command: string; cwd: string | null } | null {
  const cd = run.includes('cd') ? LEADING_CD.exec(run) : null
  const to = cd?.[1] ?? cd?.[2] ?? cd?.[3]
  if (cd && to?.startsWith('/')) {
    const inside = relative(to.replace(/(?<=.)\/$/, ''), roots)
    if (inside !== null) return { command: run.slice(cd[0].length), cwd: inside || null }
    return roots.length > 0 ? null : { command: run, cwd: null }
  }
  if (cwd === null || !cwd.startsWith('/')) return { command: run, cwd: null }
  const inside = relative(cwd, roots)
  return inside === null ? null : { command: run, cwd: inside || null }
}
