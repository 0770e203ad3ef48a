import type { Step, TextFact, Turn } from '../types/evidence.ts'
import { isContent } from './prose.ts'

/** UTF-16 units of one message and of all that is kept: many times what a brief can show. */
const MAX_MESSAGE = 16_000
const MAX_TOTAL = 600_000
/** A shorter prompt may be meant twice. Two that begin with so many equal characters are one, sent again. */
const SHORT_PROMPT = 15
const SAME_START = 60

interface OpenTurn extends Turn {
  /** Prompts and replies. */
  messages: number
  /** Calls that change or run something, that only look, and calls of handoff. */
  work: number
  looks: number
  own: number
  /** How many steps there were when the agent recorded its notes, while no other work was done since. */
  noted: number | null
  endedAt: string | null
  failure: TextFact | null
}

/**
 * The conversation, turn by turn. What belongs to a handoff is left out, so that asking twice gives the same facts: a turn that only
 * hands over, and everything from a call of handoff to the next prompt or the next call that does other work.
 */
export function createTurns() {
  const turns: OpenTurn[] = []
  let size = 0
  let forgotten = 0
  let isMuted = false
  let count = 0

  const begin = (request: string, to: string | null, at: string | null): OpenTurn => {
    const turn: OpenTurn = {
      ...{ request: cutMessage(request), to, at, steps: [], messages: 0, work: 0, looks: 0, own: 0 },
      ...{ noted: null, endedAt: null, failure: null },
    }
    turns.push(turn)
    size += turn.request.length
    return turn
  }
  const current = (): OpenTurn => turns.at(-1) ?? begin('', null, null)
  const tick = (at: string | null): void => {
    const turn = current()
    if (!isMuted && at !== null && (turn.endedAt === null || at > turn.endedAt)) turn.endedAt = at
  }
  const add = (step: Step): void => {
    if (!isContent(step.text)) return
    const { steps } = current()
    const text = cutMessage(step.text)
    steps.push({ ...step, text })
    size += text.length
    while (size > MAX_TOTAL && forgetOldest());
  }
  /** The first request tells what the work is about, and the last turn is under way: both stay. */
  const forgetOldest = (): boolean => {
    const oldest = turns.length > 2 ? turns.splice(1, 1)[0] : undefined
    if (oldest !== undefined) {
      size -= oldest.steps.reduce((sum, { text }) => sum + text.length, oldest.request.length)
      forgotten++
      return true
    }
    const steps = turns.find((turn) => turn.steps.length > 0)?.steps ?? []
    size -= steps.shift()?.text.length ?? 0
    return steps.length > 1
  }
  return {
    tick,
    /** `own`: the prompt calls handoff. An empty request that is not `own` is the pointer to a brief. */
    prompt(request: string, to: string | null, at: string | null, own: boolean) {
      const last = turns.at(-1)
      // A client records what was typed while the agent worked once more when the agent hears it.
      if (request.length > SHORT_PROMPT && turns.slice(-3).some((turn) => turn.request === request)) return
      const start = request.slice(0, SAME_START)
      if (last?.steps.length === 0 && request.length > SAME_START && last.request.startsWith(start)) {
        size += request.length - last.request.length
        last.request = cutMessage(request)
        return
      }
      const turn = begin(request, to, at)
      isMuted = own
      if (own) turn.own++
      else count++
      if (request === '' && !own) turn.isPointer = true
      if (request === '') return
      turn.messages++
      tick(at)
    },
    reply(text: string, at: string | null) {
      if (isMuted || text.trim() === '') return
      tick(at)
      const turn = current()
      turn.messages++
      turn.failure = null
      add({ kind: 'said', text, at })
    },
    /** `own`: of handoff, `note` where it only records; a call that only looks does not show that other work went on. False where it is left out. */
    call(how: 'own' | 'note' | 'look' | 'work', at: string | null): boolean {
      const turn = current()
      if (how === 'note') turn.noted ??= turn.steps.length
      else if (how === 'own') {
        turn.own++
        isMuted = true
        // What was said between the notes and the brief was about handing over.
        if (turn.noted !== null) turn.steps.splice(turn.noted)
      } else if (how === 'work') {
        turn.work++
        turn.noted = null
        isMuted = false
      } else turn.looks++
      if (how === 'work' || how === 'look') tick(at)
      return !isMuted
    },
    step(step: Step) {
      if (isMuted) return
      tick(step.at)
      // A newer plan takes the place of the one before.
      if (step.kind === 'plan')
        for (const turn of turns) turn.steps = turn.steps.filter(({ kind }) => kind !== 'plan')
      add(step)
    },
    /** Commits that a rewrite gave other ids. */
    dropCommits(texts: readonly string[]) {
      const isGone = ({ kind, text }: Step): boolean => kind === 'commit' && texts.includes(text)
      if (texts.length > 0) for (const turn of turns) turn.steps = turn.steps.filter((step) => !isGone(step))
    },
    fail(text: string, at: string | null) {
      tick(at)
      current().failure = { text, source: 'transcript', at }
    },
    /** Turns so far that do not begin with a call of handoff. */
    get count(): number {
      return count
    },
    lastReply: (): string => lastSaid(turns)?.step.text ?? '',
    end() {
      const told = turns.filter(isTold)
      // A turn of work that the pointer to a brief began, and one in which the agent worked without a word, have two sides as well.
      const unsaid = ({ request, work, steps }: OpenTurn): number =>
        work === 0 ? 0 : Number(request === '') + Number(!steps.some(({ kind }) => kind === 'said'))
      return {
        turns: told.map(
          ({ request, to, at, steps, isPointer }): Turn => ({
            ...{ request, to, at, steps },
            ...(isPointer === undefined ? {} : { isPointer }),
          }),
        ),
        messages: told.reduce((sum, turn) => sum + turn.messages + unsaid(turn), 0),
        forgotten,
        failure: told.at(-1)?.failure ?? null,
        endedAt: told.reduce<string | null>(
          (end, { endedAt: at }) => (at !== null && (end === null || at > end) ? at : end),
          null,
        ),
      }
    },
  }
}

/** A command to the client alone, such as `/mode`, asks for no work unless some came of it. */
const CLIENT_COMMAND = /^\/[\w:-]+$/

const isTold = ({ request, steps, work, looks, own }: OpenTurn): boolean =>
  own > 0
    ? work > 0
    : steps.length > 0 || work + looks > 0 || (request !== '' && !CLIENT_COMMAND.test(request))

export interface LastSaid {
  /** Which turn. */
  at: number
  step: Step
}

/** The last message of the agent with its turn. */
export function lastSaid(turns: readonly Turn[]): LastSaid | null {
  const isSaid = ({ kind }: Step): boolean => kind === 'said'
  const at = turns.findLastIndex(({ steps }) => steps.some(isSaid))
  const step = turns[at]?.steps.findLast(isSaid)
  return step === undefined ? null : { at, step }
}

/** The turns without the last message, which is told by itself. */
export const withoutClosing = (turns: readonly Turn[], { at, step }: LastSaid): Turn[] =>
  turns.map((turn, index) =>
    index === at ? { ...turn, steps: turn.steps.filter((one) => one !== step), isUnderWay: true } : turn,
  )

/** Cut at a blank, since half a secret is not known for one. */
function cutMessage(text: string): string {
  if (text.length <= MAX_MESSAGE) return text
  const end = Math.max(text.lastIndexOf(' ', MAX_MESSAGE), text.lastIndexOf('\n', MAX_MESSAGE), 0)
  return `${text.slice(0, end)}\n[… ${text.length - end} characters left out]`
}
