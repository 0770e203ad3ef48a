import {
  blocksOf,
  clipMiddle,
  clipSentence,
  isReport,
  markBrokenOff,
  tellingWords,
  withoutAnnounced,
  withoutLead,
} from '../text/blocks.ts'
import { plural } from '../text/count.ts'
import { escapeMarkup, escapeStart, SAFE_LINE, wrap } from '../text/safe-text.ts'
import type { Step, Turn } from '../types/evidence.ts'

/** UTF-16 units of a request by its age in turns: the last one, the newest, recent ones and the first, the others. */
const requestLength = (age: number, isFirst: boolean): number =>
  age === 0 ? 800 : age < 3 || isFirst ? 600 : age < 10 ? 400 : 240
const BLOCK = 200
const SHORT = 240
const LEAST_REQUEST = 80
/** The last message, told elsewhere, sums up what was said before it when it is longer. */
const SHORT_MESSAGE = 600
/** What ends a turn says what came of it, its first block above all; words on the way say less. */
const WORTH = { answer: 4.5, result: 3, note: 2, word: 1 } as const
/** What an older turn brought counts less, by this much for each turn since; what the person said does not. */
const FADE = 0.03
/** Of all that is kept, no more is looked at: the newest. */
const MAX_PARTS = 600
const LONG: ReadonlySet<Part['kind']> = new Set(['said', 'plan', 'summary'])
/** Stands for a request that is the goal of the brief. */
export const THE_GOAL = '(the goal below)'
/** Stands for the pointer to an earlier brief; `id` null where that is not known. */
export const goalOf = (id: string | null): string =>
  `(went on with ${id === null ? 'an earlier brief' : `brief ${id}`})`
const standsForGoal = (request: string): boolean =>
  request === THE_GOAL || request.startsWith('(went on with ')

