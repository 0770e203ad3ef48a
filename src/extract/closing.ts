import { isAnnouncement, isReport } from '../text/announced.ts'
import type { Closing, QuestionFact, Step, Turn } from '../types/evidence.ts'
import type { GitCommit } from '../types/git.ts'
import { commandText, lastCodeEdit, portable } from './check-facts.ts'
import type { CommandRecord } from './command-log.ts'
import type { Fold } from './fold.ts'
import { sentencesOf, shorten } from './prose.ts'
import type { Resolver, Root } from './resolve.ts'

const MAX_NAMES = 3
const PROPOSED = 'After it the agent proposed a plan.'
/** Stands below a last message that answers no request. */
export const UNANSWERED = 'The last request came after this message and has no answer yet.'

/** Takes the last message of the agent out of the turns: it is told by itself, its questions too when nothing came after it. */
export function splitClosing(
  turns: readonly Turn[],
  fold: Fold,
  resolver: Resolver,
  roots: readonly Root[],
  since: readonly GitCommit[] = [],
): { closing: Closing | null; turns: Turn[]; questions: QuestionFact[] } {
  const said = lastSaid(turns, () => true)
  const report = lastSaid(turns, isReport)
  // Where the newest only says what comes next, the report before it tells how things stand; one that answers an earlier request
  // does while the agent only looks.
  const isLooking = fold.calls > fold.said.calls && fold.files.lastEdit <= fold.reported.clock
  const isTold = report?.at === said?.at || isLooking
  const isAnnounced = said !== null && isAnnouncement(said.last.text)
  const { at, turn, last } = (isTold && isAnnounced ? report : null) ?? said ?? {}
  const mark = last === said?.last ? fold.said : fold.reported
  if (at === undefined || turn === undefined || last === undefined)
    return { closing: null, turns: [...turns], questions: [] }
  const isStopped = turns
    .slice(at)
    .some(({ steps }, index) =>
      steps.slice(index === 0 ? steps.indexOf(last) : 0).some(({ kind }) => kind === 'interrupt'),
    )
  const rest: Turn = { ...turn, steps: turn.steps.filter((step) => step !== last), isUnderWay: true }
  const after = [
    ...(at === turns.length - 1 ? [] : [UNANSWERED]),
    ...workAfter(fold, mark, resolver, roots, isStopped),
    ...(last === said?.last ? [] : [`The agent said last: "${shorten(said?.last.text ?? '', MAX_SAID)}"`]),
  ]
  return {
    closing: {
      text: last.text,
      at: last.at,
      after: [...after, ...commitsSince(since), ...unproven(last.text, fold, roots)],
    },
    turns: [...turns.slice(0, at), rest, ...turns.slice(at + 1)],
    questions: after.length > 0 ? [] : closingQuestions(last),
  }
}

/** The last message that fits, with its turn. */
function lastSaid(
  turns: readonly Turn[],
  fits: (text: string) => boolean,
): { at: number; turn: Turn; last: Step } | null {
  const isMeant = (step: Step): boolean => step.kind === 'said' && fits(step.text)
  const at = turns.findLastIndex(({ steps }) => steps.some(isMeant))
  const turn = turns[at]
  const last = turn?.steps.findLast(isMeant)
  return turn === undefined || last === undefined ? null : { at, turn, last }
}

const commitsSince = ([newest, ...more]: readonly GitCommit[]): string[] =>
  newest === undefined
    ? []
    : [
        `After the session came ${more.length === 0 ? 'a commit' : `${more.length + 1} commits, the last`}: \`${newest.sha.slice(0, 8)}\` ${shorten(newest.subject, MAX_SUBJECT)}`,
      ]
const MAX_SUBJECT = 120
const MAX_SAID = 300

function workAfter(
  fold: Fold,
  mark: Fold['said'],
  resolver: Resolver,
  roots: readonly Root[],
  isStopped: boolean,
): string[] {
  const told = [
    ...editsAfter(fold, mark, resolver),
    ...commandAfter(fold, mark, roots),
    ...(isStopped ? ['After it the person interrupted the agent.'] : []),
  ]
  if (told.length > 0) return told
  const count = fold.calls - mark.calls
  // The last call asks the person to approve a plan: the agent waits.
  if (count > 0 && fold.asks.isProposed()) return [PROPOSED]
  return count === 0
    ? []
    : [`The agent was still at work: ${count} tool ${count === 1 ? 'call' : 'calls'} came after it.`]
}

