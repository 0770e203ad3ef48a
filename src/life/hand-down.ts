import { asEarlier, commandOfEarlier, commandOfFailing, kindOf, SESSION_FAILED } from '../facts/commands.ts'
import { contentWords, sentencesOf, squash, WORDS } from '../text/blocks.ts'
import { openGoal, openGoalIn } from '../text/count.ts'
import { CODE, liftFinder } from '../text/rule-score.ts'
import { isQuoted, ruleNamed, type TakenBack, takenBackBy, takesBack } from '../text/taken-back.ts'
import type { DecisionFact, Evidence, Heard, QuestionFact, TextFact } from '../types/evidence.ts'

/** What an earlier brief hands down: the person's rules, and items, which are open questions and pending steps. */
export interface Inherited {
  id: string
  createdAt: string
  goal: string
  constraints: TextFact[]
  questions: QuestionFact[]
  pending: TextFact[]
  /** Those that say what took a rule back. */
  decisions?: readonly DecisionFact[]
}

/** What was heard, the last run of each check, and the subjects of the commits since the earlier brief. */
export type Since = Heard & { checks: Evidence['checks']; commits: readonly string[] }

/** What goes on, and how the person ended the rest: as decisions, with the words that say so. */
export interface HandedDown {
  constraints: TextFact[]
  questions: QuestionFact[]
  pending: TextFact[]
  decisions: DecisionFact[]
}

/** Rules live until the person takes them back, items until they are answered or done; what is inherited names the brief that it came from. */
export function handDown(
  inherited: Inherited | null,
  own: { constraints: readonly TextFact[]; questions: readonly QuestionFact[] },
  heard: Since,
  goal: string,
  page: readonly TakenBack[] = [],
): HandedDown {
  const from = <T extends TextFact>(facts: readonly T[]): T[] =>
    facts.map((fact) => ({ ...fact, from: fact.from ?? inherited?.id ?? '' }))
  const rules = judged(joined(from(inherited?.constraints ?? []), own.constraints), heard.said, [
    ...(inherited?.decisions ?? []).flatMap(takenBackBy),
    ...page,
  ])
  const asked = inherited === null ? [] : from(stillOpen(inherited.questions, own.questions, heard))
  const alone = asked.filter(isAsked).length === 1
  // The goals were said, too: the earlier one right after its brief's questions.
  const replies = asked.some(isAsked) ? repliesIn([inherited?.goal ?? '', ...heard.said, goal]) : []
  const answers = asked.map((fact) => (isAsked(fact) ? answerTo(fact.text, replies, alone) : null))
  const isReplaced = inherited !== null && inherited.goal !== '' && squash(inherited.goal) !== squash(goal)
  const isGoal = (fact: TextFact): boolean => goalIn(fact).length > 0
  const steps = from(inherited?.pending ?? []).filter(
    (fact) => !isDone(fact.text, heard) && !goalIn(fact).some((one) => squash(one) === squash(goal)),
  )
  return {
    constraints: rules.constraints,
    questions: joined(
      asked.filter((_, at) => answers[at] === null),
      // What answers a question takes no rule back besides.
      [
        ...own.questions,
        ...rules.questions.filter(({ text }) => !answers.some((said) => said && text.endsWith(said))),
      ],
    ),
    pending: [
      ...(isReplaced ? [goalStep(inherited)] : []),
      ...steps.filter(isGoal).slice(0, MOST.goals),
      ...steps.filter((step) => !isGoal(step)).slice(0, MOST.steps),
    ],
    decisions: [
      ...rules.decisions,
      ...asked.flatMap(({ text }, at) => {
        const answer = answers[at] ?? null
        return answer === null ? [] : [decision(answer, `answers: ${text}`)]
      }),
    ],
  }
}

/** Steps and goals of earlier briefs that go on. */
const MOST = { steps: 6, goals: 2 }

const isAsked = ({ kind }: QuestionFact): boolean => kind === 'question' || kind === 'blocker'

const decision = (quote: string, what: string): DecisionFact => ({
  what: `${quote} (${what})`,
  ...{ why: null, alternatives: [], by: 'user', source: 'transcript', at: null },
})

/** The goal of a brief that nobody said to be done, as a step. */
export const goalStep = ({ id, goal }: { id: string; goal: string }): TextFact => ({
  text: openGoal(goal),
  ...{ source: 'user', at: null, from: id },
})

/** The goal that such a step names. */
export const goalIn = ({ text }: TextFact): string[] => {
  const goal = openGoalIn(text)
  return goal === null ? [] : [goal]
}

function joined<T extends TextFact>(kept: readonly T[], own: readonly T[]): T[] {
  const seen = new Set<string>()
  return [...kept, ...own].filter(({ text }) => {
    const key = squash(text)
    return !seen.has(key) && seen.add(key)
  })
}

// ---------------------------------------------------------------- rules

/** UTF-16 units: a longer message orders work, and what it answers with some of its words is not known. */
const LONGEST = 300

/**
 * The rules without those that the person took back: as an agent told it, where its quote stands in a later message of the person; or by a
 * sentence that reads so, the newest that does as a decision; else the newest that may as a question.
 */
