import type { ParsedBrief } from '../brief/parse.ts'
import { plural } from '../text/count.ts'
import { clipLine, escapeAlone, oneLine, unescapeAlone } from '../text/safe-text.ts'
import { decisionText, MAX_TEXT, questionText } from './compare-lines.ts'
import { kindOf, type MemoryKind, memoryItems } from './memory-items.ts'

/** What a handoff tells under one label. Lines are safe in the middle of a line of markdown. */
export interface ReviewPart {
  label: string
  lines: string[]
}

/** Requests of the person that are told: the newest. */
const MAX_REQUESTS = 3
const MAX_REQUEST = 160

/** `maxGoal`: characters of the goal that are told elsewhere. `commits`: how many came after it. */
export function reviewParts(
  parsed: ParsedBrief,
  { maxGoal, commits, isOpen }: { maxGoal: number; commits: number; isOpen: boolean },
): ReviewPart[] {
  const { meta, brief, closed } = parsed
  if (meta.kind === 'done') return [{ label: 'Closed', lines: [say(closed ?? '')] }]
  const noted = notedIn(parsed)
  return [
    {
      label: 'Asked',
      lines: [
        ...(clipLine(meta.goal, maxGoal) === meta.goal ? [] : [say(meta.goal)]),
        ...requests(brief.trail),
      ],
    },
    { label: 'Decided', lines: [...noted('decided'), ...brief.decisions.map(decisionText)] },
    {
      label: 'Verified',
      lines: [
        ...checks(brief.status, commits),
        ...noted('fails').map((line) => `fails: ${line}`),
        ...noted('unproven').map((line) => `not proven: ${line}`),
      ],
    },
    { label: isOpen ? 'Open' : 'Open then', lines: openLines(parsed) },
    { label: 'Tried and dropped', lines: [...noted('dropped'), ...refusals(brief.trail)] },
    {
      label: 'Constraints',
      lines: [...brief.constraints.map(({ text }) => `"${say(text)}"`), ...noted('constraint')],
    },
  ]
}

/** Questions, what is to be done, and the next step. */
export function openLines(parsed: ParsedBrief): string[] {
  const { questions, progress, nextSteps } = parsed.brief
  const noted = notedIn(parsed)
  return [
    ...noted('open'),
    ...questions.map(questionText),
    ...progress.pending.map(({ text }) => `to do: ${say(text)}`),
    ...[...noted('next'), ...nextSteps.map(({ text }) => say(text))].map((line) => `next: ${line}`),
  ]
}

function notedIn(parsed: ParsedBrief): (kind: MemoryKind) => string[] {
  const items = memoryItems(parsed)
  return (kind) => items.filter((item) => kindOf(item) === kind).map(({ text }) => say(text))
}

/** Begins the line of Status that tells the last check. */
const CHECK = 'Last check: '

const checks = (status: readonly string[], commits: number): string[] =>
  status
    .filter((line) => line.startsWith(CHECK))
    .map(
      (line) =>
        oneLine(line.slice(CHECK.length)) +
        (commits === 0 ? '' : `; ${plural(commits, 'commit')} since this handoff`),
    )

/** The items of How it got here are the requests of the person. */
const requests = (trail: readonly string[]): string[] =>
  trail
    .filter((line) => line.startsWith('- "'))
    .slice(-MAX_REQUESTS)
    .map((line) => say(clipLine(unescapeAlone(line.slice(2)), MAX_REQUEST)))

/** Begins what the person refused. */
const REFUSED = '  - Refused by the user: '

const refusals = (trail: readonly string[]): string[] =>
  trail
    .filter((line) => line.startsWith(REFUSED))
    .map((line) => say(unescapeAlone(line.slice(REFUSED.length))))

/** A text that is the only one of its line: its code stays as it is. */
const say = (text: string): string => escapeAlone(clipLine(text, MAX_TEXT))
