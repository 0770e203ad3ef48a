import { plural, someOf } from '../text/count.ts'
import { clipLine, codeSpan } from '../text/safe-text.ts'
import type { Evidence, TextFact, TicketFact } from '../types/evidence.ts'
import type { PlanItem } from '../types/session.ts'

/** Three tickets with four files each are some 120 tokens, a fifth of what Progress may take by default. */
const TICKETS = 3
const NAMES = 4

/** Open items of the agent's plan and of the repository's plan files, with their state and what they wait for. */
export const pendingFacts = (plan: readonly PlanItem[]): TextFact[] =>
  plan
    .filter((item) => item.status === 'pending' || item.status === 'in_progress')
    .map((item) => {
      const started = item.status === 'in_progress' ? ' (in progress)' : ''
      const waits = item.blockedBy?.length ? ` (blocked by: ${item.blockedBy.join(', ')})` : ''
      const where = item.path === undefined ? '' : `, in ${codeSpan(item.path)}`
      return {
        text: `${item.text}${started}${waits}${where}`,
        source: item.path === undefined ? 'transcript' : 'git',
        at: null,
      }
    })

/** How far the repository's plan files are, and what each ticket holds. */
export const workFacts = ({
  planFiles = [],
  tickets = [],
}: Pick<Evidence, 'planFiles' | 'tickets'>): TextFact[] => [
  ...planFiles.map(({ path, done, total }) => gitFact(`${codeSpan(path)}: ${done} of ${total} items done`)),
  ...tickets.slice(0, TICKETS).map((ticket) => gitFact(ticketText(ticket))),
  ...(tickets.length > TICKETS
    ? [
        gitFact(
          `${tickets.length - TICKETS} more tickets: ${tickets
            .slice(TICKETS)
            .map(({ id }) => id)
            .join(', ')}`,
        ),
      ]
    : []),
]

function ticketText({ id, ofBranch, commits, files }: TicketFact): string {
  const branch = ofBranch ? ' (of this branch)' : ''
  if (commits.length === 0) return `Ticket ${id}${branch}: no commit yet`
  const shas = someOf(
    commits.map((sha) => sha.slice(0, 8)),
    NAMES,
  )
  const paths = files.length === 0 ? '' : `; ${plural(files.length, 'file')}: ${someOf(files, NAMES)}`
  return `Ticket ${id}${branch}: ${plural(commits.length, 'commit')}: ${shas}${paths}`
}

const gitFact = (text: string): TextFact => ({ text: clipLine(text, 400), source: 'git', at: null })
