import type {
  Brief,
  Config,
  DecisionFact,
  Evidence,
  FrontMatter,
  GitState,
  Notes,
  QuestionFact,
  TextFact,
} from '../types.ts'
import { type Carried, joinFiles, withCarried } from './carry.ts'
import { foldFiles } from './fold-notes.ts'
import { given, named } from './names.ts'
import { changedLimits, keepBest, keepCommands, worstOf } from './relevance.ts'
import { cutLine } from './render.ts'
import { exactLine, exactLines, oneLine } from './safe-text.ts'
import { sessionLines } from './session-lines.ts'
import { type KnownBefore, sinceThen } from './since.ts'
import { commitFacts, dirtyFacts, statusLines } from './status.ts'
import { pendingFacts, workFacts } from './work-lines.ts'

/** What the brief before this one hands on, besides the facts that extraction inherits. */
export interface ParentSummary {
  id: string
  createdAt: string
  goal: string
  skills: readonly string[]
  persona: string | null
  /** Absent when nothing of it can be compared. */
  known?: KnownBefore
}

export interface DraftInput {
  id: string
  createdAt: string
  goal: string
  vague: boolean
  focus: string | null
  reason: string
  /** Null outside a repository. */
  git: GitState | null
  evidence: Evidence
  /** Only notes that may be used. */
  notes: Notes | null
  /** Age of notes that are shown although they are stale, e.g. `3 h`; else null. */
  notesAge: string | null
  parent: ParentSummary | null
  /** The first goal of the chain, with the id of its brief in `from`; null when there is no chain. */
  mission: TextFact | null
  persona: string | null
  /** Asked for by name, after those of the session. */
  skills: readonly string[]
  resumedFrom: { id: string; createdAt: string } | null
  /** What a resumed brief takes over, and the paths that changed since; null for every other. */
  resumed?: { carried: Carried; changed: ReadonlySet<string> } | null
  extraction: FrontMatter['extraction']
  config: Pick<Config, 'limits' | 'budget' | 'include' | 'mission'>
  /** The configuration nobody changed, to tell which limits were. */
  defaults: Pick<Config, 'limits' | 'budget'>
  /** The repository's own preamble, filled in; undefined for the built-in one. */
  preamble?: string
}

/** Joins everything that was read into one brief. Item caps are applied and stated; token budgets are `fitBrief`'s. */
export function draftBrief(input: DraftInput): Brief {
  const { git, notes, config } = input
  const { carried = null, changed = new Set<string>() } = input.resumed ?? {}
  const evidence = carried === null ? input.evidence : withCarried(input.evidence, carried)
  const files = carried === null ? evidence.files : joinFiles(evidence.files, carried, changed, git)
  const folded = foldFiles(files, notes, git)
  const dropped = [...evidence.dropped, ...folded.dropped]
  const decisions = [
    ...evidence.decisions.map(decision),
    ...(notes?.decisions ?? []).map(notedDecision(notes)),
  ]
  const questions = [...evidence.questions, ...noted(notes?.blockers, notes).map(blocker)]
  const information = [...evidence.information, ...noted(notes?.information, notes)]
  const lists = {
    files: cap(folded.files, config.limits.files, worstOf.tail),
    commands: keepCommands(evidence.commands, config.limits.commands),
    information: cap(facts(information), config.limits.information, worstOf.tail),
    decisions: cap(
      unique(decisions, (item) => item.what),
      Math.max(config.limits.decisions, carried?.decisions.length ?? 0),
      worstOf.decision,
    ),
    questions: cap(facts(questions), config.limits.openQuestions, worstOf.question),
  }
  const cuts = Object.entries(lists).flatMap(([id, { kept, total }]) =>
    kept.length < total ? [[id, cutLine(kept.length, total)] as const] : [],
  )
  const meta = frontMatter(input, dropped)
  const shown = {
    files: lists.files.kept,
    commands: lists.commands.kept,
    decisions: lists.decisions.kept,
    // One that was only cut is still open.
    questions: facts(questions),
  }
  const { known, createdAt } = input.parent ?? {}
  const since =
    known === undefined || createdAt === undefined ? null : sinceThen(known, createdAt, shown, git)
  return {
    meta,
    status: [
      ...statusLines(git, carried?.isAll ? { ...evidence, agent: null } : evidence),
      ...(carried?.status ?? []),
    ],
    mission: missionOf(input),
    constraints: facts(evidence.constraints),
    information: lists.information.kept,
    decisions: lists.decisions.kept,
    progress: {
      done: git === null ? [] : facts(commitFacts(git)),
      inProgress: facts([
        ...(git === null ? [] : dirtyFacts(git)),
        ...(carried?.inProgress ?? []),
        ...noted(notes?.progress, notes),
        ...workFacts(evidence),
      ]),
      pending: facts([...(carried?.pending ?? []), ...pendingFacts(evidence.plan)]),
    },
    files: lists.files.kept.map((file) => ({
      ...file,
      path: exactLine(file.path),
      ...(config.include.fileReasons
        ? { reason: oneLine(file.reason) }
        : { reason: '', source: file.plain?.source ?? file.source }),
    })),
    limitation: evidence.limitations.length === 0 ? null : oneLine(evidence.limitations.join(' ')),
    commands: lists.commands.kept.map((fact) => ({
      ...fact,
      command: exactLines(fact.command),
      cwd: fact.cwd === null ? null : exactLine(fact.cwd),
    })),
    questions: lists.questions.kept,
    notes,
    ...(input.notesAge === null ? {} : { notesAge: input.notesAge }),
    nextSteps: facts([...(carried?.nextSteps ?? []), ...noted(notes?.nextSteps, notes)]),
    previous:
      input.parent === null
        ? null
        : {
            id: input.parent.id,
            createdAt: input.parent.createdAt,
            goal: oneLine(input.parent.goal),
            ...(since === null ? {} : { since }),
          },
    metadata: config.include.metadata ? sessionLines(meta, evidence.agent, git) : [],
    cuts: { ...carried?.cuts, ...Object.fromEntries(cuts) },
    ...(config.include.preamble
      ? input.preamble === undefined
        ? {}
        : { preamble: input.preamble }
      : { preamble: null }),
    dropped,
  }
}

