import { agentOf, type Carried, withoutTold } from '../brief/carry.ts'
import { type Claim, verifyNotes, wordsOfUser } from '../brief/claims.ts'
import type { Invocation } from '../command.ts'
import { nothingToHandOff, sessionNotUnderstood } from '../errors/session.ts'
import { emptyBrief } from '../errors/writing.ts'
import { commitsAfter } from '../facts/turns.ts'
import { handDown, type Inherited } from '../life/hand-down.ts'
import { lookUp } from '../session/look-up.ts'
import { pinnedRules } from '../store/rules.ts'
import { squash } from '../text/blocks.ts'
import { isQuoted, ruleNamed, takenBackIn } from '../text/taken-back.ts'
import type { FrontMatter, Notes } from '../types/brief.ts'
import type { DecisionFact, Evidence } from '../types/evidence.ts'
import type { Input } from './gather.ts'

/** What the input tells, as a brief may tell it. */
export interface Facts {
  evidence: Evidence
  /** The same without what goes on of the brief before. */
  own: Evidence
  /** What is taken over of the brief that is made anew; null for every other. */
  carried: Carried | null
  /** The notes, each claim marked that does not hold. */
  notes: Notes | null
  isChecked: boolean
  claims: Claim[]
  /** Who was asked for the page afterwards. */
  extraction: FrontMatter['extraction']
}

/** Fewest prompts and replies worth handing over. */
const MIN_MESSAGES = 2

/** Digests the input, without secrets and homes. Throws `nothingToHandOff`, `sessionNotUnderstood`, `emptyBrief`. */
export async function factsOf({ place }: Invocation, input: Input): Promise<Facts> {
  const { request, picked, session, scanner, hide, notes, git } = input
  const told = session.digest.finish({
    pinned: await pinnedRules(input.workspace.repo, git?.branch ?? null, input.current, request.goal),
    ...{ git: input.told, goal: request.goal, focus: request.focus },
    agent: picked && { id: picked.adapter.id, label: picked.adapter.label, cut: picked.cut },
    sessionId: input.behind?.id ?? null,
    config: input.config,
    skipped: session.skipped,
  })
  const own = hide((await scanner.redact(told)).value)
  if (picked !== null && own.messages < MIN_MESSAGES)
    throw session.skipped.unknown !== undefined
      ? sessionNotUnderstood(picked.ref.path, 'The')
      : nothingToHandOff()
  // What the person says, or is about to write in the editor, is something to hand over.
  const isAlone = notes.notes === null && input.inherited === null && request.focus === null && !request.edit
  const isNew = git === null || (git.head === null && git.changes.length === 0)
  if (isAlone && isNew && picked === null) throw emptyBrief()
  return { own, extraction: { mode: 'none', attempts: 0 }, ...(await onPage(place, input, own)) }
}

/** What the page changes: what is handed down, and the page itself, checked. */
export async function onPage(
  place: Invocation['place'],
  input: Input,
  own: Evidence,
): Promise<Omit<Facts, 'own' | 'extraction'>> {
  const { value: goal } = await input.scanner.redact(input.request.goal)
  const taken = takenOver(input, own, goal)
  return { ...taken, ...(await checkedNotes(place, input, taken.evidence)) }
}

/**
 * With the session everything is told by it again, and of the old brief only what the session does not tell is taken over: notes, what a
 * person wrote into it, what came from briefs before. Its demands and questions are inherited, so that the session may have taken them
 * back or answered them. Without the session everything is taken over.
 */
function takenOver(input: Input, told: Evidence, next: string): Pick<Facts, 'evidence' | 'carried'> {
  const { resumed, resumes, picked, inherited } = input
  if (resumed === null || resumes === null)
    return { evidence: withInherited(input, told, inherited, next), carried: null }
  const { meta } = resumes.parsed
  if (picked === null) {
    const carried = { ...resumed.carried, isAll: true }
    return { evidence: { ...told, agent: agentOf(meta) }, carried }
  }
  const rest = withoutTold({ ...resumed.carried, isAll: false }, told)
  const { constraints, questions, pending } = rest
  const evidence = withInherited(input, told, { ...meta, constraints, questions, pending }, next)
  return { evidence, carried: { ...rest, constraints: [], questions: [], pending: [] } }
}

/** The evidence with what goes on of the brief before. */
function withInherited(
  { told: git, isOwn, notes: { notes } }: Input,
  evidence: Evidence,
  inherited: Inherited | null,
  next: string,
): Evidence {
  const commits = commitsAfter(git, inherited?.createdAt ?? null)
  const heard = {
    ...evidence.heard,
    checks: evidence.checks,
    changed: [...evidence.heard.changed, ...commits.flatMap(({ files }) => files)],
    commits: commits.map(({ subject }) => subject),
  }
  // What nobody trusts takes no rule back.
  const taken = isOwn && notes !== null ? takenBackIn(notes.page) : []
  const { decisions, ...down } = handDown(inherited, evidence, heard, next, taken)
  // What answers or takes back is told with what it does, and not a second time as what was said.
  const isTold = ({ what }: DecisionFact): boolean =>
    decisions.some((one) => squash(one.what).startsWith(squash(what)))
  const said = heard.said.map(squash)
  const choices = evidence.decisions.map((one) => ({ ...one, text: one.what }))
  const ended = taken.flatMap(({ rule, quote }) =>
    isQuoted(quote, said) ? (ruleNamed(rule, choices)?.what ?? []) : [],
  )
  const others = evidence.decisions.filter((one) => !isTold(one) && !ended.includes(one.what))
  return { ...evidence, ...down, decisions: [...others, ...decisions] }
}

/**
 * The page held against session and repository. What git says counts where the session worked in this repository. One that stands in the
 * brief that is made anew was checked for that.
 */
async function checkedNotes(
  place: Invocation['place'],
  { notes: { notes, isChecked = false }, told, picked, hide, git, request, resumes, workspace }: Input,
  evidence: Evidence,
): Promise<Pick<Facts, 'notes' | 'isChecked' | 'claims'>> {
  if (notes === null || resumes !== null)
    return { notes: notes === null ? null : hide(notes), isChecked, claims: [] }
  const unseen = await lookUp(notes, request.goal, { picked, place, git, repo: workspace.repo })
  // The rule may stand in a brief before.
  for (const { rule } of takenBackIn(notes.page)) unseen.delete(rule)
  const isHere = picked === null || picked.isOurs
  const said = picked === null ? null : wordsOfUser(evidence, request.goal)
  const stands = (rule: string): boolean => ruleNamed(rule, evidence.constraints) !== undefined
  const known = { unseen, git: isHere ? told : null, checks: evidence.checks, said, stands }
  return { ...hide(verifyNotes(notes, known)), isChecked: true }
}
