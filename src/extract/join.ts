import { plural } from '../text/count.ts'
import type { Config } from '../types/config.ts'
import type { DecisionFact, Dropped, Evidence, QuestionFact, TextFact, Turn } from '../types/evidence.ts'
import type { GitCommit, GitState } from '../types/git.ts'
import type { AgentId } from '../types/session.ts'
import {
  checksOf,
  failingChecks,
  failingQuestions,
  isText,
  lastCheckOf,
  lastCodeEdit,
  neverRan,
  runsOf,
} from './check-facts.ts'
import { splitClosing } from './closing.ts'
import { commandFacts } from './command-facts.ts'
import { fileFacts } from './file-facts.ts'
import type { Fold } from './fold.ts'
import { readGoal } from './goal.ts'
import {
  type Inherited,
  SESSION_FAILED,
  withInheritedConstraints,
  withInheritedQuestions,
} from './inherit.ts'
import { atHome, byCodeUnit, withSlashes } from './path-text.ts'
import { isContent } from './prose.ts'
import { createResolver, findRoots, type Root, relative } from './resolve.ts'
import { isOwnSetting } from './self-calls.ts'

export interface FinishInput {
  git: GitState | null
  goal: string
  focus: string | null
  inherited: Inherited | null
  /** The departing agent; null for a brief from git alone. */
  agent: { id: AgentId; label: string } | null
  sessionId: string | null
  config: Config
  skipped?: Partial<Record<'torn' | 'not-json' | 'unknown', number>>
}

/** Dropped items named at most; the list is for people, the rules do not read it. */
const MAX_DROPPED = 300
const MAX_REFERENCES = 4
/** What the agent stated and planned counts while it is of the newest turns. */
const RECENT_TURNS = 3
/** Calls after which a plan that nobody touched is old. */
const OLD_PLAN = 30

export function joinEvidence(fold: Fold, input: FinishInput): Evidence {
  const { config } = input
  const dropped: Dropped[] = []
  const seen = new Set<string>()
  const drop = (item: Dropped) => {
    const key = `${item.kind}\0${item.text}`
    if (seen.has(key) || dropped.length >= MAX_DROPPED) return
    seen.add(key)
    dropped.push(item)
  }
  const roots = findRoots(input.git, {
    sessionCwd: fold.sessionCwd,
    cwds: fold.cwds,
    worktrees: fold.worktrees,
    touched: [...fold.files.records.keys()],
  })
  const isElsewhere = !workedHere(fold, input.git, roots)
  // Without a base commits count from the session's begin on, if it was of here.
  const git =
    input.git?.base === null && isElsewhere ? { ...input.git, commits: [], commitCount: 0 } : input.git
  const ending = fold.turns.end()
  const goal = readGoal(input.goal, input.focus)
  const wanted = new Set(goal.tokens.map(({ token }) => token).filter(isOwnSetting))
  const resolver = createResolver(git, roots, fold.files.renames, wanted)
  // A plan that the last turns or many calls did not touch was carried out or given up.
  const isStale =
    fold.files.turns - fold.plan.turn >= RECENT_TURNS || fold.calls - fold.plan.calls >= OLD_PLAN
  const plan = (isStale ? [] : fold.plan.items).filter(
    ({ status, text }) => (status === 'pending' || status === 'in_progress') && isContent(text),
  )
  const checks = checksOf(fold, roots)
  const since = isElsewhere ? [] : commitsAfter(git, ending.endedAt)
  const codeEdit = lastCodeEdit(fold, roots)
  const lastEdit = since.length > 0 ? Number.POSITIVE_INFINITY : codeEdit
  const failing = failingChecks(checks, fold.commands.records.values())
  const { closing, turns, questions: offered } = splitClosing(ending.turns, fold, resolver, roots, since)
  const { files, outside } = fileFacts({
    fold,
    git,
    resolver,
    goal,
    drop,
    planTexts: plan.map((item) => item.text),
    // Once files were edited a check may fail elsewhere or not at all.
    failedIn: failing.slice(-3).flatMap(({ failedIn, edit }) => (edit < lastEdit ? [] : failedIn)),
    lastReply: closing?.text ?? '',
    turns,
    keepUnverified: !config.validate.files,
  })
  const from = ending.turns.at(-RECENT_TURNS)?.at ?? null
  const recent = fold.stated.questions().filter(({ at }) => from === null || at === null || at >= from)
  const questions: QuestionFact[] = [
    ...failingQuestions(failing, lastEdit, roots),
    ...fold.asks.open(input.goal),
    ...recent,
    ...offered.filter(({ text }) => !recent.some((question) => question.text.startsWith(text))),
    ...riskOf(ending.failure),
  ]
  const own = fold.work.end()
  return {
    files,
    commands: commandFacts(fold, roots, lastEdit, drop),
    constraints: withInheritedConstraints(input.inherited, fold).filter((fact) => isContent(fact.text)),
    information: [],
    decisions: inTime(decisions(fold, ending.turns)),
    questions: withInheritedQuestions(
      input.inherited,
      questions,
      fold,
      codeEdit > 0 || commitsAfter(git, input.inherited?.createdAt ?? null).length > 0,
    ),
    plan,
    lastCheck: lastCheckOf(checks, [...fold.commands.records.values()], codeEdit, roots),
    checks: runsOf(fold),
    closing,
    turns,
    forgotten: ending.forgotten,
    work:
      input.agent === null
        ? null
        : {
            ...own,
            isEdited: own.isEdited && codeEdit > 0,
            hasEdited: fold.files.lastEdit > 0,
            worktree: otherWorktree(fold, git),
            ...(isElsewhere ? { isElsewhere: true } : {}),
            ...(codeEdit > 0 ? neverRan(fold) : {}),
          },
    references: fold.references.latest(MAX_REFERENCES),
    skills: [...fold.skills],
    agent: input.agent && {
      ...input.agent,
      version: fold.settings.version,
      model: fold.settings.model,
      thinking: fold.settings.thinking,
      tools: fold.settings.tools ?? [...fold.tools].sort(byCodeUnit),
      session: input.sessionId,
    },
    messages: ending.messages,
    endedAt: ending.endedAt,
    limitations: limitationsOf(fold, input, outside),
    dropped,
  }
}

