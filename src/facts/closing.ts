import { plural } from '../text/count.ts'
import type { Closing, Turn } from '../types/evidence.ts'
import type { GitCommit, GitState } from '../types/git.ts'
import { commandText, isCheck, type Run } from './commands.ts'
import type { FileRecord } from './file-map.ts'
import { isProse, type Resolver } from './paths.ts'
import type { LastSaid } from './turns.ts'

/** Stands below a last message that answers no request. */
export const UNANSWERED = 'The last request came after this message and has no answer yet.'

/** What is known of the time after the last message. */
interface Since {
  records: ReadonlyMap<string, FileRecord>
  resolver: Resolver
  runs: readonly Run[]
  /** Touches of files and runs that were counted when the agent spoke last. */
  said: { clock: number; order: number }
  /** Calls of tools since then. */
  calls: number
  isProposed: boolean
  /** Commits after the session, newest first. */
  commits: readonly GitCommit[]
}

/** The last message with what came after it: a request, edits, the last check, an interrupt, or calls that go on. */
export function closingOf(turns: readonly Turn[], last: LastSaid, since: Since): Closing {
  const { text, at } = last.step
  return { text, at, after: [...afterLines(turns, last, since), ...commitLine(since.commits)] }
}

function afterLines(
  turns: readonly Turn[],
  last: LastSaid,
  { records, resolver, runs, said, calls, isProposed }: Since,
): string[] {
  const steps = turns
    .slice(last.at)
    .flatMap(({ steps: own }, n) => (n === 0 ? own.slice(own.indexOf(last.step)) : own))
  const paths = [...records].flatMap(([key, record]) => {
    const place = record.edits > 0 && record.lastEdit > said.clock ? resolver.touched(key) : { drop: '' }
    return 'drop' in place ? [] : [`\`${place.path}\``]
  })
  const more = paths.length > 3 ? ` and ${paths.length - 3} more` : ''
  const check = runs.findLast(
    ({ kind, order, outcome }) => isCheck(kind) && order > said.order && outcome !== 'unknown',
  )
  const lines = [
    ...(last.at < turns.length - 1 ? [UNANSWERED] : []),
    ...(paths.length === 0 ? [] : [`After it the agent edited ${paths.slice(0, 3).join(', ')}${more}.`]),
    ...(check === undefined
      ? []
      : [`After it ${commandText(check.command)} ${check.outcome === 'ok' ? 'passed' : 'failed'}.`]),
    ...(steps.some(({ kind }) => kind === 'interrupt') ? ['After it the person interrupted the agent.'] : []),
  ]
  if (lines.length > 0 || calls === 0) return lines
  return isProposed
    ? ['After it the agent proposed a plan.']
    : [`The agent was still at work: ${plural(calls, 'tool call')} came after it.`]
}

/** The turns without the last message, which is told by itself. */
export const withoutClosing = (turns: readonly Turn[], { at, step }: LastSaid): Turn[] =>
  turns.map((turn, index) =>
    index === at ? { ...turn, steps: turn.steps.filter((one) => one !== step), isUnderWay: true } : turn,
  )

/** Commits of code that somebody made after a time, newest first; none after one that is not known. */
export const commitsAfter = (git: GitState | null, time: string | null): GitCommit[] =>
  (git?.commits ?? []).filter(
    ({ at, files }) =>
      time !== null && Date.parse(at) > Date.parse(time) && files.some((path) => !isProse(path)),
  )

const commitLine = ([newest, ...more]: readonly GitCommit[]): string[] =>
  newest === undefined
    ? []
    : [
        `After the session came ${more.length === 0 ? 'a commit' : `${more.length + 1} commits, the last`}: \`${newest.sha.slice(0, 8)}\` ${newest.subject.slice(0, 120)}`,
      ]
