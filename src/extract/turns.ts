import type { Step, TextFact, Turn } from '../types/evidence.ts'
import { isContent } from './prose.ts'

/** UTF-16 units of all texts kept, and of one message: many times what a brief can show. */
const MAX_TOTAL = 600_000
const MAX_MESSAGE = 16_000
/** Shorter prompts may be meant twice. */
const SHORT_PROMPT = 15
/** Two requests that begin with the same so many are one. */
const SAME_START = 60

/**
 * The conversation, turn by turn: what the person said and what came of it. A turn that does nothing but hand off is left out, and so is
 * what the agent says after the call, so that asking twice gives the same evidence. What it says after it recorded notes of work that it
 * did is told, unless it hands over then.
 */
export function createTurns() {
  const done: OpenTurn[] = []
  let turn = newTurn('', null)
  let size = 0
  let forgotten = 0

  const add = (step: Step): void => {
    const text = bounded(step.text)
    if (!isContent(text)) return
    turn.steps.push({ ...step, text })
    size += text.length
    while (size > MAX_TOTAL && forgetOldest());
  }
  /** The first request tells what the work is about, and the last turn is under way: both stay. */
  const forgetOldest = (): boolean => {
    const oldest = done[1]
    if (oldest !== undefined) {
      done.splice(1, 1)
      size -= sizeOf(oldest)
      forgotten++
      return true
    }
    const steps = done[0]?.steps.length ? done[0].steps : turn.steps
    size -= steps.shift()?.text.length ?? 0
    return steps.length > 1
  }
  const close = (): void => {
    if (counts(turn)) done.push(turn)
    else size -= sizeOf(turn)
  }
  const tick = (at: string | null): void => {
    if (!turn.afterOwn) turn.endedAt = later(turn.endedAt, at)
  }
  const handsOver = (): boolean => turn.handsOver && turn.work === 0

  return {
    /** `text` is the person's own part of a prompt, `to` what it answers; empty text: a call of handoff. `handsOver`: it was `/handoff`. */
    prompt(text: string, at: string | null, told: { handsOver?: boolean; to?: string | null } = {}) {
      // What was typed while the agent worked is recorded once more when the agent hears it.
      if (text.length > SHORT_PROMPT && [turn, ...done.slice(-2)].some(({ request }) => request === text))
        return tick(at)
      if (isResent(turn.request, text)) {
        size += bounded(text).length - turn.request.length
        turn.request = bounded(text)
        return tick(at)
      }
      // Some clients record the words of a refusal once more as a prompt.
      const last = turn.steps.at(-1)
      const words = `: "${text.replace(/\s+/g, ' ')}"`
      if (last?.kind === 'refused' && last.text.endsWith(words)) {
        last.text = last.text.slice(0, -words.length)
        size -= words.length
      }
      close()
      turn = newTurn(bounded(text), at, told)
      size += turn.request.length
      if (text === '') return
      turn.messages = 1
      turn.endedAt = at
    },
    /** False when the reply belongs to a handoff and was left out. `touches`: of files, so far. */
    reply(text: string, at: string | null, touches: number): boolean {
      if (turn.afterOwn || handsOver() || text.trim() === '') return false
      tick(at)
      turn.messages++
      turn.failure = null
      add({ kind: 'said', text, at, touches })
      turn.hasSpoken = true
      return true
    },
    /** `work` changes or runs something, `look` does not, `own` is a call of handoff, `note` one that only records. False when it belongs to a handoff. */
    call(what: 'work' | 'look' | 'own' | 'note', at: string | null): boolean {
      turn.hasSpoken = false
      if (what === 'note' && turn.work > 0 && !turn.afterOwn) {
        turn.ownCalls++
        turn.noted ??= turn.steps.length
        return false
      }
      if (what === 'note' || what === 'own') {
        turn.ownCalls++
        turn.afterOwn = true
        // What was said between the notes and the brief was about handing over.
        if (turn.noted !== null) turn.steps.splice(turn.noted)
        return false
      }
      // A look after the call does not yet show that other work went on.
      if (what === 'work') {
        turn.afterOwn = false
        turn.noted = null
      }
      turn[what]++
      tick(at)
      return !handsOver()
    },
    step(step: Step) {
      // A newer plan, or a text that was pasted, takes the place of the one before.
      if (isLong(step))
        for (const one of [...done, turn]) one.steps = one.steps.filter((other) => !isLong(other))
      if (!turn.afterOwn && !handsOver()) add(step)
    },
    /** A commit that has another id `now`; null: it is no more. */
    renamed(commit: string, now: string | null) {
      for (const one of [...done, turn])
        one.steps = one.steps.flatMap((step) => {
          if (step.kind !== 'commit' || step.text !== bounded(commit)) return [step]
          return now === null ? [] : [{ ...step, text: bounded(now) }]
        })
    },
    failure(text: string, at: string | null) {
      tick(at)
      turn.failure = { text, source: 'transcript', at }
    },
    /** Any other event that shows the session went on. */
    tick,
    /** What a machine tells the agent begins no turn. Where the agent had spoken and called nothing, that was the end of an answer. */
    notice(at: string | null) {
      tick(at)
      if (!turn.hasSpoken) return
      const said = turn.steps.findLast(({ kind }) => kind === 'said')
      if (said !== undefined) said.isEnd = true
    },
    /** What the person said, turn by turn. */
    requests: (): string[] => [...done, turn].map(({ request }) => request),
    /** When the request was made that the agent has not said a word to; null when it has. */
    unansweredAt: (): string | null => (turn.steps.some(({ kind }) => kind === 'said') ? null : turn.at),
    /** The last reply of the turns so far, whole; empty when there is none. */
    lastReply(): string {
      const isSaid = ({ kind }: Step): boolean => kind === 'said'
      const last = turn.steps.some(isSaid) ? turn : done.findLast(({ steps }) => steps.some(isSaid))
      return last?.steps.findLast(isSaid)?.text ?? ''
    },
    /** `messages` are prompts and replies; `forgotten` turns stood between the first and the oldest of the others. */
    end() {
      const turns = counts(turn) ? [...done, turn] : done
      return {
        messages: turns.reduce((sum, one) => sum + one.messages + unsaid(one), 0),
        turns: turns.map(({ request, to, at, steps }): Turn => ({ request, to, at, steps })),
        forgotten,
        failure: turns.at(-1)?.failure ?? null,
        endedAt: turns.reduce<string | null>((at, one) => later(at, one.endedAt), null),
      }
    },
  }
}

