import { asEarlier, commandOfEarlier, commandOfFailing, kindOf, SESSION_FAILED } from '../facts/commands.ts'
import { squash } from '../facts/decisions.ts'
import { sentencesOf } from '../text/blocks.ts'
import { contentWords } from '../text/content-words.ts'
import type { DecisionFact, Evidence, Heard, QuestionFact, TextFact } from '../types/evidence.ts'

/** What an earlier brief hands down: the person's rules, and items, which are open questions and pending steps. */
export interface Inherited {
  id: string
  createdAt: string
  goal: string
  constraints: TextFact[]
  questions: QuestionFact[]
  pending: TextFact[]
}

/** What was heard, the last run of each check, and the subjects of the commits since the earlier brief. */
export type Since = Heard & { checks: Evidence['checks']; commits: readonly string[] }

/** What goes on, and how the person ended the rest: as decisions, with the words that say so. */
export interface HandedDown {
  constraints: TextFact[]
  questions: QuestionFact[]
  pending: TextFact[]
  decisions: DecisionFact[]
  /** The goal of the earlier brief, where the new one has another: nobody said that it is done. */
  replaced: string | null
}

/** Rules live until the person takes them back, items until they are answered or done; what is inherited names the brief that it came from. */
export function handDown(
  inherited: Inherited | null,
  own: { constraints: readonly TextFact[]; questions: readonly QuestionFact[] },
  heard: Since,
  goal: string,
): HandedDown {
  const from = <T extends TextFact>(facts: readonly T[]): T[] =>
    facts.map((fact) => ({ ...fact, from: fact.from ?? inherited?.id ?? '' }))
  const rules = joined(from(inherited?.constraints ?? []), own.constraints)
  const changes = changesIn(heard.said)
  const lifts = rules.map((rule) => liftOf(rule, changes, heard.said))
  const asked = inherited === null ? [] : from(stillOpen(inherited.questions, own.questions, heard))
  const alone = asked.filter(isAsked).length === 1
  // The goals were said, too: the earlier one right after its brief's questions.
  const said = [inherited?.goal ?? '', ...heard.said, goal]
  const answers = asked.map((fact) => (isAsked(fact) ? answerTo(fact.text, said, alone) : null))
  const doubts = lifts.flatMap((lift, at) =>
    lift === null || lift.isSure ? [] : [doubtOf(rules[at] as TextFact, lift.quote)],
  )
  const isReplaced = inherited !== null && inherited.goal !== '' && squash(inherited.goal) !== squash(goal)
  const isGoal = ({ text }: TextFact): boolean => text.startsWith(NOT_DONE)
  const steps = from(inherited?.pending ?? []).filter(
    (fact) =>
      !isDone(fact.text, heard) && !(isGoal(fact) && squash(fact.text) === squash(`${NOT_DONE}${goal}`)),
  )
  const goals = steps.filter(isGoal).slice(0, MOST_GOALS)
  return {
    constraints: rules.filter((_, at) => lifts[at]?.isSure !== true),
    questions: joined(
      asked.filter((_, at) => answers[at] === null),
      [...own.questions, ...doubts],
    ),
    pending: [
      ...(isReplaced ? [goalStep(inherited)] : []),
      ...goals,
      ...steps.filter((step) => !isGoal(step)).slice(0, MOST_STEPS),
    ],
    decisions: [
      ...rules.flatMap((rule, at) => {
        const lift = lifts[at]
        return lift?.isSure ? [decision(lift.quote, `takes back: ${rule.text}`)] : []
      }),
      ...asked.flatMap((fact, at) => {
        const answer = answers[at]
        return answer === null || answer === undefined ? [] : [decision(answer, `answers: ${fact.text}`)]
      }),
    ],
    replaced: isReplaced ? inherited.goal : null,
  }
}

/** Steps of earlier briefs that go on. */
const MOST_STEPS = 6

const isAsked = ({ kind }: QuestionFact): boolean => kind === 'question' || kind === 'blocker'

const decision = (quote: string, what: string): DecisionFact => ({
  what: `${quote} (${what})`,
  ...{ why: null, alternatives: [], by: 'user', source: 'transcript', at: null },
})

const NOT_DONE = 'goal, not said to be done: '
/** Earlier goals that go on. */
const MOST_GOALS = 2

