import type { Closing, QuestionFact, Turn } from '../types/evidence.ts'
import type { GitCommit } from '../types/git.ts'
import { commandText, lastCodeEdit, portable } from './check-facts.ts'
import type { CommandRecord } from './command-log.ts'
import type { Fold } from './fold.ts'
import { sentencesOf, shorten } from './prose.ts'
import type { Resolver, Root } from './resolve.ts'

const MAX_NAMES = 3
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
  const at = turns.findLastIndex(({ steps }) => steps.some(({ kind }) => kind === 'said'))
  const turn = turns[at]
  const last = turn?.steps.findLast(({ kind }) => kind === 'said')
  if (turn === undefined || last === undefined) return { closing: null, turns: [...turns], questions: [] }
  const isStopped = turns
    .slice(at)
    .some(({ steps }, index) =>
      steps.slice(index === 0 ? steps.indexOf(last) : 0).some(({ kind }) => kind === 'interrupt'),
    )
  const rest: Turn = { ...turn, steps: turn.steps.filter((step) => step !== last), isUnderWay: true }
  const after = [
    ...(at === turns.length - 1 ? [] : [UNANSWERED]),
    ...workAfter(fold, resolver, roots, isStopped),
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

const commitsSince = ([newest, ...more]: readonly GitCommit[]): string[] =>
  newest === undefined
    ? []
    : [
        `After the session came ${more.length === 0 ? 'a commit' : `${more.length + 1} commits, the last`}: \`${newest.sha.slice(0, 8)}\` ${shorten(newest.subject, MAX_SUBJECT)}`,
      ]
const MAX_SUBJECT = 120

function workAfter(fold: Fold, resolver: Resolver, roots: readonly Root[], isStopped: boolean): string[] {
  const told = [
    ...editsAfter(fold, resolver),
    ...commandAfter(fold, roots),
    ...(isStopped ? ['After it the person interrupted the agent.'] : []),
  ]
  if (told.length > 0) return told
  // The last call asks the person to approve a plan: the agent waits.
  const count = fold.asks.isProposed() ? 0 : fold.calls - fold.said.calls
  return count === 0
    ? []
    : [`The agent was still at work: ${count} tool ${count === 1 ? 'call' : 'calls'} came after it.`]
}

function editsAfter({ files, said }: Fold, resolver: Resolver): string[] {
  const paths = [...files.records].flatMap(([key, { lastEdit, edits }]) => {
    const place = edits > 0 && lastEdit > said.clock ? resolver.touched(key) : { drop: '' }
    return 'drop' in place ? [] : [`\`${place.path}\``]
  })
  if (paths.length === 0) return []
  const more = paths.length > MAX_NAMES ? ` and ${paths.length - MAX_NAMES} more` : ''
  return [`After it the agent edited ${paths.slice(0, MAX_NAMES).join(', ')}${more}.`]
}

function commandAfter({ commands, said }: Fold, roots: readonly Root[]): string[] {
  const last = lastOf(commands, ({ order, outcome }) => order > said.order && outcome !== 'unknown')
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
  const last = lastOf(fold.commands, ({ kind }) => kind === 'test')
  if (last === undefined) return ['It says that tests pass; no test is on record in this session.']
  const command = commandText(portable(last, roots) ?? last.command)
  if (last.outcome === 'failed') return [`It says that tests pass; the last run of ${command} failed.`]
  return last.edit < lastCodeEdit(fold, roots)
    ? [`It says that tests pass; files were edited after the last run of ${command}.`]
    : []
}

/** The goal answers an offer, and it stands in the message; a choice between two things stays open. */
const OFFER =
  /^\W*(?:(?:do you )?want|(?:should|shall) i\b(?!.* or )|would you like|may i|ready (?:to|for)|sound good|ok(?:ay)? to)\b/i

function closingQuestions({ text, at }: Pick<Closing, 'text' | 'at'>): QuestionFact[] {
  return sentencesOf(text.trimEnd().split('\n').slice(-6))
    .filter(
      (sentence, index, all) =>
        /[?？]["')\]`*]*$/.test(sentence) &&
        !OFFER.test(sentence.replace(/\*/g, '')) &&
        !/^because\b/i.test(all[index + 1] ?? ''),
    )
    .slice(-3)
    .map((question) => ({
      kind: 'question',
      text: question.replace(/\*\*/g, '').replace(/^open questions?:\s*/i, ''),
      source: 'agent',
      at,
    }))
}
