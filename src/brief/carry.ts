import { oneLine } from '../text/safe-text.ts'
import type { Brief } from '../types/brief.ts'
import type { FileTruth } from '../types/checks.ts'
import type { AgentFacts, CommandFact, Evidence, FileFact, QuestionFact } from '../types/evidence.ts'
import type { ParsedBrief } from './parse.ts'
import { fromText, type Origin } from './sections.ts'
import { changesListed } from './status.ts'

/** Digits of the commit in a label: enough to name it, three tokens. */
const HEAD = 8

type CarriedLists = Pick<Evidence, 'constraints' | 'information' | 'decisions' | 'questions' | 'commands'>

/** What a resumed brief takes over from the one it was made from, every item with the id and head of that one. */
export interface Carried
  extends CarriedLists,
    Pick<Evidence, 'limitations'>,
    Pick<Brief, 'files' | 'nextSteps' | 'status' | 'closing' | 'trail' | 'cuts'>,
    Pick<Brief['progress'], 'inProgress' | 'pending'> {
  /** There is no session: this is the whole half that one would have told. */
  isAll: boolean
}

/** Status lines that come from a session and not from git. */
const TOLD = /^(?:Last (?:check|request|outcome)|Named last): |^The session /
/** The others are about git, and are found again where they still hold. */
const OF_SESSION = /\bsession\b|\btranscript\b|outside the repository/
const CUT: readonly string[] = ['constraints', 'information', 'decisions', 'files', 'commands', 'questions']
const TOLD_BY = /^Told by \S+:$/

/**
 * Everything of a brief but its git half, each item labelled with where it comes from; one that came from an earlier brief
 * keeps that label. Files are looked up again in `truth`: renamed ones get their new name, gone ones a mark.
 */
export function carryFrom(
  { meta, brief }: ParsedBrief,
  truth: { files: readonly FileTruth[] },
): Omit<Carried, 'isAll'> {
  const origin = originFrom(meta)
  const label = <T extends Origin>(fact: T): T => (fact.from === undefined ? { ...fact, ...origin } : fact)
  const ofSession = <T extends Origin & { source: string }>(facts: readonly T[]): T[] =>
    facts.filter(({ source }) => source !== 'git').map(label)
  const states = new Map(truth.files.map((file) => [file.path, file]))
  return {
    constraints: brief.constraints.map(label),
    information: brief.information.map(label),
    decisions: brief.decisions.map(label),
    questions: brief.questions.map(label),
    files: brief.files.map((file) => label(lookedUp(file, states.get(file.path)))),
    commands: brief.commands.map(label),
    pending: ofSession(brief.progress.pending),
    inProgress: ofSession(brief.progress.inProgress),
    nextSteps: brief.nextSteps.map(label),
    status: brief.status
      .filter((line) => TOLD.test(line))
      .map((line) => (/ — from \d{8}T\S+$/.test(line) ? line : `${line}${fromText(origin)}`)),
    closing:
      brief.closing.length === 0 || TOLD_BY.test(brief.closing[0] ?? '')
        ? brief.closing
        : [`Told by ${meta.id}:`, '', ...brief.closing],
    trail: brief.trail,
    limitations: (brief.limitation ?? '').split(/(?<=\.) /).filter((sentence) => OF_SESSION.test(sentence)),
    cuts: Object.fromEntries(Object.entries(brief.cuts).filter(([id]) => CUT.includes(id))),
  }
}

const originFrom = ({ id, head }: Brief['meta']): Origin => ({
  from: id,
  ...(head === null ? {} : { fromHead: head.slice(0, HEAD) }),
})

const keyOf = ({ command, cwd }: Pick<CommandFact, 'command' | 'cwd'>): string => `${cwd ?? ''}\0${command}`

/** The file as it stands here now. What was uncommitted then is told by git again, or is no longer so. */
function lookedUp({ mark, ...file }: FileFact, now: FileTruth | undefined): FileFact {
  const clauses = file.reason.split('; ').map((clause) => clause.replace(/(?:^|, )uncommitted$|^staged$/, ''))
  const reason = clauses.filter((clause) => clause !== '').join('; ')
  const known = { ...file, reason }
  if (now === undefined) return mark === undefined ? known : { ...known, mark }
  if (now.state === 'renamed' && now.to !== undefined)
    return {
      ...known,
      path: now.to,
      reason: [reason, `renamed from ${file.path}`].filter(Boolean).join('; '),
    }
  if (now.state === 'planned') return { ...known, mark: 'planned' }
  const isGone = now.state === 'gone' || now.state === 'missing' || (mark === 'gone' && now.state === 'same')
  if (isGone) return { ...known, mark: 'gone' }
  return mark === 'unverified' ? { ...known, mark } : known
}

/** Uncommitted changes that the brief lists and that are not here: they stayed where it was made. */
export function changesLeft({ meta, brief }: ParsedBrief): QuestionFact {
  const listed = changesListed(brief)
  const what = listed.length === 0 ? '' : `: ${listed.map(({ text }) => text).join('; ')}`
  return {
    kind: 'risk',
    text: `what was uncommitted then is not in this checkout${what}`,
    source: 'git',
    at: null,
    ...originFrom(meta),
  }
}

/** What `told` says itself need not be carried; the session tells its plan and its last words anew. */
export function withoutTold(carried: Carried, told: Evidence): Carried {
  const unknown = <T>(items: readonly T[], known: readonly T[], key: (item: T) => string): T[] => {
    const held = new Set(known.map(key))
    return items.filter((item) => !held.has(key(item)))
  }
  const text = (fact: { text: string }): string => oneLine(fact.text)
  return {
    ...carried,
    constraints: unknown(carried.constraints, told.constraints, text),
    information: unknown(carried.information, told.information, text),
    decisions: unknown(carried.decisions, told.decisions, ({ what }) => oneLine(what)),
    questions: unknown(carried.questions, told.questions, text),
    files: unknown(carried.files, told.files, ({ path }) => path),
    commands: unknown(carried.commands, told.commands, keyOf),
    pending: carried.pending.filter(({ source }) => source !== 'transcript'),
    ...{ status: [], closing: [], trail: [], limitations: [], cuts: {} },
  }
}

/** The evidence with what was carried in front; without a session changed files come first, then the carried ones in their order. */
export function withCarried(evidence: Evidence, carried: Carried, changed: ReadonlySet<string>): Evidence {
  const join = <Key extends keyof CarriedLists>(key: Key) => ({ [key]: [...carried[key], ...evidence[key]] })
  const held = new Set(carried.files.map(({ path }) => path))
  const fresh = evidence.files.filter(({ path }) => !held.has(path))
  return {
    ...evidence,
    ...join('constraints'),
    ...join('information'),
    ...join('decisions'),
    ...join('questions'),
    ...join('commands'),
    files: carried.isAll
      ? [
          ...fresh.filter(({ path }) => changed.has(path)),
          ...carried.files,
          ...fresh.filter(({ path }) => !changed.has(path)),
        ]
      : [...evidence.files, ...carried.files],
    limitations: [...new Set([...carried.limitations, ...evidence.limitations])],
  }
}

export function agentOf({ agent }: Brief['meta']): AgentFacts | null {
  if (agent.id === 'git') return null
  const { id, label, version = null, model = null, thinking = null, session = null } = agent
  const { until } = agent
  return { id, label, version, model, thinking, session, ...(until === undefined ? {} : { until }) }
}
