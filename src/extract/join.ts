import type { DecisionFact, Dropped, Evidence, QuestionFact, TextFact } from '../types.ts'
import { closingQuestions } from './agent-words.ts'
import {
  checksOf,
  commandAfter,
  type FailingCheck,
  failingChecks,
  failingQuestion,
  lastCheckOf,
} from './check-facts.ts'
import { commandFacts } from './command-facts.ts'
import type { FinishInput } from './extractor.ts'
import { fileFacts } from './file-facts.ts'
import type { Fold } from './fold.ts'
import { contentWords, readGoal } from './goal.ts'
import { SESSION_FAILED, withInheritedConstraints, withInheritedQuestions } from './inherit.ts'
import { limitationsOf } from './limitations.ts'
import { isOwnSetting } from './own.ts'
import { byCodeUnit } from './path-text.ts'
import { isContent } from './placeholder.ts'
import { squash } from './prose.ts'
import { createResolver } from './resolve.ts'
import { findRoots, type Root } from './roots.ts'
import { ticketIds, ticketsOf } from './tickets.ts'
import { triedInVain } from './tries.ts'
import type { Ending } from './turns.ts'
import { workItems } from './work-items.ts'

/** Dropped items named at most; the list is for people, the rules do not read it. */
const MAX_DROPPED = 300

/** Joins what the session told with git and the goal. */
export function joinEvidence(fold: Fold, input: FinishInput): Evidence {
  const { git, config } = input
  const dropped: Dropped[] = []
  const seen = new Set<string>()
  const drop = (item: Dropped) => {
    const key = `${item.kind}\0${item.text}`
    if (seen.has(key) || dropped.length >= MAX_DROPPED) return
    seen.add(key)
    dropped.push(item)
  }
  const roots = findRoots(git, {
    sessionCwd: fold.sessionCwd,
    cwds: fold.cwds,
    worktrees: fold.worktrees,
    touched: [...fold.files.records.keys()],
  })
  const ending = fold.turns.end()
  const goal = readGoal(input.goal, input.focus, ending.said)
  const wanted = new Set(goal.tokens.map(({ token }) => token).filter(isOwnSetting))
  const resolver = createResolver(git, roots, fold.files.renames, wanted)
  const plan = fold.plan.filter(
    (item) => (item.status === 'pending' || item.status === 'in_progress') && isContent(item.text),
  )
  const checks = checksOf(fold, roots)
  const failing = failingChecks(checks, fold.commands.records.values())
  const { files, outside, untracked } = fileFacts({
    fold,
    git,
    resolver,
    goal,
    drop,
    planTexts: plan.map((item) => item.text),
    failedIn: failing
      .slice(-3)
      .flatMap(({ failedIn, edit }) =>
        failedIn.map((token) => ({ token, isStale: edit < fold.files.lastEdit })),
      ),
    lastReply: ending.said,
    keepUnverified: !config.validate.files,
  })
  const work = workItems(input.records ?? [], git, goal.words)
  const lastCommand = commandAfter([ending.lastRequest, ending.lastReply], fold, roots)
  const { tickets, without } = ticketsOf(git, ticketIds(input.goal))
  return {
    files,
    commands: commandFacts(fold, roots, goal, drop),
    constraints: withInheritedConstraints(input.inherited, fold).filter((fact) => isContent(fact.text)),
    information: [...triedInVain(fold, resolver, roots, git), ...information(fold, goal.words)],
    decisions: [...work.decisions, ...decisions(fold)],
    questions: withInheritedQuestions(input.inherited, questions(fold, ending, failing, roots), fold),
    plan: [...plan, ...work.plan],
    ...(work.planFiles.length === 0 ? {} : { planFiles: work.planFiles }),
    ...(tickets.length === 0 ? {} : { tickets }),
    lastCheck: lastCheckOf(checks, fold, roots),
    lastRequest: ending.lastRequest,
    lastReply: ending.lastReply,
    ...(lastCommand === null ? {} : { lastCommand }),
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
    limitations: limitationsOf(fold, input, { outside, untracked, withoutTicket: without }),
    dropped,
  }
}

function decisions(fold: Fold): DecisionFact[] {
  const said: DecisionFact[] = fold.user.choices.map((fact) => ({
    what: fact.text,
    why: null,
    alternatives: [],
    by: 'user',
    source: 'user',
    at: fact.at,
  }))
  return inTime(
    [...fold.asks.decisions, ...said, ...fold.agent.decisions].filter((decision) => isContent(decision.what)),
  )
}

function questions(
  fold: Fold,
  ending: Ending,
  failed: readonly FailingCheck[],
  roots: readonly Root[],
): QuestionFact[] {
  const own = fold.asks.open()
  if (own.length === 0 && ending.closing)
    for (const text of closingQuestions(ending.closing.text))
      own.push({ kind: 'question', text, source: 'agent', at: ending.closing.at })
  const failing = failed.map((record) => failingQuestion(record, fold.files.lastEdit, roots))
  const risks: QuestionFact[] = ending.failure
    ? [
        {
          ...ending.failure,
          kind: 'risk',
          text: `${SESSION_FAILED}${ending.failure.text.replace(/\s+/g, ' ').trim()}`,
        },
      ]
    : []
  return inTime([...failing, ...own, ...risks])
}

/** Findings shown at most, before the brief's own limit; those that share words with the goal first, then strong and late ones. */
const MAX_FINDINGS = 30

function information(fold: Fold, goal: ReadonlySet<string>): TextFact[] {
  const last = Math.max(1, ...fold.agent.findings.map((finding) => finding.order))
  const scored = fold.agent.findings.map((finding) => {
    const shared = new Set(contentWords(finding.text).filter((word) => goal.has(word))).size
    return { finding, score: Math.min(shared, 4) + finding.weight + finding.order / last }
  })
  scored.sort((a, b) => b.score - a.score || byCodeUnit(a.finding.text, b.finding.text))
  const seen = new Set<string>()
  const facts: TextFact[] = scored
    .filter(({ finding }) => finding.weight > 1 || goal.size > 0)
    .map(({ finding: { text, source, at } }) => ({ text, source, at }))
  return [...fold.agent.summary, ...facts]
    .filter(({ text }) => {
      const key = squash(text)
      return isContent(text) && !seen.has(key) && seen.add(key)
    })
    .slice(0, MAX_FINDINGS)
}

/** Order of time; an item without a time stays with the one before it. */
function inTime<T extends { at: string | null }>(items: readonly T[]): T[] {
  let at = ''
  return items
    .map((item, index) => {
      at = item.at ?? at
      return { item, index, at }
    })
    .sort((a, b) => byCodeUnit(a.at, b.at) || a.index - b.index)
    .map(({ item }) => item)
}