/** The goal of a brief that nobody said to be done, as a step. */
export const goalStep = ({ id, goal }: { id: string; goal: string }): TextFact => ({
  text: `${NOT_DONE}${goal}`,
  ...{ source: 'user', at: null, from: id },
})

function joined<T extends TextFact>(kept: readonly T[], own: readonly T[]): T[] {
  const seen = new Set<string>()
  return [...kept, ...own].filter(({ text }) => {
    const key = squash(text)
    return !seen.has(key) && seen.add(key)
  })
}

// ---------------------------------------------------------------- rules

/** Gives leave; what somebody can see or read gives none. */
const LEAVE =
  /\b(?:you (?:may|can)|you(?: are|['’]re) (?:now )?(?:free|allowed) to|feel free to|go ahead and|(?:is|are|it['’]s) (?:now )?(?:ok|okay|fine|all right|allowed) (?:to|now|again)|(?:may|can) (?:now )?be)\b/i
/** Ends a rule by name. */
const ENDS =
  /\b(?:no longer (?:needs?|have|has|holds?|appl(?:y|ies)|required|forbidden|necessary|valid|matters?|true|off|frozen|locked|in force)|(?:needs?|have|has|must|appl(?:y|ies)|holds?)\b.*\bany ?more|(?:is|are) (?:now )?(?:over|lifted|gone|void|obsolete)|(?:forget|scratch|drop|lift|ignore) (?:what I said|(?:\S+ ){1,5}(?:rule|ban|freeze|limit|restriction)s?)|(?:don['’]?t|do not) (?:have|need) to)\b/i
/** Says that something is other than it was. */
const CHANGED = /\b(?:now|again|from now on|go ahead|free|allowed)\b/i
/** Limits what it says, or makes it wait for something. */
const LIMITED =
  /\b(?:but|not|only|unless|until|except|if|when|once|after|before|as long as|provided|without|first|later|tomorrow|next|never|with my|ask)\b|n['’]t\b|\?\s*$/i
const WAITS = /\b(?:unless|until|if|when|once|later|tomorrow|maybe|perhaps)\b|\?\s*$/i
/** Deeds that a rule forbids and leave allows, each with the words that mean the same. */
const DEEDS = new Map(
  [
    'touch edit change modify alter update rewrite',
    'remove delete drop',
    'rename move',
    'add install introduce',
    'use',
    'push',
    'commit',
    'merge',
    'create write',
    'open',
    'deploy release ship',
    'bump raise upgrade',
    'run start restart',
    'send post',
  ].flatMap((words, deed) =>
    words.split(' ').flatMap((word) => {
      const root = word.endsWith('e') ? word.slice(0, -1) : word
      const ends = [word, `${word}s`, `${word}d`, `${root}ed`, `${root}ing`]
      return [...ends, `${word}${word.at(-1)}ed`, `${word}${word.at(-1)}ing`].map(
        (form) => [form, deed] as const,
      )
    }),
  ),
)
/** What makes a sentence a rule and says nothing of its object. */
const OF_RULES = new Set(
  'never always keep leave alone stay ask tell own belongs anything everything nothing nobody must should need against longer until support week today month want repository project don doesn allowed free fine okay'
    .split(' ')
    .flatMap(contentWords),
)

const deedsIn = (sentence: string): number[] => wordsOf(sentence).flatMap((word) => DEEDS.get(word) ?? [])

/** A sentence that may take a rule back, and the number of the message that it stands in. */
interface Change {
  quote: string
  at: number
  objects: string[]
  deeds: number[]
}

/** Found once for all rules, the newest message first. */
const changesIn = (said: readonly string[]): Change[] =>
  said
    .map((text, at) =>
      sentencesOf(text.split('\n'))
        .filter((quote) => LEAVE.test(quote) || ENDS.test(quote))
        .map((quote) => ({ quote, at, objects: objectsIn(quote), deeds: deedsIn(quote) })),
    )
    .reverse()
    .flat()

/**
 * The sentence that takes a rule back, from a message after the one that holds it; not sure where it limits what it allows, or allows a
 * part. Null for none.
 */
function liftOf(
  rule: TextFact,
  changes: readonly Change[],
  said: readonly string[],
): { quote: string; isSure: boolean } | null {
  if (changes.length === 0) return null
  const [objects, deeds, key] = [objectsIn(rule.text), deedsIn(rule.text), squash(rule.text)]
  let from: number | null = null
  for (const { quote, at, objects: named, deeds: done } of changes) {
    const met = objects.filter((one) => named.some((other) => isSameObject(one, other)))
    const isAll = met.length === objects.length
    const isEnd = ENDS.test(quote) && met.length > 0 && met.length * 2 >= objects.length
    const isDeed = done.some((deed) => deeds.includes(deed))
    // A rule that names no deed is taken back by what says that something changed.
    const isMeant = isDeed || (deeds.length === 0 && isAll && CHANGED.test(quote))
    const isLeave =
      LEAVE.test(quote) && isMeant && (met.length > 0 || (objects.length === 0 && named.length === 0))
    if (!isEnd && !isLeave) continue
    // Of an inherited rule everything was said after it.
    from ??= rule.from === undefined ? said.findIndex((text) => squash(text).includes(key)) : -1
    if (at > from) return { quote, isSure: isEnd ? !WAITS.test(quote) : isAll && !LIMITED.test(quote) }
  }
  return null
}

const CODE = /`[^`]+`|[\w@-]+(?:[./_:-][\w@-]+)+|\b[a-z]+[A-Z]\w*|\b[A-Za-z]+\d\w*/g

/** What a sentence is about: names of code and files, else its other words. */
function objectsIn(sentence: string): string[] {
  const names = [...sentence.matchAll(CODE)].map(([name]) => name.replace(/^`|`$/g, '').toLowerCase())
  if (names.some((name) => Number.isNaN(Number(name)))) return names
  return wordsOf(sentence)
    .filter((word) => !DEEDS.has(word) && Number.isNaN(Number(word)))
    .flatMap(contentWords)
    .filter((word) => !OF_RULES.has(word))
}

const wordsOf = (sentence: string): string[] => squash(sentence).replaceAll('frozen', 'freeze').split(' ')

/** A path by its last part, a word by its beginning: `dependency` and `dependencies`. */
const isSameObject = (a: string, b: string): boolean =>
  a === b ||
  a.endsWith(`/${b}`) ||
  b.endsWith(`/${a}`) ||
  (a.length > 6 && !a.includes('.') && !a.includes('/') && b.startsWith(a.slice(0, -1)))

const doubtOf = ({ text }: TextFact, quote: string): QuestionFact => ({
  kind: 'question',
  text: `Is this rule taken back: ${text} Perhaps by: ${quote}`,
  ...{ source: 'transcript', at: null },
})

// ---------------------------------------------------------------- items

/** A longer message orders work; what it answers with some of its words is not known. */
const LONGEST_ANSWER = 300
/** What was said right after a brief: its goal, and the first message. */
const EARLY = 2
const YES_OR_NO = /^\W*(?:yes|yep|yeah|yup|sure|ok(?:ay)?|no|nope|agreed|correct|exactly)\b/i

/** The sentence that answers a question: it came first and has most of its words, or says yes or no to it, or names one of its options. Null for none. */
function answerTo(question: string, said: readonly string[], isAlone: boolean): string | null {
  const words = new Set(contentWords(question))
  const options = optionsOf(question)
  for (const [at, text] of said.entries()) {
    if (text.length > LONGEST_ANSWER) continue
    for (const sentence of sentencesOf(text.split('\n'))) {
      if (/[?？]\s*$/.test(sentence)) continue
      const held = new Set(contentWords(sentence))
      const shared = sharedBy(words, held)
      const picked = options.filter((option) => option.every((word) => held.has(word)))
      const isEarly = at < EARLY
      const isToIt = shared >= 2 || (isEarly && (isAlone || shared > 0))
      if ((isEarly && isMost(shared, words)) || (YES_OR_NO.test(sentence) && isToIt) || picked.length === 1)
        return sentence
    }
  }
  return null
}

const sharedBy = (words: ReadonlySet<string>, held: ReadonlySet<string>): number =>
  [...words].filter((word) => held.has(word)).length

/** So many of these words are most of them, and two at least. */
const isMost = (shared: number, { size }: ReadonlySet<string>): boolean =>
  shared >= 2 && shared * 5 >= size * 3

/** The words of each option of `Postgres or SQLite?` that the other does not have. */
function optionsOf(question: string): string[][] {
  const [, left = '', right] = /([^,;:]*?)\bor\b([^,;:]*)\?/i.exec(question) ?? []
  if (right === undefined) return []
  const [a, b] = [contentWords(left).slice(-1), contentWords(right).slice(0, 1)]
  return [a, b].filter((words) => words.length > 0)
}

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
