import { ruleScore } from '../text/rule-score.ts'
import { clipLine, escapeText, exactLine, exactLines, oneLine, quoteLines } from '../text/safe-text.ts'
import type { Brief, FrontMatter, Notes } from '../types/brief.ts'
import type { Config } from '../types/config.ts'
import type { DecisionFact, Evidence, TextFact } from '../types/evidence.ts'
import type { GitState } from '../types/git.ts'
import type { PlanItem } from '../types/session.ts'
import { type Carried, withCarried } from './carry.ts'
import { questionsOf } from './chain.ts'
import { given, named } from './front-matter.ts'
import { estimateTokens } from './measure.ts'
import { besidePage, pageOf } from './relevance.ts'
import { cutLine } from './render.ts'
import { commitFacts, dirtyFacts, sessionLine, statusLines } from './status.ts'

/** What the brief before this one hands on, besides the facts that extraction inherits. */
export interface ParentSummary {
  id: string
  createdAt: string
  goal: string
  skills: readonly string[]
  persona: string | null
}

export interface DraftInput {
  id: string
  createdAt: string
  goal: string
  /** The goal as the person typed it, where the agent passed another one. */
  typedGoal?: string | null
  vague: boolean
  focus: string | null
  reason: string
  /** Null outside a repository. */
  git: GitState | null
  evidence: Evidence
  notes: Notes | null
  notesAge: string | null
  notesChecked: boolean
  parent: ParentSummary | null
  persona: string | null
  skills: readonly string[]
  resumedFrom: { id: string; createdAt: string } | null
  /** What a resumed brief takes over, the paths that changed since, and that in one line; null for every other. */
  resumed?: { carried: Carried; changed: ReadonlySet<string>; drift: string | null } | null
  extraction: FrontMatter['extraction']
  config: Pick<Config, 'limits' | 'budget' | 'include' | 'mission'>
  /** The file of the repository that says the mission; null where the person says it. */
  missionFile: string | null
  /** The configuration nobody changed, to tell which limits were. */
  defaults: Pick<Config, 'limits' | 'budget'>
  preamble?: string
}

/** UTF-16 units of one item: with its marks it stays a line that is read whole. */
const MAX_ITEM = 1_000
const MAX_PART = 400
/** Of the last message; beside a page, which tells where the work stands, less of it. */
const MAX_CLOSING = 6_000
const MAX_BESIDE_PAGE = 1_200