/** Sent once more, with its end changed: one request. */
const isResent = (before: string, text: string): boolean =>
  text.length > SAME_START && before.slice(0, SAME_START) === text.slice(0, SAME_START)

/** The call that makes the brief may not be recorded yet while the brief is made. */
function counts(turn: OpenTurn): boolean {
  if (turn.handsOver || turn.ownCalls > 0) return turn.work > 0
  return !turn.isOwn || turn.work + turn.look > 0 || turn.steps.length > 0
}

const newTurn = (
  request: string,
  at: string | null,
  { handsOver = false, to = null }: { handsOver?: boolean; to?: string | null } = {},
) => ({
  ...{ request, to, at, handsOver },
  steps: [] as Step[],
  isOwn: request === '',
  messages: 0,
  hasSpoken: false,
  failure: null as TextFact | null,
  work: 0,
  look: 0,
  ownCalls: 0,
  afterOwn: false,
  /** How many steps there were when the agent recorded its notes, while nothing else was done. */
  noted: null as number | null,
  endedAt: null as string | null,
})
type OpenTurn = ReturnType<typeof newTurn>

/** A turn of work that the pointer prompt began, and one in which the agent worked without a word, have two sides as well. */
function unsaid({ isOwn, work, steps }: OpenTurn): number {
  const isSilent = !steps.some(({ kind }) => kind === 'said')
  return work === 0 ? 0 : Number(isOwn) + Number(isSilent)
}

const isLong = ({ kind }: Step): boolean => kind === 'plan' || kind === 'pasted'

const sizeOf = ({ request, steps }: Turn): number =>
  steps.reduce((sum, { text }) => sum + text.length, request.length)

const later = (a: string | null, b: string | null): string | null =>
  b !== null && (a === null || b > a) ? b : a

/** Cut at a blank, since half a secret is not known for one. */
function bounded(text: string): string {
  if (text.length <= MAX_MESSAGE) return text
  const end = Math.max(text.lastIndexOf(' ', MAX_MESSAGE), text.lastIndexOf('\n', MAX_MESSAGE))
  return `${text.slice(0, Math.max(0, end))}\n[… ${text.length - Math.max(0, end)} characters left out]`
}