function editsAfter({ files }: Fold, mark: Fold['said'], resolver: Resolver): string[] {
  const paths = [...files.records].flatMap(([key, { lastEdit, edits }]) => {
    const place = edits > 0 && lastEdit > mark.clock ? resolver.touched(key) : { drop: '' }
    return 'drop' in place ? [] : [`\`${place.path}\``]
  })
  if (paths.length === 0) return []
  const more = paths.length > MAX_NAMES ? ` and ${paths.length - MAX_NAMES} more` : ''
  return [`After it the agent edited ${paths.slice(0, MAX_NAMES).join(', ')}${more}.`]
}

function commandAfter({ commands }: Fold, mark: Fold['said'], roots: readonly Root[]): string[] {
  const last = lastOf(commands, ({ order, outcome }) => order > mark.order && outcome !== 'unknown')
  const command = last === undefined ? null : portable(last, roots)
  if (last === undefined || command === null) return []
  const error = last.firstError === null ? '' : `: ${last.firstError}`
  return [`After it ${commandText(command)} ${last.outcome === 'ok' ? 'passed' : `failed${error}`}.`]
}

const lastOf = (
  { records }: Fold['commands'],
  fits: (record: CommandRecord) => boolean,
): CommandRecord | undefined => [...records.values()].filter(fits).sort((a, b) => b.order - a.order)[0]

const SAYS_TESTS_PASS =
  /\btests? (?:suite )?(?:(?:now|still|all) )*(?:pass(?:es|ed)?\b|are (?:green|passing)\b)/i
const IS_NO_CLAIM =
  /\b(?:if|once|until|when|unless|should|not|make sure|verify|no|but|fail\w*|\d+ ?(?:of|\/) ?\d+)\b|[?？]$/i

/** What the session's own runs say against a message that tells of tests that pass. */
function unproven(text: string, fold: Fold, roots: readonly Root[]): string[] {
  const sentences = sentencesOf(text.split('\n'))
  // What names a failure beside it tells of some tests, not of all.
  const isClaimed =
    sentences.some((line) => SAYS_TESTS_PASS.test(line) && !IS_NO_CLAIM.test(line)) &&
    !sentences.some((line) => /\btests?\b/i.test(line) && /\bfail(?:s|ed|ing|ures?)?\b|\bred\b/i.test(line))
  if (!isClaimed) return []
  const last = lastOf(fold.commands, ({ kind, hasTested }) => kind === 'test' || hasTested)
  if (last === undefined) return ['It says that tests pass; no test is on record in this session.']
  const command = commandText(portable(last, roots) ?? last.main)
  if (last.outcome === 'failed') return [`It says that tests pass; the last run of ${command} failed.`]
  return last.edit < lastCodeEdit(fold, roots)
    ? [`It says that tests pass; files were edited after the last run of ${command}.`]
    : []
}

/** The goal answers an offer, and it stands in the message; a choice between two things stays open. */
const OFFER =
  /^\W*(?:(?:do you )?want|(?:should|shall) i\b(?!.* or )|would you like|may i|ready (?:to|for)|sound good|ok(?:ay)? to)\b/i

/** UTF-16 units. */
const LEAST_QUESTION = 20

function closingQuestions({ text, at }: Pick<Closing, 'text' | 'at'>): QuestionFact[] {
  return sentencesOf(text.trimEnd().split('\n').slice(-6))
    .filter(
      (sentence, index, all) =>
        /[?？]["')\]`*]*$/.test(sentence) &&
        // "Which one?" says nothing without what stands before it.
        sentence.length >= LEAST_QUESTION &&
        !OFFER.test(sentence.replace(/\*/g, '')) &&
        !/^because\b/i.test(all[index + 1] ?? ''),
    )
    .slice(-3)
    .map((question) => ({
      kind: 'question',
      text: question.replace(/\*\*/g, '').replace(/^open(?: questions?)?:\s*/i, ''),
      source: 'agent',
      at,
    }))
}