/** Joins everything that was read into one brief, but for the turns. Item caps are applied and stated; the rest is `fitBrief`'s. */
export function draftBrief(input: DraftInput): Brief {
  const { git, notes, config, parent } = input
  const { carried = null, changed = new Set<string>() } = input.resumed ?? {}
  const page = pageOf(notes)
  const told = page === null ? input.evidence : besidePage(input.evidence, page)
  const evidence = carried === null ? told : withCarried(told, carried, changed)
  const { missionFile } = input
  // A file of the branch is whoever's it is: what it says is no rule of the person, and nothing inherits it.
  const mission: TextFact[] =
    config.mission === null || missionFile !== null
      ? []
      : [{ text: config.mission, source: 'user', at: null }]
  const ofBranch: TextFact[] =
    config.mission === null || missionFile === null
      ? []
      : [{ text: `mission by ${missionFile}: "${oneLine(config.mission)}"`, source: 'git', at: null }]
  // What a brief before took over from notes that are used again.
  const noted = new Set(questionsOf(notes).map(({ text }) => text))
  const { limits } = config
  const lists = {
    files: cap(evidence.files, limits.files, bestFirst),
    commands: cap(evidence.commands, limits.commands, bestFirst),
    information: cap(facts([...ofBranch, ...evidence.information]), limits.information, bestFirst),
    constraints: rulesWithin(facts([...mission, ...evidence.constraints]), limits.constraints),
    decisions: cap(
      unique(evidence.decisions.map(decision), (item) => item.what),
      limits.decisions,
    ),
    questions: cap(
      facts(evidence.questions.filter(({ text }) => !noted.has(oneLine(text)))),
      limits.openQuestions,
      ({ kind }) => (kind === 'risk' ? 0 : 1),
    ),
  }
  const cuts = Object.entries(lists).flatMap(([id, { kept, total }]) =>
    kept.length < total ? [[id, cutLine(kept.length, total)] as const] : [],
  )
  const meta = frontMatter(input)
  return {
    meta,
    status: [
      ...(input.typedGoal
        ? [
            `The user typed this goal, not the one that the agent passed: "${escapeText(clipLine(input.typedGoal, MAX_ITEM))}"`,
          ]
        : []),
      ...statusLines(git, {
        ...evidence,
        files: lists.files.kept,
        ...(carried?.isAll ? { agent: null } : {}),
      }),
      ...(carried?.status ?? []),
      ...(input.resumed?.drift ? [escapeText(input.resumed.drift)] : []),
      ...(config.include.metadata ? [sessionLine(meta, evidence.agent)] : []),
    ],
    notes,
    ...(input.notesAge === null ? {} : { notesAge: input.notesAge }),
    ...(input.notesChecked ? { notesChecked: true } : {}),
    closing: carried?.closing.length ? carried.closing : closingLines(evidence, page !== null),
    trail: carried?.trail ?? [],
    information: lists.information.kept,
    constraints: lists.constraints.kept,
    decisions: lists.decisions.kept,
    progress: {
      done: git === null ? [] : facts(commitFacts(git, evidence.work)),
      inProgress: facts([...(git === null ? [] : dirtyFacts(git)), ...(carried?.inProgress ?? [])]),
      pending: facts([
        ...(carried?.pending ?? []),
        ...pendingFacts(evidence.plan),
        ...(evidence.pending ?? []),
      ]),
    },
    files: lists.files.kept.map((file) => ({
      ...file,
      path: exactLine(file.path),
      ...(config.include.fileReasons ? { reason: oneLine(file.reason) } : { reason: '' }),
    })),
    limitation: evidence.limitations.length === 0 ? null : oneLine(evidence.limitations.join(' ')),
    commands: lists.commands.kept.map((fact) => ({
      ...fact,
      command: exactLines(fact.command),
      cwd: fact.cwd === null ? null : exactLine(fact.cwd),
    })),
    questions: lists.questions.kept,
    nextSteps: facts(carried?.nextSteps ?? []),
    previous: parent && { id: parent.id, createdAt: parent.createdAt, goal: oneLine(parent.goal) },
    cuts: { ...carried?.cuts, ...Object.fromEntries(cuts) },
    ...(config.include.preamble
      ? input.preamble === undefined
        ? {}
        : { preamble: input.preamble }
      : { preamble: null }),
  }
}

/** The last message of the agent; without a page one that ends in a question, which the goal answers, stands whole. */
function closingLines({ closing }: Evidence, hasPage: boolean): string[] {
  if (closing === null) return []
  const asks = '?？'.includes(closing.text.trimEnd().slice(-1) || ' ')
  const most = hasPage ? MAX_BESIDE_PAGE : asks ? closing.text.length : MAX_CLOSING
  const quote = quoteLines(closing.text, most)
  const after = closing.after.map((sentence) => `- ${escapeText(sentence)}`)
  return [...quote, ...(after.length === 0 ? [] : ['', ...after])]
}

function frontMatter(input: DraftInput): FrontMatter {
  const { git, evidence, config, parent, notes } = input
  const { agent } = evidence
  const skills = config.include.skill
    ? unique(
        [...(parent?.skills ?? []), ...evidence.skills, ...input.skills].reverse(),
        (name) => name,
      ).reverse()
    : []
  const persona = input.persona ?? parent?.persona ?? null
  const limits = changedLimits(input)
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
            ...given('session', agent.session),
            ...given('until', agent.until ?? null),
          },
    ...named('skills', skills),
    ...(persona === null ? {} : { persona }),
    parents: parent === null ? [] : [parent.id],
    ...(input.resumedFrom === null ? {} : { resumedFrom: input.resumedFrom }),
    ...(notes === null ? {} : { notes: { capturedAt: notes.capturedAt } }),
    extraction: input.extraction,
    tokens: 0,
    ...(limits === undefined ? {} : { limits }),
  }
}

