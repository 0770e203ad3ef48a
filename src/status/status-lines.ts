import { labelOf } from '../agents/table.ts'
import { commitCommand } from '../brief/goal.ts'
import { goalLine, parkedLine, trustLine } from '../brief/prompt.ts'
import { UNTRUSTED } from '../briefs/trusted-among.ts'
import type { Screen } from '../output/output.ts'
import { age } from '../session/session-list.ts'
import { plural } from '../text/count.ts'
import { type Painted, paint, type Span, wordSpans, wrapRow } from '../text/rows.ts'
import { clipLine, oneLine } from '../text/safe-text.ts'
import type { Status } from './read-status.ts'
import { fill, type Here, hereLines } from './status-here.ts'

/** Lines of each kind, so that all of it stays on one screen; `--json` has every one. */
const MOST = 4

/** What stands open here and what is there to go on with, one line each; lines that begin with two spaces belong to the one above. */
export function statusLines(
  { brief, landed, uncommitted, parked, requests, sessions, nudges }: Status,
  taken: Status['brief'],
  pastRetention: number,
  here: Here,
): string[] {
  const open = sessions.filter(({ endedAt }) => endedAt === null)
  return [
    ...(brief === null
      ? taken === null
        ? ['No brief is open here. Make one: `git handoff create "<goal>"`']
        : takenLines(taken)
      : briefLines(brief)),
    ...landed.map(({ id, goal }) => `Landed: ${id}  ${goalLine(goal)}`),
    ...(uncommitted.length === 0
      ? []
      : [`Not committed: ${plural(uncommitted.length, 'brief')}; \`${commitCommand(uncommitted)}\``]),
    ...(pastRetention === 0
      ? []
      : [`${plural(pastRetention, 'brief')} past retention; git handoff prune takes them out of the tree`]),
    ...few(parked.map((one) => `Parked: ${parkedLine(one)}`)),
    ...few(
      requests.map(({ requestId, state, agent }) => `Request ${requestId}: ${state}, ${labelOf(agent)}`),
    ),
    ...few(
      open.map(
        ({ agent, sessionId, ageSeconds, fullness, event }) =>
          `Session ${sessionId}: ${labelOf(agent)}, ${event} ${age(ageSeconds)} ago${fill(fullness)}`,
      ),
    ),
    ...hereLines(here, (id) => open.slice(0, MOST).some(({ sessionId }) => sessionId === id)),
    ...few(
      nudges.map(
        ({ agent, sessionId, pct }, at) =>
          `Nudge ${at + 1}: ${labelOf(agent)} ${sessionId} is ${pct} % full (git handoff status --dismiss ${at + 1})`,
      ),
    ),
  ]
}

export const briefLines = ({
  id,
  goal,
  open,
  drift,
  pickUp,
  trusted,
  because,
  isOfOrigin,
  beside,
  author,
  agent,
  age,
}: NonNullable<Status['brief']>): string[] => [
  `${open ? 'Open brief' : 'Closed'}: ${id}  ${goalLine(goal)}`,
  ...(open ? [`  ${byWords(author, agent)}, ${age} ago`] : []),
  ...(open && drift !== null ? [`  ${drift}`] : []),
  ...(open && pickUp !== null ? [`  ${capital(pickUp.words)}`] : []),
  ...(!open || trusted
    ? []
    : [`  Not trusted, so no agent sees it: ${because}. ${trustLine(id, isOfOrigin)}`]),
  ...beside.map((line) => `  ${line}`),
]

/** Characters of what an agent or a person is called. */
const NAME = 60

function byWords(author: string | null, agent: string): string {
  const who = author === null ? '' : clipLine(author, NAME)
  if (agent === UNTRUSTED) return 'By an agent'
  if (agent === 'git') return author === null ? 'From git alone' : `By ${who}, from git alone`
  return `By ${who}${author === null ? '' : ' with '}${clipLine(agent, NAME)}`
}

/** What stands where no brief is told, since a session in another worktree has the one of the branch that this one grew from. */
export const takenLines = ({ id, goal, branch, trusted, pickUp }: NonNullable<Status['brief']>): string[] => [
  `No brief is open here; one of ${branch === null ? 'another branch' : oneLine(branch)} is taken: ${id}${trusted ? `  ${goalLine(goal)}` : ''}`,
  ...(pickUp === null ? [] : [`  ${capital(pickUp.words)}`]),
]

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

const few = (lines: readonly string[]): readonly string[] =>
  lines.length <= MOST
    ? lines
    : [...lines.slice(0, MOST - 1), `  and ${lines.length - MOST + 1} more; handoff status --json has all`]

/** Lines for a terminal: what each is about stands out, and what does not fit is set in below it. */
export const drawLines = (lines: readonly string[], { columns, color }: Screen): Painted =>
  paint(
    lines.flatMap((line) =>
      wrapRow(spansOf(line), columns, line.startsWith('  ') ? [{ text: '  ' }] : [], 2),
    ),
    color,
  )

/** The words before the first colon, but for what comes with them, as an id. */
function spansOf(line: string): Span[] {
  if (line.startsWith('  ')) return wordSpans(line.trimStart())
  const label = /^[A-Z][a-z]+(?: [a-z]+)*(?=(?: \S+)?:)/.exec(line)?.[0] ?? ''
  return [{ text: label, is: 'strong' }, ...wordSpans(line.slice(label.length))]
}
