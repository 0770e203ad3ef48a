import type { FileEvidence } from '../types.ts'
import type { Candidate } from './file-facts.ts'
import { shorten } from './prose.ts'

/** Clauses in one reason. */
const MAX_CLAUSES = 3

/** Kinds of evidence, strongest first, and one clause that says why the file is listed. */
export function describeFile(candidate: Candidate): { evidence: FileEvidence[]; reason: string } {
  const evidence: FileEvidence[] = []
  const clauses: string[] = []
  const add = (kind: FileEvidence, clause: string | null) => {
    evidence.push(kind)
    if (clause !== null) clauses.push(clause)
  }
  const { record, change } = candidate
  const edits = record?.edits ?? 0
  const isDeleted = change?.state === 'deleted' || (record?.deleted === true && !candidate.here)
  const undone = undoneClause(candidate)
  const isPlanned = candidate.wanted !== null && !candidate.here && !record
  if (candidate.goal) add('goal', `named in the goal${isPlanned ? ', to be made' : ''}`)
  else if (candidate.testOf !== null) clauses.push(`test of ${candidate.testOf}, which the goal names`)
  if (undone !== null) clauses.push(undone)
  if (change) clauses.push(changeClause(candidate))
  if (edits > 0) {
    const who = record?.sub ? ' by a subagent' : ''
    add(
      'edited',
      record?.created && edits === 1
        ? `created${who}`
        : `${record?.created ? 'created, ' : ''}edited ${times(edits)}${who}`,
    )
  }
  if (record?.created && edits > 0) evidence.push('created')
  if (isDeleted) add('deleted', change ? null : 'deleted')
  if (candidate.renamedFrom !== null) add('renamed', change ? null : `renamed from ${candidate.renamedFrom}`)
  if (change) evidence.push('uncommitted')
  if (candidate.commits > 0)
    add('committed', `in ${candidate.commits === 1 ? '1 commit' : `${candidate.commits} commits`} since base`)
  if (candidate.failing) add('failing', 'named in the last failing check')
  const isKnown = candidate.goal || candidate.testOf !== null || candidate.called || candidate.tied
  if (!isKnown && candidate.goalWords.length > 0) clauses.push(goalClause(candidate.goalWords))
  if (candidate.called && !candidate.goal) clauses.push('called by its name in the goal')
  if (candidate.inLastReply) clauses.push('named in the last reply')
  if (candidate.step !== null && !isPlanned) add('planned', stepClause(candidate.step))
  else if (candidate.meantBy !== null) clauses.push(stepClause(candidate.meantBy))
  if (isPlanned) add('planned', candidate.goal ? null : `to be made: ${WANTED[candidate.wanted ?? 'goal']}`)
  if (clauses.length === 0 && candidate.inSummary) clauses.push('named in the last summary')
  if (candidate.tied) add('together', tieClause(candidate))
  else if (clauses.length === 0 && candidate.tie !== null) clauses.push(tieClause(candidate))
  if (record && record.reads > 0)
    add('read', edits > 0 && clauses.length > 1 ? null : `read ${times(record.reads)}`)
  if (record && record.searches > 0) add('searched', clauses.length > 0 ? null : 'searched')
  if (record && record.commands > 0)
    add(
      'command',
      clauses.length > 0
        ? null
        : `used in ${record.commands === 1 ? 'a command' : `${record.commands} commands`}`,
    )
  if (candidate.namedByUser > 0)
    add(
      'named',
      candidate.goal || clauses.length > 1
        ? null
        : `named by the user${candidate.namedByUser > 1 ? ` ${times(candidate.namedByUser)}` : ''}`,
    )
  else if (candidate.namedByAgent > 0 || candidate.inLastReply)
    add('named', clauses.length > 0 ? null : `named by the agent ${times(candidate.namedByAgent)}`)
  if (clauses.length === 0 && record?.deleted) clauses.push('deleted in the session, here again')
  if (clauses.length === 0) clauses.push('touched in the session')
  // A call that came to nothing still named the file.
  if (evidence.length === 0) evidence.push('named')
  return { evidence, reason: [...new Set(clauses)].slice(0, MAX_CLAUSES).join('; ') }
}

const WANTED = { goal: 'named in the goal', user: 'asked for by the user', plan: 'in the plan' } as const

function changeClause(candidate: Candidate): string {
  const { change } = candidate
  if (change === null) return ''
  if (change.state === 'untracked') return 'untracked'
  if (change.state === 'conflicted') return 'in conflict'
  if (change.state === 'deleted') return 'deleted, uncommitted'
  if (change.state === 'renamed' && candidate.renamedFrom !== null)
    return `renamed from ${candidate.renamedFrom}, uncommitted`
  return change.staged && !change.unstaged ? 'staged' : 'uncommitted'
}

/** Edits that came to nothing are said, lest they be taken for progress. */
function undoneClause({ record, change }: Candidate): string | null {
  if (!record || record.edits > 0 || change) return null
  if (record.stashed > 0) return 'edited, then stashed'
  if (record.reverted > 0) return 'edited, then reverted'
  if (record.refused > 0) return 'an edit was refused by the user'
  return record.failed > 0 ? 'an edit was tried and failed' : null
}

/** The words that stand in the path and in the goal alike, at most two. */
const goalClause = (words: readonly string[]) => `fits the goal by name: ${words.slice(0, 2).join(', ')}`

/** Characters of a plan step: it stands in full under Next Steps. */
const MAX_STEP = 60

const stepClause = (step: string) =>
  `in an open plan step: ${shorten(step.replace(/\s+/g, ' ').trim(), MAX_STEP)}`

function tieClause({ tie }: Candidate): string {
  if (tie === null) return ''
  return `changed together with ${tie.path} in ${tie.together} of ${tie.changes} commits`
}

const times = (count: number) => (count === 1 ? 'once' : `${count} times`)