const decision = (fact: DecisionFact): DecisionFact => ({
  ...fact,
  what: clipLine(fact.what, MAX_PART),
  why: fact.why === null || oneLine(fact.why) === '' ? null : clipLine(fact.why, MAX_PART),
  alternatives: fact.alternatives.map((text) => clipLine(text, MAX_PART)).filter((text) => text !== ''),
})

/** Open items of the agent's plan, with their state and what they wait for. */
const pendingFacts = (plan: readonly PlanItem[]): TextFact[] =>
  plan
    .filter((item) => item.status === 'pending' || item.status === 'in_progress')
    .map((item) => {
      const started = item.status === 'in_progress' ? ' (in progress)' : ''
      const waits = item.blockedBy?.length ? ` (blocked by: ${item.blockedBy.join(', ')})` : ''
      return { text: `${item.text}${started}${waits}`, source: 'transcript', at: null }
    })

const facts = <T extends TextFact>(items: readonly T[]): T[] =>
  unique(
    items.map((item) => ({ ...item, text: clipLine(item.text, MAX_ITEM) })),
    (item) => item.text,
  )

function unique<T>(items: readonly T[], key: (item: T) => string): T[] {
  const seen = new Set<string>([''])
  return items.filter((item) => !seen.has(key(item)) && seen.add(key(item)))
}

/** The items worth most, at most so many, in their order. Of equals the later one stays. */
function cap<T>(
  items: readonly T[],
  limit: number,
  worth: (item: T, at: number) => number = () => 0,
): { kept: T[]; total: number } {
  const ranked = items
    .map((item, at) => ({ item, at, worth: worth(item, at) }))
    .sort((a, b) => b.worth - a.worth || b.at - a.at)
  const kept = new Set(ranked.slice(0, limit).map(({ item }) => item))
  return { kept: items.filter((item) => kept.has(item)), total: items.length }
}

/** Tokens of the person's rules. */
const RULE_TOKENS = 400
/** By how much a rule that an earlier brief told is surer than the same words heard now. */
const TOLD_BEFORE = 2

/** The rules that fit: the least certain goes first, of equals the oldest; one without a score was pinned by hand and stays. */
function rulesWithin(rules: readonly TextFact[], limit: number): { kept: TextFact[]; total: number } {
  const worth = ({ text, from, certainty }: TextFact): number =>
    from === undefined ? (certainty ?? Number.POSITIVE_INFINITY) : ruleScore(text) + TOLD_BEFORE
  const { kept } = cap(rules, limit, worth)
  let over = kept.reduce((sum, { text }) => sum + estimateTokens(text), 0) - RULE_TOKENS
  for (const rule of kept.toSorted((a, b) => worth(a) - worth(b))) {
    if (over <= 0 || worth(rule) === Number.POSITIVE_INFINITY) break
    over -= estimateTokens(rule.text)
    kept.splice(kept.indexOf(rule), 1)
  }
  return { kept, total: rules.length }
}

const bestFirst = (_: unknown, at: number): number => -at

/** Limits and token budgets that are not the default ones; undefined when all are. */
function changedLimits({ config, defaults }: DraftInput): Record<string, number> | undefined {
  const flat = ({ limits, budget }: DraftInput['defaults']): [string, number][] => [
    ...Object.entries(limits),
    ...Object.entries(budget).map(([key, value]): [string, number] => [`tokens.${key}`, value]),
  ]
  const standard = new Map(flat(defaults))
  const changed = flat(config).filter(([key, value]) => standard.get(key) !== value)
  return changed.length === 0 ? undefined : Object.fromEntries(changed)
}
