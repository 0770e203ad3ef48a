import type { Invocation } from '../command.ts'
import { turnUnclear } from '../errors/session.ts'
import { createTurnCount } from '../facts/shell.ts'
import { squash } from '../text/blocks.ts'
import { clipLine } from '../text/safe-text.ts'
import type { Adapter } from '../types/agent.ts'
import type { SessionCut, SessionEvent } from '../types/session.ts'
import { ask, mayAsk } from '../workspace/at-terminal.ts'
import { maskSecrets } from '../workspace/input-secrets.ts'
import type { PickedSession } from './pick-session.ts'

/** A request of the person. */
interface Request {
  turn: number
  at: string | null
  words: string
  /** It holds the words that were asked for. */
  isMeant: boolean
}

/** What `--until` names. */
type Wanted =
  | { is: 'turn'; turn: number }
  /** `time`: the end of the minute or day that was named. */
  | { is: 'time'; time: string }
  | { is: 'words'; words: string }
  /** The person chooses. */
  | { is: 'open' }

/**
 * The session as it stood at the end of a turn, or at a time. `until`: a number as `ask` names turns, a time, or words of one request; true:
 * the person chooses. It is cut where it is read, so that nobody who reads it sees more. Throws `turnUnclear` and what reading throws.
 */
export async function cutSession(
  invocation: Invocation,
  picked: PickedSession,
  until: string | true,
): Promise<PickedSession> {
  const wanted = readWanted(until, picked.ref.updatedAt)
  const requests = await readRequests(invocation, picked, wanted)
  const fitting = requests.filter(fits(wanted))
  const found = wanted.is === 'time' ? fitting.slice(-1) : fitting
  const isChosen = (wanted.is === 'open' || found.length > 1) && mayAsk(invocation)
  const isClear = wanted.is !== 'open' && found.length === 1
  const only = isChosen ? await choose(invocation, found) : isClear ? found[0] : undefined
  if (only === undefined) {
    const shown = await shownOf(invocation, found.length > 1 ? found : requests)
    const asked = until === true ? null : await maskSecrets(until, invocation.place.env)
    const lines = shown.map((request) => `  ${lineOf(request)}`)
    throw turnUnclear(asked, found.length > 1, { lines, candidates: shown })
  }
  const { turn, at } = only
  const [next] = requests.slice(turn)
  const cut: SessionCut = {
    ...{ turn, turns: requests.length, at },
    until: wanted.is === 'time' ? wanted.time : `turn ${turn}`,
    end: wanted.is === 'time' ? wanted.time : (next?.at ?? null),
  }
  const [shown = only] = await shownOf(invocation, [only])
  invocation.out.say(`As it stood in ${lineOf(shown)} (of ${requests.length} turns)`)
  return { ...picked, cut, adapter: { ...picked.adapter, read: cutReader(picked.adapter, cut) } }
}

/** Reads what comes before the cut. The bytes of all of it are shown: what a later turn shows to be a secret is one in an earlier one. */
const cutReader = (adapter: Adapter, { until, turn }: SessionCut): Adapter['read'] =>
  async function* (ref, options) {
    const turns = createTurnCount()
    const time = until.startsWith('turn ') ? null : until
    let isOver = false
    const isKept = (event: SessionEvent): boolean => {
      turns.begins(event)
      const isLate = time !== null && event.at !== null && event.at > time
      isOver ||= isLate || turns.turn > turn
      // Not every client writes in order of time.
      return time !== null && event.at !== null ? !isLate : !isOver
    }
    for await (const batch of adapter.read(ref, options)) {
      const kept = batch.filter(isKept)
      if (kept.length > 0) yield kept
    }
  }

const fits =
  (wanted: Wanted) =>
  ({ turn, at, isMeant }: Request): boolean => {
    if (wanted.is === 'turn') return turn === wanted.turn
    if (wanted.is === 'time') return at !== null && at <= wanted.time
    return wanted.is === 'open' || isMeant
  }

/** A day, a time of day, or both. */
const TIME = /^(?:(\d{4}-\d\d-\d\d)(?:[T ]|$))?(?:(\d{1,2}:\d\d)(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/
const [SECOND, MINUTE, DAY] = [1000, 60_000, 86_400_000]

/** A time without a day is of the day of the last event; the whole minute, second or day that it names counts. */
function readWanted(until: string | true, last: string): Wanted {
  if (until === true) return { is: 'open' }
  const text = until.trim()
  const turn = /^(?:turn )?(\d+)$/i.exec(text)?.[1]
  if (turn !== undefined) return { is: 'turn', turn: Number(turn) }
  const [all, day, clock, seconds = '', fraction, zone = ''] = TIME.exec(text) ?? []
  const date = day ?? new Date(last).toLocaleDateString('sv')
  const ms = all ? Date.parse(`${date}T${(clock ?? '00:00').padStart(5, '0')}${seconds}${zone}`) : Number.NaN
  if (Number.isNaN(ms)) return { is: 'words', words: squash(text) }
  const length = clock === undefined ? DAY : seconds === '' ? MINUTE : fraction === undefined ? SECOND : 1
  return { is: 'time', time: new Date(ms + length - 1).toISOString() }
}

/** Characters of a request that are looked through for secrets, and that are shown. */
const MAX_REQUEST = 4096
const MAX_SHOWN = 80
/** Requests that an error or a menu names. */
const MOST_NAMED = 20

async function readRequests(
  { place }: Invocation,
  { adapter, ref }: PickedSession,
  wanted: Wanted,
): Promise<Request[]> {
  const turns = createTurnCount()
  const found: Request[] = []
  for await (const batch of adapter.read(ref, { place, signal: place.signal }))
    for (const event of batch) {
      const request = turns.begins(event)
      if (request === null) continue
      const isMeant = wanted.is === 'words' && wanted.words !== '' && squash(request).includes(wanted.words)
      found.push({ turn: turns.turn, at: event.at, words: request.slice(0, MAX_REQUEST), isMeant })
    }
  return found
}

/** The newest of them without secrets, as far as there is room. */
async function shownOf(
  { place }: Invocation,
  requests: readonly Request[],
): Promise<Omit<Request, 'isMeant'>[]> {
  const masked = await maskSecrets(requests.slice(-MOST_NAMED), place.env)
  return masked.map(({ turn, at, words }) => ({
    turn,
    at,
    words: clipLine(words, MAX_SHOWN) || '(the brief)',
  }))
}

/** With the time by the clock here, as it may be typed. */
const lineOf = ({ turn, at, words }: Pick<Request, 'turn' | 'at' | 'words'>): string =>
  `turn ${turn}${at === null ? '' : `, ${new Date(at).toLocaleString('sv').slice(0, -3)}`}: ${words}`

async function choose(invocation: Invocation, found: readonly Request[]): Promise<Request | undefined> {
  const shown = await shownOf(invocation, found)
  const chosen = await ask(invocation, (questions) =>
    questions.one({
      message: 'Hand over as it stood at the end of which turn?',
      choices: shown.map((request) => ({ value: String(request.turn), label: lineOf(request) })),
      initial: String(shown.at(-1)?.turn),
    }),
  )
  return found.find(({ turn }) => String(turn) === chosen)
}