function judged(
  rules: readonly TextFact[],
  said: readonly string[],
  claimed: readonly TakenBack[],
): Pick<HandedDown, 'constraints' | 'questions' | 'decisions'> {
  const down: ReturnType<typeof judged> = { constraints: [], questions: [], decisions: [] }
  if (rules.length === 0) return down
  const messages = said.map(squash)
  const findLift = liftFinder(said)
  const claims = claimed.map((claim) => ({ ...claim, of: ruleNamed(claim.rule, rules) }))
  for (const rule of rules) {
    const key = squash(rule.text)
    // Of an inherited rule everything was said after it, unless it was said again.
    const from = messages.findLastIndex((message) => message.includes(key)) + 1
    const claim = claims.findLast(({ of, quote }) => of === rule && isQuoted(quote, messages.slice(from)))
    const last = claim === undefined ? findLift(rule.text, from) : { quote: claim.quote, lift: 'sure' }
    if (last?.lift === 'sure') down.decisions.push(decision(last.quote, takesBack(rule.text)))
    else down.constraints.push(rule)
    if (last?.lift === 'doubt') down.questions.push(doubt(rule.text, last.quote))
  }
  return down
}

const doubt = (rule: string, quote: string): QuestionFact => ({
  kind: 'question',
  text: `Is this rule taken back: ${rule} Perhaps by: ${quote}`,
  ...{ source: 'transcript', at: null },
})

// ---------------------------------------------------------------- items

/** What was said right after a brief: its goal, and the first message. */
const EARLY = 2
/** `no` before a noun forbids something, and answers nothing. */
const YES_OR_NO =
  /^\W*(?:yes|yep|yeah|yup|sure|ok(?:ay)?|nope|agreed|correct|exactly|no(?! (?!(?:i|we|you|it|that|this|do|don['’]t|leave|keep|use|just|only|please|thanks?|need|never|not)\b)\p{L}))\b/iu

type Reply = { sentence: string; words: ReadonlySet<string>; isEarly: boolean }

/** What may answer a question, sentence by sentence. */
const repliesIn = (said: readonly string[]): Reply[] =>
  said.flatMap((text, at) =>
    text.length > LONGEST
      ? []
      : sentencesOf(text.split('\n'))
          .filter((sentence) => !/[?？]\s*$/.test(sentence))
          .map((sentence) => ({ sentence, words: new Set(contentWords(sentence)), isEarly: at < EARLY })),
  )

/** The sentence that answers a question: it came first and has most of its words, or says yes or no to it, or names one of its options. Null for none. */
function answerTo(question: string, replies: readonly Reply[], isAlone: boolean): string | null {
  const words = new Set(contentWords(question))
  const options = optionsOf(question)
  const found = replies.find(({ sentence, words: held, isEarly }) => {
    const shared = sharedBy(words, held)
    // A small word alone says that only beside words of the question.
    const small = isEarly && shared === held.size ? plainWords(sentence) : []
    const picked = options.filter((word) => held.has(word) || small.includes(word))
    const isToIt = shared >= 2 || (isEarly && (isAlone || shared > 0))
    return (isEarly && isMost(shared, words)) || (YES_OR_NO.test(sentence) && isToIt) || picked.length === 1
  })
  return found?.sentence ?? null
}

const sharedBy = (words: ReadonlySet<string>, held: ReadonlySet<string>): number =>
  [...words].filter((word) => held.has(word)).length

/** So many of these words are most of them, and two at least. */
const isMost = (shared: number, { size }: ReadonlySet<string>): boolean =>
  shared >= 2 && shared * 5 >= size * 3

/** The word that tells each option of `Postgres or SQLite?` from the other; of `before tax, or after?` the small word. */
function optionsOf(question: string): string[] {
  const [, left = '', right = ''] = /([^,;:]*?),?\s+or\b([^,;:]*)\?/i.exec(question) ?? []
  const [small, other = ''] = [plainWords(right), contentWords(right)[0]]
  const before = plainWords(left).findLast((word) => contentWords(word).length === 0 && !small.includes(word))
  const found = other === '' ? [before, small[0]] : [contentWords(left).at(-1), other]
  return found.filter((word) => word !== undefined)
}

const plainWords = (text: string): string[] => text.toLowerCase().match(WORDS) ?? []

/** The questions that the session did not settle by a check; those of a failed session end with it. */
function stillOpen(
  questions: readonly QuestionFact[],
  own: readonly QuestionFact[],
  { checks, commits, isEdited }: Since,
): QuestionFact[] {
  const fails = new Set(own.flatMap(({ text }) => commandOfFailing(text) ?? []))
  const open = questions.filter(({ text }) => {
    if (text.startsWith(SESSION_FAILED)) return false
    const command = commandOfFailing(text) ?? commandOfEarlier(text)
    return command === null || (!isEnded(command, checks) && !fails.has(command))
  })
  return isEdited || commits.length > 0 ? open.map(asEarlier) : open
}

/** A check of its kind that passed clears it, as the suite does a test of one file. */
function isEnded(command: string, checks: Evidence['checks']): boolean {
  const kind = kindOf(command)
  return checks.some(
    (run) =>
      (run.outcome === 'ok' && run.kind === kind) || (run.outcome !== 'unknown' && run.command === command),
  )
}

/** A step is done by a change to the file that it names, or by a commit with most of its words. */
export function isDone(step: string, { changed, commits }: Pick<Since, 'changed' | 'commits'>): boolean {
  const names = [...step.matchAll(CODE)].map(([name]) => name.replace(/^`|`$/g, ''))
  const paths = names.filter((name) => /[./]/.test(name))
  if (paths.length > 0)
    return paths.every((path) => changed.some((one) => one === path || one.endsWith(`/${path}`)))
  const words = new Set(contentWords(step))
  return commits.some((subject) => isMost(sharedBy(words, new Set(contentWords(subject))), words))
}
