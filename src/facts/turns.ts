import type { Step, TextFact, Turn } from '../types/evidence.ts'
import { isContent } from './prose.ts'

/** UTF-16 units of one message, turns besides the first, and steps of one turn: many times what a brief can show. */
const MAX_MESSAGE = 16_000
const MAX_TURNS = 300
const MAX_STEPS = 200
/** A shorter prompt may be meant twice. */
const SHORT_PROMPT = 15

interface OpenTurn extends Turn {
  /** Prompts, replies, and one for work without a word. */
  messages: number
  calls: number
  /** Calls that change or run something. */
  work: number
  /** It calls handoff: without work it was about nothing else. */
  isOwn: boolean
}

/**
 * The conversation, turn by turn. What belongs to a handoff is left out: everything from a call of handoff, or from a prompt
 * that calls it, to the next prompt or the next call that does other work.
 */
export function createTurns() {
  const turns: OpenTurn[] = []
  let forgotten = 0
  let isMuted = false
  let endedAt: string | null = null
  let failure: TextFact | null = null

  const begin = (request: string, to: string | null, at: string | null): OpenTurn => {
    const turn: OpenTurn = {
      request: cutMessage(request),
      to,
      at,
      steps: [],
      messages: 0,
      calls: 0,
      work: 0,
      isOwn: false,
    }
    turns.push(turn)
    if (turns.length > MAX_TURNS + 1) {
      turns.splice(1, 1)
      forgotten++
    }
    return turn
  }
  const current = (): OpenTurn => turns.at(-1) ?? begin('', null, null)
  const tick = (at: string | null): void => {
    if (!isMuted && at !== null && (endedAt === null || at > endedAt)) endedAt = at
  }
  return {
    tick,
    /** `own`: the prompt calls handoff. An empty request that is not `own` is the pointer to a brief. */
    prompt(request: string, to: string | null, at: string | null, own: boolean) {
      // A client records what was typed while the agent worked once more when the agent hears it.
      const isRepeated =
        request.length > SHORT_PROMPT && turns.slice(-3).some((turn) => turn.request === request)
      if (isRepeated) return
      isMuted = own
      if (own) return
      tick(at)
      begin(request, to, at).messages++
    },
    reply(text: string, at: string | null, touches: number) {
      if (isMuted || text.trim() === '') return
      tick(at)
      failure = null
      const turn = current()
      turn.messages++
      add(turn, { kind: 'said', text, at, touches })
    },
    /** `own`: of handoff, `note` where it only records; a call that only looks does not show that other work went on. */
    call(how: 'own' | 'note' | 'look' | 'work', at: string | null) {
      if (how === 'note') return
      if (how === 'own') {
        isMuted = true
        current().isOwn = true
      }
      if (how === 'work') isMuted = false
      tick(at)
      if (isMuted) return
      // The request that began this work is not in the record any more: it counts as one.
      if (turns.length === 0) begin('', null, null).messages++
      current().calls++
      if (how === 'work') current().work++
    },
    step(step: Step) {
      tick(step.at)
      if (!isMuted) add(current(), step)
    },
    /** Commits that a rewrite gave other ids. */
    dropCommits(texts: readonly string[]) {
      const isGone = ({ kind, text }: Step): boolean => kind === 'commit' && texts.includes(text)
      if (texts.length > 0) for (const turn of turns) turn.steps = turn.steps.filter((step) => !isGone(step))
    },
    fail(text: string, at: string | null) {
      tick(at)
      failure = { text, source: 'transcript', at }
    },
    get count(): number {
      return turns.length
    },
    lastReply: (): string => lastSaid(turns)?.step.text ?? '',
    end() {
      const told = turns.filter(
        ({ request, steps, calls, work, isOwn }) =>
          (request !== '' || steps.length > 0 || calls > 0) && (!isOwn || work > 0),
      )
      const isSilent = ({ steps }: Turn): boolean => !steps.some(({ kind }) => kind === 'said')
      return {
        turns: told.map(({ request, to, at, steps }): Turn => ({ request, to, at, steps })),
        messages: told.reduce(
          (sum, turn) => sum + turn.messages + Number(turn.calls > 0 && isSilent(turn)),
          0,
        ),
        forgotten,
        failure,
        endedAt,
      }
    },
  }
}

function add(turn: Turn, step: Step) {
  if (!isContent(step.text)) return
  turn.steps.push({ ...step, text: cutMessage(step.text) })
  if (turn.steps.length > MAX_STEPS) turn.steps.shift()
}

/** The last message of the agent with its turn. */
export function lastSaid(turns: readonly Turn[]): { at: number; step: Step } | null {
  const isSaid = ({ kind }: Step): boolean => kind === 'said'
  const at = turns.findLastIndex(({ steps }) => steps.some(isSaid))
  const step = turns[at]?.steps.findLast(isSaid)
  return step === undefined ? null : { at, step }
}

/** Cut at a blank, since half a secret is not known for one. */
function cutMessage(text: string): string {
  if (text.length <= MAX_MESSAGE) return text
  const end = Math.max(text.lastIndexOf(' ', MAX_MESSAGE), text.lastIndexOf('\n', MAX_MESSAGE), 0)
  return `${text.slice(0, end)}\n[… ${text.length - end} characters left out]`
}
