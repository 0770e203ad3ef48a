import { isReport, withoutAnnounced, withoutPending } from '../text/announced.ts'
import { blocksOf, clipMiddle, clipSentence, markBrokenOff } from '../text/blocks.ts'
import { plural } from '../text/count.ts'
import { escapeMarkup } from '../text/markup.ts'
import { escapeStart } from '../text/safe-text.ts'
import type { Step, Turn } from '../types/evidence.ts'
import { type Choice, chooseByCoverage } from './coverage.ts'
import { SAFE_LINE, wrap } from './quote.ts'

/** Turns whose requests are told whole, up to so many UTF-16 units, the last one longer, older ones shorter. */
const NEWEST = 3
const REQUEST = { last: 800, newest: 600, recent: 400, old: 240, least: 80 } as const
const RECENT = 10
/** Turns whose requests always stand. */
const ALWAYS = 5
const BLOCK = 200
const SHORT = 240
/** A last message below this many UTF-16 units adds to the one before it. */
const SHORT_MESSAGE = 600
/** The end of a turn says what came of it, its first block above all; words on the way say less, the less the older they are. */
const WORTH = { answer: 4.5, result: 3, request: 2, note: 2, word: 1, oldWord: 0, intent: 0 } as const
/** What an agent is about to do: what came of it stands behind. */
const INTENT =
  /^(?:(?:now|next|ok|okay|good|great|perfect)[,.!]? )*(?:let me|let['’]s|i['’]ll|i will|i need to|i['’]m going to|i should|now (?:i have|add|update|fix|run|check|let))\b|(?::|\.\.\.)\**(?: \[…\])?$/i
/** An offer at the end of a message: the next request answers it, and quotes it where it only says yes. */
const OFFER = /(?<=^|[.!?]\s+|\n)(?:want me to|shall i|should i|would you like|do you want)\b[^?\n]*\?\s*$/i
/** What an older turn brought counts less, by this much for each turn since. */
const FADE = 0.03
/** Of all that is kept, no more is looked at: the newest. */
const MAX_CHOICES = 600
/** Of a token of plain English, as a rule; counting takes long. */
const CHARACTERS = 4

/**
 * The turns as lines of markdown, safe as they are, oldest first, within about `room` tokens: the first request, the newest
 * ones, answers and refusals; then of all that was said what tells most that is not yet told.
 */
export function trailLines(turns: readonly Turn[], forgotten: number, told: string, room: number): string[] {
  const isReported = told.length >= SHORT_MESSAGE
  const choices = newestChoices(turns, isReported)
  const report = isReported ? [] : lastReport(turns, choices)
  if (report.reduce((sum, { tokens }) => sum + tokens, 0) < room / 2)
    for (const choice of report) choice.need = 'other'
  const chosen = withEnds(chooseByCoverage(choices, told, room), choices)
  const lines = turns.flatMap((turn, at) =>
    turnLines(
      turn,
      chosen.filter((choice) => choice.turn === at),
    ),
  )
  const left = forgotten + turns.length - new Set(chosen.map(({ turn }) => turn)).size
  return [
    ...lines,
    ...(left === 0 || lines.length === 0
      ? []
      : [
          `- (${plural(left, 'more turn')} left out; \`npx git-handoff ask "<question>"\` searches the session)`,
        ]),
  ]
}

/** With the interrupts that end a turn of which something is told: what was asked there was not done. */
function withEnds(chosen: readonly TrailChoice[], choices: readonly TrailChoice[]): TrailChoice[] {
  const [isChosen, isTold] = [new Set(chosen), new Set(chosen.map(({ turn }) => turn))]
  const last = new Map(choices.map((choice) => [choice.turn, choice]))
  return choices.filter(
    (choice) =>
      isChosen.has(choice) ||
      (choice.kind === 'interrupt' && isTold.has(choice.turn) && last.get(choice.turn) === choice),
  )
}

/** The last message of some length: what was said after it only adds to it. */
function lastReport(turns: readonly Turn[], choices: readonly TrailChoice[]): TrailChoice[] {
  const groups = turns.map(({ steps }) =>
    steps.findLastIndex(({ kind, text }) => kind === 'said' && text.length >= SHORT_MESSAGE),
  )
  const last = groups.findLastIndex((group) => group !== -1)
  return choices.filter(({ turn, group }) => turn === last && group === groups[last])
}

/** Stands for a request that is the goal of the brief. */
export const THE_GOAL = '(the goal below)'

/** How many turns the line says to be left out; null for another line. */
export function leftOut(line: string): number | null {
  const count = /^- \((\d+) more turns? left out; /.exec(line)?.[1]
  return count === undefined ? null : Number(count)
}

/** The first turn tells what the work is about; of the others the newest. */
function newestChoices(turns: readonly Turn[], isReported: boolean): TrailChoice[] {
  const choices: TrailChoice[][] = []
  let count = 0
  let isTold = isReported
  for (let at = turns.length - 1; at > 0 && count < MAX_CHOICES; at--) {
    const turn = turns[at]
    if (turn === undefined) continue
    choices.unshift(choicesOf(turn, at, turns.length, isTold))
    count += choices[0]?.length ?? 0
    isTold ||= isReport(lastSaid(turn)?.text ?? '')
  }
  const [first] = turns
  return [...(first === undefined ? [] : choicesOf(first, 0, turns.length, isTold)), ...choices.flat()]
}

const lastSaid = ({ steps }: Turn): Step | undefined => steps.findLast(({ kind }) => kind === 'said')

function tokensOf(text: string): number {
  // Signs of scripts without spaces are about a token each.
  const wide = text.match(/[\u2e80-\uffff]/g)?.length ?? 0
  return Math.ceil((text.length - wide) / CHARACTERS) + wide
}

interface TrailChoice extends Choice {
  turn: number
  /** Replies and notes that belong together stand on one line. */
  group: number
  part: number
  kind: Step['kind'] | 'request'
  text: string
}

/** `isTold`: a later report tells how things stand. */
function choicesOf(
  { request, to, steps, isUnderWay }: Turn,
  turn: number,
  count: number,
  isTold: boolean,
): TrailChoice[] {
  const age = count - 1 - turn
  const make = (
    group: number,
    kind: TrailChoice['kind'],
    text: string,
    worth: number,
    need: Choice['need'] = null,
    part = 0,
  ): TrailChoice => ({ turn, group, part, kind, text, worth, need, tokens: tokensOf(text) + 3 })
  const most =
    age === 0
      ? REQUEST.last
      : age < NEWEST || turn === 0
        ? REQUEST.newest
        : age < RECENT
          ? REQUEST.recent
          : REQUEST.old
  const asked = clipMiddle(request, most)
  const question = to === null ? '' : ` (to: "${clipMiddle(to, SHORT)}")`
  const first = steps.findIndex(({ kind }) => kind === 'said')
  const last = isUnderWay ? -1 : steps.findLastIndex(({ kind }) => kind === 'said')
  const isDone = isUnderWay ? isTold : isReport(steps[last]?.text ?? '')
  return [
    ...(request === '' || request === THE_GOAL
      ? []
      : [
          make(
            -1,
            'request',
            `"${asked}"${question}`,
            WORTH.request,
            age < ALWAYS || turn === 0 ? 'request' : null,
          ),
        ]),
    ...steps.flatMap(({ kind, text, isEnd }, at): TrailChoice[] => {
      const isResult = kind === 'said' && (at === last || isEnd === true)
      // A report tells what came of the words on the way, of a plan and of what a summary says.
      const isPassed =
        kind === 'said' ? isDone && !isResult : (kind === 'plan' || kind === 'summary') && (isTold || isDone)
      const isOld = kind === 'summary' && (age > 0 || steps.slice(at).some((step) => step.kind === 'said'))
      const words = isOld ? withoutPending(text) : age === 0 ? text : text.replace(OFFER, '')
      if (kind === 'said' || kind === 'summary' || kind === 'plan' || kind === 'pasted')
        return blocksOf(kind === 'said' && !isResult ? withoutAnnounced(words) : words, BLOCK).map(
          (block, part) => {
            const worth = isPassed
              ? 0
              : isResult
                ? resultWorth(block, part)
                : wordWorth(block, kind === 'said', age)
            // What the agent first said to the last request tells how it understood it.
            const need =
              worth > 0 && part === 0 && ((age === 0 && at === first) || (age < NEWEST && isResult))
                ? 'other'
                : null
            return make(at, kind, block, worth / (1 + FADE * age), need, part)
          },
        )
      const need = (kind === 'answer' || kind === 'refused') && age < RECENT ? 'other' : null
      return [make(at, kind, clipSentence(text, SHORT), WORTH.note, need)]
    }),
  ]
}

const resultWorth = (block: string, part: number): number =>
  INTENT.test(block) ? WORTH.intent : part === 0 ? WORTH.answer : WORTH.result

function wordWorth(block: string, isSaid: boolean, age: number): number {
  if (INTENT.test(block)) return WORTH.intent
  return isSaid && age >= NEWEST ? WORTH.oldWord : WORTH.word
}

const LEADS: Readonly<Record<TrailChoice['kind'], string>> = {
  request: '',
  said: '',
  answer: 'Answered: ',
  refused: 'Refused by the user: ',
  interrupt: '',
  plan: 'From the plan: ',
  pasted: 'From the request: ',
  commit: 'Committed: ',
  summary: 'From a summary of earlier turns: ',
}

/** One item per turn, what came of it below. A request that was not chosen still says what the rest belongs to. */
function turnLines({ request: words }: Turn, chosen: readonly TrailChoice[]): string[] {
  if (chosen.length === 0) return []
  const request = chosen.find(({ kind }) => kind === 'request')
  const lead =
    request?.text ??
    (words === ''
      ? '(no request)'
      : words === THE_GOAL
        ? THE_GOAL
        : `"${clipSentence(words, REQUEST.least)}"`)
  const groups = new Map<number, TrailChoice[]>()
  for (const choice of chosen)
    if (choice !== request) groups.set(choice.group, [...(groups.get(choice.group) ?? []), choice])
  return [
    `- ${escapeMarkup(lead)}`,
    ...[...groups.values()].flatMap((parts) => {
      const [first = '', ...rest] = partLines(parts)
      const lines = [LEADS[parts[0]?.kind ?? 'said'] + first, ...rest]
      return lines.flatMap((text, at) =>
        wrap(text, SAFE_LINE).map(
          (line, n) => `${at === 0 ? '  ' : '    '}${n === 0 ? '-' : ' '} ${escapeStart(escapeMarkup(line))}`,
        ),
      )
    }),
  ]
}

/** The parts of one message: what follows upon another stands on its line while it is short. */
function partLines(parts: readonly TrailChoice[]): string[] {
  const lines: string[] = []
  for (const [at, { text, part, kind }] of parts.entries()) {
    const before = lines.at(-1)
    const isNext = part === (parts[at - 1]?.part ?? -1) + 1
    const words = kind === 'answer' || kind === 'refused' ? text : markBrokenOff(text)
    if (before !== undefined && isNext && !before.endsWith('[…]') && before.length + words.length < LINE)
      lines.splice(-1, 1, `${before} ${words}`)
    // Items without what leads to them may say the opposite of what was meant.
    else lines.push(`${isNext || !ITEM.test(words) ? '' : '… '}${words.replace(/^· /, '')}`)
  }
  return lines
}
const LINE = 300
const ITEM = /^(?:· |\d{1,2}[.)] )/
