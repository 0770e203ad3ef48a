import { oneLine } from '../text/safe-text.ts'
import type { Brief } from '../types/brief.ts'
import type { CommandTruth, FileTruth } from '../types/checks.ts'
import type {
  AgentFacts,
  CommandFact,
  Evidence,
  FileFact,
  QuestionFact,
  TextFact,
} from '../types/evidence.ts'
import type { GitState } from '../types/git.ts'
import { fromText, type Origin } from './items.ts'
import type { ParsedBrief } from './parse.ts'
import { changesListed } from './status.ts'

/** Digits of the commit in a label: enough to name it, three tokens. */
const HEAD = 8

/** What a resumed brief takes over from the one it was made from, every item with the id and head of that one. */
export interface Carried
  extends Pick<
      Evidence,
      'constraints' | 'information' | 'decisions' | 'questions' | 'commands' | 'limitations'
    >,
    Pick<Brief, 'files' | 'nextSteps' | 'status' | 'closing' | 'trail' | 'cuts'>,
    Pick<Brief['progress'], 'inProgress' | 'pending'> {
  /** There is no session: this is the whole half that one would have told. */
  isAll: boolean
  dropped: Brief['meta']['dropped']
}

/** Status lines that come from a session and not from git. */
const TOLD = /^(?:Last (?:check|request|outcome)|Named last): |^The session /
/** The others are about git, and are found again where they still hold. */
const OF_SESSION = /\bsession\b|\btranscript\b|outside the repository/
const CUT: readonly string[] = ['constraints', 'information', 'decisions', 'files', 'commands', 'questions']

/**
 * Everything of a brief but its git half, each item labelled with where it comes from; one that came from an earlier brief
 * keeps that label. Files and commands are looked up again in `truth`: renamed ones get their new name, gone ones a mark.
 */
export function carryFrom(
  { meta, brief }: ParsedBrief,
  truth: { files: readonly FileTruth[]; commands: readonly CommandTruth[] },
): Omit<Carried, 'isAll'> {
  const origin = originFrom(meta)
  const label = <T extends Origin>(fact: T): T => (fact.from === undefined ? { ...fact, ...origin } : fact)
  const states = new Map(truth.files.map((file) => [file.path, file]))
  const missing = new Set(truth.commands.map(({ command, cwd }) => keyOf(command, cwd)))
  return {
    constraints: brief.constraints.map(label),
    information: brief.information.map(label),
    decisions: brief.decisions.map(label),
    questions: brief.questions.map(label),
    files: brief.files.map((file) => label(lookedUp(file, states.get(file.path)))),
    commands: brief.commands.map(({ mark: _, ...fact }) =>
      label(missing.has(keyOf(fact.command, fact.cwd)) ? { ...fact, mark: 'gone' as const } : fact),
    ),
    pending: brief.progress.pending.filter(({ source }) => source !== 'git').map(label),
    inProgress: brief.progress.inProgress.filter(({ source }) => source !== 'git').map(label),
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
    dropped: meta.dropped,
  }
}

const TOLD_BY = /^Told by \S+:$/

const originFrom = ({ id, head }: Brief['meta']): Origin => ({
  from: id,
  ...(head === null ? {} : { fromHead: head.slice(0, HEAD) }),
})

const keyOf = (command: string, cwd: string | null): string => `${cwd ?? ''}\0${command}`

/** The file as it stands here now. What git told of it then is told by git again, or is no longer so. */
function lookedUp({ mark, ...file }: FileFact, now: FileTruth | undefined): FileFact {
  if (now === undefined) return mark === undefined ? file : { ...file, mark }
  if (now.state === 'renamed' && now.to !== undefined)
    return {
      ...file,
      path: now.to,
      reason: [file.reason, `renamed from ${file.path}`].filter(Boolean).join('; '),
    }
  if (now.state === 'planned') return { ...file, mark: 'planned' }
  const isGone = now.state === 'gone' || now.state === 'missing' || (mark === 'gone' && now.state === 'same')
  if (isGone) return { ...file, mark: 'gone' }
  return mark === 'unverified' ? { ...file, mark } : file
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

/** What `told` says itself need not be carried. */
export function withoutTold(carried: Carried, told: Evidence): Carried {
  const unknown = <T>(items: readonly T[], known: readonly T[], key: (item: T) => string): T[] => {
    const held = new Set(known.map(key))
    return items.filter((item) => !held.has(key(item)))
  }
  const text = (fact: TextFact): string => oneLine(fact.text)
  const command = (fact: CommandFact): string => keyOf(fact.command, fact.cwd)
  const files = new Set(told.files.map(({ path }) => path))
  return {
    ...carried,
    constraints: unknown(carried.constraints, told.constraints, text),
    information: unknown(carried.information, told.information, text),
    decisions: unknown(carried.decisions, told.decisions, ({ what }) => oneLine(what)),
    questions: unknown(carried.questions, told.questions, text),
    files: carried.files.filter(({ path }) => !files.has(path)),
    commands: unknown(carried.commands, told.commands, command),
    // The session tells its plan and its last words anew.
    pending: carried.pending.filter(({ source }) => source !== 'transcript'),
    status: [],
    closing: [],
    trail: [],
    limitations: [],
    cuts: {},
    dropped: undefined,
  }
}

export const withCarried = (evidence: Evidence, carried: Carried): Evidence => ({
  ...evidence,
  constraints: [...carried.constraints, ...evidence.constraints],
  information: [...carried.information, ...evidence.information],
  decisions: [...carried.decisions, ...evidence.decisions],
  questions: [...carried.questions, ...evidence.questions],
  commands: [...carried.commands, ...evidence.commands],
  limitations: [...new Set([...carried.limitations, ...evidence.limitations])],
})

/**
 * Files of both, best first. Without a session what changed since (`changed`) comes first, then what was carried in its
 * order, then what git and the goal name besides, unless that was left out then already.
 */
export function joinFiles(
  own: readonly FileFact[],
  carried: Carried,
  changed: ReadonlySet<string>,
  git: GitState | null,
): FileFact[] {
  if (!carried.isAll) return [...own, ...carried.files]
  const before = new Set(carried.files.map(({ path }) => path))
  const dirty = new Set(git?.changes.map(({ path }) => path))
  const fresh = own.filter(({ path }) => !before.has(path))
  return [
    ...fresh.filter(({ path }) => changed.has(path)),
    ...carried.files.map((file) =>
      dirty.has(file.path) ? file : { ...file, reason: settledReason(file.reason) },
    ),
    ...(carried.cuts.files === undefined ? fresh.filter(({ path }) => !changed.has(path)) : []),
  ]
}

/** A change that was committed since is none any more. */
const settledReason = (reason: string): string =>
  reason
    .split('; ')
    .map((clause) => clause.replace(/(?:^|, )uncommitted$|^staged$/, ''))
    .filter((clause) => clause !== '')
    .join('; ')

export function agentOf({ agent }: Brief['meta']): AgentFacts | null {
  if (agent.id === 'git') return null
  const { id, label, version = null, model = null, thinking = null, tools = [], session = null } = agent
  return { id, label, version, model, thinking, tools, session }
}