function frontMatter(input: DraftInput, dropped: Brief['dropped'] & object): FrontMatter {
  const { git, evidence, config, parent, notes } = input
  const { agent } = evidence
  const skills = config.include.skill
    ? unique(
        [...(parent?.skills ?? []), ...evidence.skills, ...input.skills].reverse(),
        (name) => name,
      ).reverse()
    : []
  const persona = input.persona ?? parent?.persona ?? null
  const limits = changedLimits(config, input.defaults)
  const count = (kind: string): number => dropped.filter((item) => item.kind === kind).length
  const { carried } = input.resumed ?? {}
  return {
    schemaVersion: 1,
    id: input.id,
    goal: input.goal,
    ...(input.vague ? { vague: true } : {}),
    ...(input.focus === null ? {} : { focus: input.focus }),
    reason: input.reason,
    createdAt: input.createdAt,
    branch: git?.branch ?? null,
    head: git?.head ?? null,
    ...(git?.base ? { base: `${git.base.ref}@${git.base.sha}` } : {}),
    dirty: (git?.changes.length ?? 0) > 0,
    agent:
      agent === null
        ? { id: 'git', label: 'git' }
        : {
            id: agent.id,
            label: agent.label,
            ...given('version', agent.version),
            ...given('model', agent.model),
            ...given('thinking', agent.thinking),
            ...named('tools', agent.tools),
            ...given('session', agent.session),
          },
    ...named('skills', skills),
    ...(persona === null ? {} : { persona }),
    parent: parent?.id ?? null,
    ...(input.resumedFrom === null ? {} : { resumedFrom: input.resumedFrom }),
    ...(notes === null ? {} : { notes: { capturedAt: notes.capturedAt } }),
    extraction: input.extraction,
    tokens: 0,
    ...(limits === undefined ? {} : { limits }),
    ...(dropped.length === 0
      ? carried?.dropped === undefined
        ? {}
        : { dropped: carried.dropped }
      : { dropped: { files: count('file'), commands: count('command'), other: count('other') } }),
  }
}

/** The standing objective: configured, or the first goal of the chain, when it is not the goal itself. */
function missionOf({ config, mission, goal }: DraftInput): TextFact | null {
  const fact: TextFact | null =
    config.mission === null ? mission : { text: config.mission, source: 'user', at: null }
  const text = fact === null ? '' : oneLine(fact.text)
  return fact === null || text === '' || text === oneLine(goal) ? null : { ...fact, text }
}

const noted = (texts: readonly string[] | undefined, notes: Notes | null): TextFact[] =>
  (texts ?? []).map((text) => ({ text, source: 'agent', at: notes?.capturedAt ?? null }))

const blocker = (fact: TextFact): QuestionFact => ({ ...fact, kind: 'blocker' })

const notedDecision =
  (notes: Notes | null) =>
  (fact: Notes['decisions'][number]): DecisionFact =>
    decision({ ...fact, by: 'agent', source: 'agent', at: notes?.capturedAt ?? null })

const decision = (fact: DecisionFact): DecisionFact => ({
  ...fact,
  what: oneLine(fact.what),
  why: fact.why === null || oneLine(fact.why) === '' ? null : oneLine(fact.why),
  alternatives: fact.alternatives.map(oneLine).filter((text) => text !== ''),
})

/** Canonical lines, empty ones and repetitions left out. */
const facts = <T extends TextFact>(items: readonly T[]): T[] =>
  unique(
    items.map((item) => ({ ...item, text: oneLine(item.text) })),
    (item) => item.text,
  )

function unique<T>(items: readonly T[], key: (item: T) => string): T[] {
  const seen = new Set<string>([''])
  return items.filter((item) => !seen.has(key(item)) && seen.add(key(item)))
}

function cap<T>(
  items: readonly T[],
  limit: number,
  worst: (items: readonly T[]) => number,
): { kept: T[]; total: number } {
  return { kept: keepBest(items, limit, worst), total: items.length }
}