/** How many turns the line says to be left out; null for another line. */
export function leftOut(line: string): number | null {
  const count = /^- \((\d+) more turns? left out; /.exec(line)?.[1]
  return count === undefined ? null : Number(count)
}

interface Part extends Choice {
  turn: number
  /** Blocks of one message stand together, in their order. */
  step: number
  block: number
  kind: Step['kind'] | 'request'
}

/**
 * The turns as lines of markdown, safe as they are, oldest first, within about `room` tokens: the first request, the newest
 * ones, answers and refusals; then of all that was said what tells most that is not yet told.
 */
export function trailLines(turns: readonly Turn[], forgotten: number, told: string, room: number): string[] {
  let isTold = told.length >= SHORT_MESSAGE
  const later: Part[] = []
  let first: Part[] = []
  for (const [turn, one] of [...turns.entries()].reverse()) {
    if (turn === 0 || later.length < MAX_PARTS) {
      const parts = partsOf(one, turn, turns.length, isTold)
      if (turn === 0) first = parts
      else later.unshift(...parts)
    }
    isTold ||= isReport(one.steps.findLast(({ kind }) => kind === 'said')?.text ?? '')
  }
  const all = [...first, ...later.slice(-MAX_PARTS)]
  const chosen = chooseByCoverage(all, told, room)
  const lines = turns.flatMap((turn, at) =>
    turnLines(
      turn,
      chosen.filter((part) => part.turn === at),
    ),
  )
  const shown = new Set(chosen.map(({ turn }) => turn))
  const left = forgotten + turns.filter((_, at) => !shown.has(at)).length
  if (left === 0 || lines.length === 0) return lines
  return [
    ...lines,
    `- (${plural(left, 'more turn')} left out; \`git handoff ask "<question>"\` searches the session)`,
  ]
}

const SENTENCE = /(?:[^.!?\n]|[.!?](?=\S))+[.!?]*/g
const ASKS_LAST = /[?？]["')\]`*]*$/
const OF_GIT =
  /\b(?:work(?:ing)? ?tree|checkout|branch|repo(?:sitory)?)\b[^.]{0,40}\bclean\b|\b(?:uncommitted|unpushed|not (?:yet )?(?:been )?(?:committed|pushed))\b/i

/** `isTold`: a later report tells how things stand. */
function partsOf(
  { request, to, steps, isUnderWay, revised = [], isSettled }: Turn,
  turn: number,
  count: number,
  isTold: boolean,
): Part[] {
  const age = count - 1 - turn
  const isFirst = turn === 0
  const part = (
    step: number,
    block: number,
    kind: Part['kind'],
    text: string,
    worth: number,
    need: Choice['need'],
  ): Part => ({
    ...{ turn, step, block, kind, text, need },
    worth: LONG.has(kind) ? worth / (1 + FADE * age) : worth,
    tokens: tokensOf(text) + 3,
  })
  const end = isUnderWay ? -1 : steps.findLastIndex(({ kind }) => kind === 'said')
  const firstSaid = steps.findIndex(({ kind }) => kind === 'said')
  const isDone = isUnderWay ? isTold : isReport(steps[end]?.text ?? '')
  const question = to === null ? '' : ` (to: "${clipMiddle(to, SHORT)}")`
  const asked = `${said(request, clipMiddle(request, requestLength(age, isFirst)))}${question}`
  const opening =
    request === '' || standsForGoal(request)
      ? []
      : [part(-1, 0, 'request', asked, WORTH.note, age < 5 || isFirst ? 'request' : null)]
  return [
    ...opening,
    ...steps.flatMap(({ kind, text }, step): Part[] => {
      if (!LONG.has(kind)) {
        const need = age < 10 && (kind === 'answer' || kind === 'refused') ? 'other' : null
        return [part(step, 0, kind, clipSentence(text, SHORT), WORTH.note, need)]
      }
      const isEnd = step === end
      // A report tells what came of the words on the way, of a plan and of what a summary says. Beside the last message others stand.
      const isPassed =
        kind === 'said'
          ? isSettled || (isDone && !isEnd && !(isUnderWay && isReport(text)))
          : isTold || isDone
      // What git says is told by Status, as it is now.
      const held = age === 0 ? text : text.replace(SENTENCE, (one) => (OF_GIT.test(one) ? '' : one))
      const words = kind === 'said' ? withoutAnnounced(held) : text
      const blocks = blocksOf(words, BLOCK)
      return blocks.map((block, n) => {
        // The person came back to the file, and it was changed: what was said of it before is overturned.
        const isOld = kind === 'said' && revised.some((name) => block.includes(name))
        // What the agent asked at the end is open no more once the person went on.
        const isAsked = isEnd && age > 0 && n === blocks.length - 1 && ASKS_LAST.test(block)
        const worth =
          isPassed || isOld || isAsked ? 0 : isEnd ? (n === 0 ? WORTH.answer : WORTH.result) : WORTH.word
        const isNeeded = worth > 0 && n === 0 && ((isEnd && age < 3) || (age === 0 && step === firstSaid))
        return part(step, n, kind, block, worth, isNeeded ? 'other' : null)
      })
    }),
  ]
}

/** Of plain English, as a rule; signs of scripts without spaces are about a token each. */
function tokensOf(text: string): number {
  const wide = text.match(/[\u2e80-\uffff]/g)?.length ?? 0
  return Math.ceil((text.length - wide) / 4) + wide
}

const LEADS: Partial<Record<Part['kind'], string>> = {
  answer: 'Answered: ',
  refused: 'Refused by the user: ',
  plan: 'From the plan: ',
  commit: 'Committed: ',
  summary: 'From a summary of earlier turns: ',
}

/** The person's words; a command to the client asks for nothing in words. */
const said = (request: string, clipped: string): string =>
  request === ''
    ? '(went on without a new request)'
    : request.startsWith('/') && !request.includes(' ') && !request.includes('\n')
      ? `(the command ${request})`
      : `"${clipped}"`

/** One item per turn, what came of it below. A request that was not chosen still says what the rest belongs to. */
function turnLines({ request: words, steps: all, isUnderWay }: Turn, chosen: readonly Part[]): string[] {
  if (chosen.length === 0) return []
  const request = chosen.find(({ kind }) => kind === 'request')
  const short = standsForGoal(words) ? words : said(words, clipSentence(words, LEAST_REQUEST))
  const lines = [`- ${escapeMarkup(request?.text ?? short)}`]
  const steps = [...new Set(chosen.map(({ step }) => step))].filter((step) => step !== request?.step)
  if (steps.length === 0 && isUnderWay) lines.push('  - (reply above)')
  else if (steps.length === 0 && all.some(({ kind }) => kind === 'said')) lines.push('  - (replied to)')
  for (const step of steps)
    for (const [at, text] of messageLines(chosen.filter((part) => part.step === step)).entries())
      for (const [n, line] of wrap(text, SAFE_LINE).entries())
        lines.push(`${at === 0 ? '  ' : '    '}${n === 0 ? '-' : ' '} ${escapeStart(escapeMarkup(line))}`)
  return lines
}

/** The chosen blocks of one message: what follows upon another stands on its line while it is short. */
function messageLines(parts: readonly Part[]): string[] {
  const lines: string[] = []
  let before = -1
  for (const [at, { kind, text, block }] of parts.entries()) {
    const isCut = LONG.has(kind) && parts[at + 1]?.block !== block + 1
    const isNext = block === before + 1
    const whole = isNext || block === 0 ? text : text.replace(POINTS_AWAY, '')
    const words = LONG.has(kind) ? markBrokenOff(isCut ? withoutLead(whole) : whole) : text
    // Without its lead a mark of a list may be left alone.
    if (words === '' || (words !== text && !/\p{L}/u.test(words))) continue
    const last = lines.at(-1)
    before = block
    const fits = last !== undefined && last.length + words.length < MAX_LINE
    if (fits && isNext && !last.endsWith('[…]')) lines.splice(-1, 1, `${last} ${words}`)
    // An item without what leads to it may say the opposite of what was meant.
    else lines.push(`${isNext || block === 0 ? '' : '… '}${words.startsWith('· ') ? words.slice(2) : words}`)
  }
  return lines.map((line, at) => (at === 0 ? `${LEADS[parts[0]?.kind ?? 'said'] ?? ''}${line}` : line))
}
const MAX_LINE = 300
/** Sentences about what the paragraph before names, which is not told. */
const POINTS_AWAY =
  /^(?:(?:but|and|so) )?(?:it|this|that|they|these|those)\b[^.!?]*(?:[.!?](?=\S)[^.!?]*)*[.!?](?:\s+|$)/i

export interface Choice {
  text: string
  tokens: number
  worth: number
  /** Told before anything is weighed, the newest first; `request` before all others. */
  need: 'request' | 'other' | null
}

/** A word told once more still counts a little: it ties its sentence to another. */
const AGAIN = 0.3
/** Between 0, where long texts win, and 1, where single words do. */
const THRIFT = 0.5

/**
 * The texts that together tell most, in their order, within about `room` tokens: greedily the one whose words add most to
 * what is told, for what it takes. A word counts by how many texts hold it (square root), so that what the work is about
 * counts more than an aside. `told`: what stands elsewhere. The usual greedy choice for maximum coverage under a budget.
 */
export function chooseByCoverage<T extends Choice>(choices: readonly T[], told: string, room: number): T[] {
  const words = new Map(choices.map((choice) => [choice, [...new Set(tellingWords(choice.text))]]))
  const counts = new Map<string, number>()
  for (const list of words.values()) for (const word of list) counts.set(word, (counts.get(word) ?? 0) + 1)
  const seen = new Map<string, number>()
  const take = (list: readonly string[]): void => {
    for (const word of list) seen.set(word, (seen.get(word) ?? 0) + 1)
  }
  take([...new Set(tellingWords(told))])
  const gain = (choice: T): number => {
    let sum = 0
    for (const word of words.get(choice) ?? []) {
      const times = seen.get(word) ?? 0
      if (times > 1) continue
      sum += Math.sqrt(counts.get(word) ?? 0) * (times === 0 ? 1 : AGAIN)
    }
    return (choice.worth * sum) / choice.tokens ** THRIFT
  }
  const chosen = new Set<T>()
  let left = room
  const keep = (choice: T): void => {
    chosen.add(choice)
    left -= choice.tokens
    take(words.get(choice) ?? [])
  }
  for (const need of ['request', 'other'] as const)
    for (const choice of choices.toReversed()) if (choice.need === need && choice.tokens <= left) keep(choice)
  // What a text adds only falls while others are told, so the one on top is right once its figure is fresh.
  const open = choices
    .filter((choice) => !chosen.has(choice))
    .map((choice) => ({ choice, value: gain(choice) }))
    .sort((a, b) => a.value - b.value)
  for (let top = open.pop(); top !== undefined; top = open.pop()) {
    if (top.choice.tokens > left) continue
    const value = gain(top.choice)
    if (value <= 0) continue
    if (value >= (open.at(-1)?.value ?? 0)) keep(top.choice)
    else open.splice(open.findLastIndex((other) => other.value < value) + 1, 0, { choice: top.choice, value })
  }
  return choices.filter((choice) => chosen.has(choice))
}