/** Whether the session worked in this repository: by its folder, or by most files that it touched where it was recorded elsewhere. */
function workedHere({ sessionCwd, files }: Fold, git: GitState | null, roots: readonly Root[]): boolean {
  if (git === null) return true
  const own = [git.root, ...git.worktrees]
  if (sessionCwd === null || relative(withSlashes(sessionCwd), own.map(withSlashes)) !== null) return true
  const paths = [...files.records.keys()].flatMap((key) => relative(key, roots) ?? [])
  return paths.filter((path) => git.files.has(path)).length * 2 > paths.length
}

/** Commits of code that somebody made after a time, newest first; none after one that is not known. */
const commitsAfter = (git: GitState | null, time: string | null): GitCommit[] =>
  (git?.commits ?? []).filter(
    ({ at, files }) =>
      time !== null && Date.parse(at) > Date.parse(time) && files.some((path) => !isText(path)),
  )

function decisions(fold: Fold, turns: readonly Turn[]): DecisionFact[] {
  const told = turns
    .filter((_, at) => at === 0 || at >= turns.length - RECENT_TURNS)
    .map(({ request }) => request)
  return [...fold.asks.decisions(told), ...fold.picks, ...fold.stated.decisions()].filter(({ what }) =>
    isContent(what),
  )
}

const riskOf = (failure: TextFact | null): QuestionFact[] =>
  failure === null
    ? []
    : [{ ...failure, kind: 'risk', text: `${SESSION_FAILED}${failure.text.replace(/\s+/g, ' ').trim()}` }]

/** Order of time; an item without a time stays with the one before it. */
function inTime<T extends { at: string | null }>(items: readonly T[]): T[] {
  let at = ''
  return items
    .map((item) => {
      at = item.at ?? at
      return { item, at }
    })
    .sort((a, b) => byCodeUnit(a.at, b.at))
    .map(({ item }) => item)
}

/** The folder of a worktree that the session was in last and git does not know here. */
function otherWorktree({ lastCwd, home }: Fold, git: GitState | null): string | null {
  const own = git === null ? [] : [git.root, ...git.worktrees]
  if (lastCwd === null || !/worktrees?[\\/]/i.test(lastCwd)) return null
  return relative(lastCwd, own) === null ? atHome(lastCwd, home) : null
}

const MAX_EDITED = 4

function limitationsOf(fold: Fold, input: FinishInput, touchedOutside: readonly string[]): string[] {
  const { git, skipped = {} } = input
  const out: string[] = []
  if (git === null) out.push('No git repository: files are listed as the session named them.')
  const outside = touchedOutside.filter((path) => !SCRATCH.test(path))
  if (outside.length > 0) out.push(outsideLine(outside))
  if (git?.shallow) out.push('Shallow clone: older commits are not known.')
  if (git?.sparse) out.push('Sparse checkout: files outside it are not in the work tree.')
  if (git && git.commitCount > git.commits.length)
    out.push(`Only the newest ${git.commits.length} of ${git.commitCount} commits since base were read.`)
  const unread = (skipped['not-json'] ?? 0) + (skipped.torn ?? 0)
  if (unread > 0) out.push(`${plural(unread, 'line')} of the transcript could not be read.`)
  // Records of a type nobody here knows come with every version of every agent: they tell the reader nothing.
  if (fold.files.forgotten > 0)
    out.push(
      `The session touched very many files; ${plural(fold.files.forgotten, 'file')} touched long ago were left out.`,
    )
  return out
}

/** Folders for the moment: what lies there is gone tomorrow. */
const SCRATCH = /^(?:\/private)?\/(?:tmp|var\/(?:tmp|folders))\//

function outsideLine(paths: readonly string[]): string {
  const names = paths.slice(-MAX_EDITED).map((path) => `\`${path}\``)
  return `${plural(paths.length, 'file')} outside the repository edited: ${names.reverse().join(', ')}.`
}
