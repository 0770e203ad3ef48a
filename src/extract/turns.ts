import type { TextFact } from '../types.ts'
import { endsOf } from './prose.ts'

/** What the conversation came to: how long it is, the last request, where the agent stopped. */
export interface Turns {
  /** `text` is the person's own part of the prompt; empty when all of it was a call of handoff or handed-over text; `handsOver` when it was `/handoff`. */
  prompt(text: string, at: string | null, handsOver?: boolean): void
  /** False when the reply belongs to a handoff and was left out. */
  reply(text: string, at: string | null): boolean
  /** `work` changes or runs something, `look` does not, `own` is a call of handoff. False when it belongs to a handoff. */
  call(what: 'work' | 'look' | 'own', at: string | null): boolean
  failure(text: string, at: string | null): void
  /** Any other event that shows the session went on. */
  tick(at: string | null): void
  end(): Ending
}

export interface Ending {
  messages: number
  lastRequest: TextFact | null
  lastReply: TextFact | null
  /** Last reply in full, when nothing was asked after it. */
  closing: { text: string; at: string | null } | null
  /** Last reply in full, also when something was asked after it; empty when there is none. */
  said: string
  failure: TextFact | null
  endedAt: string | null
}

interface Said {
  text: string
  at: string | null
}

/** What is known so far; the texts stay whole, since only the last ones are looked at. */
interface Told extends Omit<Ending, 'lastRequest' | 'lastReply' | 'said'> {
  request: Said | null
  reply: Said | null
}

interface Turn {
  own: boolean
  handsOver: boolean
  request: Said | null
  messages: number
  reply: Said | null
  failure: TextFact | null
  work: number
  look: number
  ownCalls: number
  afterOwn: boolean
  at: string | null
}

/**
 * A turn that does nothing but hand off is left out, and so is what the agent says after the call, so that asking twice
 * gives the same evidence (SPEC §8: identical input makes no second commit).
 */
export function createTurns(): Turns {
  const whole: Told = {
    messages: 0,
    request: null,
    reply: null,
    closing: null,
    failure: null,
    endedAt: null,
  }
  let turn = freshTurn(false, false)
  const later = (a: string | null, b: string | null) => (b !== null && (a === null || b > a) ? b : a)
  const fold = (into: Told, from: Turn) => {
    // The call that makes the brief may not be recorded yet while the brief is made.
    const isEnding = from.handsOver || from.ownCalls > 0
    const onlyHandsOff = isEnding ? from.work === 0 : from.own && from.work + from.look === 0
    if (onlyHandsOff) return
    into.messages += from.messages + unsaid(from)
    into.endedAt = later(into.endedAt, from.at)
    if (from.request) {
      into.request = from.request
      into.closing = null
      into.failure = null
    }
    if (from.reply) {
      into.closing = from.reply
      into.reply = from.reply
      into.failure = null
    }
    if (from.failure) into.failure = from.failure
  }
  const handsOver = () => turn.handsOver && turn.work === 0
  const tick = (at: string | null) => {
    if (!turn.afterOwn) turn.at = later(turn.at, at)
  }
  return {
    prompt(text, at, handsOver = false) {
      fold(whole, turn)
      turn = freshTurn(text === '', handsOver)
      if (text === '') return
      turn.messages = 1
      turn.at = at
      turn.request = { text, at }
    },
    reply(text, at) {
      if (turn.afterOwn || handsOver() || text.trim() === '') return false
      tick(at)
      turn.messages++
      turn.reply = { text, at }
      turn.failure = null
      return true
    },
    call(what, at) {
      if (what === 'own') {
        turn.ownCalls++
        turn.afterOwn = true
        return false
      }
      // A look after the call does not yet show that other work went on.
      if (what === 'work') turn.afterOwn = false
      turn[what]++
      tick(at)
      return !handsOver()
    },
    failure(text, at) {
      tick(at)
      turn.failure = { text, source: 'transcript', at }
    },
    tick,
    end() {
      const told = { ...whole }
      fold(told, turn)
      const { request, reply, ...rest } = told
      return {
        ...rest,
        said: reply?.text ?? '',
        lastRequest: factOf(request, 'user'),
        lastReply: factOf(reply, 'agent'),
      }
    },
  }
}

/** A turn of work that the pointer prompt began, and one in which the agent worked without a word, have two sides as well. */
const unsaid = ({ own, work, reply }: Turn): number => (work === 0 ? 0 : Number(own) + Number(reply === null))

const factOf = (said: Said | null, source: TextFact['source']): TextFact | null =>
  said && { text: endsOf(said.text), source, at: said.at }

const freshTurn = (own: boolean, handsOver: boolean): Turn => ({
  own,
  handsOver,
  request: null,
  messages: 0,
  reply: null,
  failure: null,
  work: 0,
  look: 0,
  ownCalls: 0,
  afterOwn: false,
  at: null,
})
