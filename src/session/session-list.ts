import { adapterById, labelOf } from '../agents/table.ts'
import type { Invocation } from '../command.ts'
import type { SessionCandidates } from '../errors/session.ts'
import { withoutOwnText } from '../facts/shell.ts'
import { hideHomes } from '../secrets/scanner.ts'
import { bytesText } from '../text/count.ts'
import { clipLine } from '../text/safe-text.ts'
import type { Adapter } from '../types/agent.ts'
import type { Place } from '../types/config.ts'
import type { ReadOptions, SessionRef } from '../types/session.ts'
import { ask, mayAsk } from '../workspace/at-terminal.ts'
import { maskSecrets } from '../workspace/input-secrets.ts'
import { timeLimit } from '../workspace/time-limit.ts'
import type { Here } from './session-place.ts'

/** A session in a list, as `--json` tells it. */
export interface ListedSession extends SessionRef {
  label: string
  ageSeconds: number
  /** Where it is, when `create` takes it only by its name: `of another worktree (/path, branch x)`. */
  elsewhere: string | null
  /** What its person said first, cut; null where that is not known. */
  firstWords: string | null
}

/** Characters of the first words that are told. */
const MAX_WORDS = 80
/** Events in which the first prompt is looked for, bytes of a file that has to be read whole for it, and ms for one that has more. */
const MAX_EVENTS = 500
const MAX_BYTES = 16 * 1024 * 1024
const MAX_MS = 1000
/** Characters of it in which secrets are looked for: what is shown ends long before. */
const MAX_PROMPT = 65_536

/** Sessions as they are listed, without secrets: those are replaced before anything is cut. */
export async function listSessions(
  refs: readonly SessionRef[],
  here: Here,
  place: Place,
): Promise<ListedSession[]> {
  const whole = await Promise.all(
    refs.map(async (ref) => ({
      ...ref,
      label: labelOf(ref.agent),
      ageSeconds: secondsSince(ref.updatedAt, place),
      elsewhere: await here.elsewhere(ref),
      firstWords: await firstPrompt(ref, place),
    })),
  )
  const told = await maskSecrets(whole, place.env)
  return told.map((one) => ({ ...one, firstWords: clip(one.firstWords) }))
}

function clip(words: string | null): string | null {
  if (words === null) return null
  const line = words.replace(/\s+/g, ' ').trim()
  const characters = [...line]
  return characters.length > MAX_WORDS ? `${characters.slice(0, MAX_WORDS - 1).join('')}…` : line
}

/** What a list and a menu say of a session, made safe to be shown to others; a part may be empty. */
function partsOf(session: ListedSession, home: string) {
  const { id, agent, ageSeconds, bytes, branch, cwd, elsewhere, title, firstWords } = session
  return {
    id,
    agent: labelOf(agent),
    age: `${age(ageSeconds)} ago`,
    size: bytesText(bytes),
    // `branch main, ~/code/repo`; for one of somewhere else the words that say so.
    where: hideHomes(elsewhere ?? [branch && `branch ${branch}`, cwd].filter(Boolean).join(', '), home),
    words: hideHomes([title, firstWords].filter(Boolean).join(': ') || noWords(bytes), home),
  }
}

const noWords = (bytes: number): string => (bytes > MAX_BYTES ? 'too large to look into' : 'no words yet')

/** Characters of the words that a line of a menu has room for beside the rest. */
const MENU_WORDS = 50

/** The same for a menu, in as few words as tell sessions apart. */
export function menuLabel(session: ListedSession, { home }: Pick<Place, 'home'>): string {
  const { agent, age, where, words } = partsOf(session, home)
  return `${agent}, ${age}: ${clipLine(words, MENU_WORDS)}${where && ` (${where})`}`
}

export function listLine(session: ListedSession, { home }: Pick<Place, 'home'>): string {
  const { id, agent, age, size, where, words } = partsOf(session, home)
  return [id, agent, age, size, where, words].filter((part) => part !== '').join('  ')
}

/** The session that the person chooses; null where nobody can be asked. Throws `cancelled`. */
export async function askSession(
  invocation: Invocation,
  candidates: readonly SessionRef[],
  here: Here,
): Promise<SessionRef | null> {
  if (!mayAsk(invocation)) return null
  const { place } = invocation
  const listed = await listSessions(candidates, here, place)
  const short = shortIds(candidates.map(({ id }) => id))
  const chosen = await ask(invocation, (questions) =>
    questions.one({
      message: 'Which session is handed over?',
      choices: listed.map((session, at) => {
        const { id, agent, age, size, where, words } = partsOf(session, place.home)
        const label = `${agent}, ${age}, ${size}, ${short(id)}: ${words}${where && ` (${where})`}`
        return { value: candidates[at]?.path ?? '', label }
      }),
    }),
  )
  return candidates.find((ref) => ref.path === chosen) ?? null
}

/** Ids as short as tells them apart, 8 characters at least: those of Codex begin with the time. */
export function shortIds(ids: readonly string[]): (id: string) => string {
  const isEnough = (length: number): boolean =>
    new Set(ids.map((id) => id.slice(0, length))).size === new Set(ids).size
  let length = 8
  while (!isEnough(length)) length++
  return (id) => id.slice(0, length)
}

const TOLD = 10

export async function candidatesOf(
  place: Place,
  refs: readonly SessionRef[],
  here: Here,
): Promise<SessionCandidates> {
  const candidates = await listSessions(refs.slice(0, TOLD), here, place)
  return { lines: candidates.map((one) => `  ${listLine(one, place)}`), candidates }
}

async function firstPrompt(ref: SessionRef, place: Place): Promise<string | null> {
  const adapter = adapterById(ref.agent)
  // Some agents go back on what they wrote, so that all of it is read before the first word.
  const signal = ref.bytes > MAX_BYTES ? timeLimit(MAX_MS, place.signal).signal : place.signal
  let seen = 0
  const options: ReadOptions = { place, largest: MAX_BYTES, signal }
  try {
    for await (const batch of adapter?.read(ref, options) ?? [])
      for (const event of batch) {
        // What hands a brief over is not what the person asks for.
        const words = event.kind === 'prompt' && event.sub === null ? withoutOwnText(event.text).trim() : ''
        if (words !== '') return words.slice(0, MAX_PROMPT)
        if (++seen > MAX_EVENTS) return null
      }
  } catch {
    return null // It is too large, or cannot be read: whoever chooses it is told why.
  }
  return null
}

/** Whole seconds from a time (ISO 8601) to now; 0 for one to come. */
export const secondsSince = (at: string, { now }: Pick<Place, 'now'>): number =>
  Math.max(0, Math.round((now().getTime() - Date.parse(at)) / 1000))

/** `40 s`, `3 min`, `5 h`, `12 days`. */
export function age(seconds: number): string {
  if (seconds < 90) return `${Math.max(0, Math.round(seconds))} s`
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`
  if (seconds < 172_800) return `${Math.round(seconds / 3600)} h`
  return `${Math.round(seconds / 86_400)} days`
}

/** Ms after which a person hears how far a session is read, and ms between two such words. */
const FIRST_WORD = 2_000
const NEXT_WORD = 10_000

/** The adapter; what takes long to read is told while it is read: how far that is, how long it may still take, and what ends it. */
export function tellReading({ out }: Pick<Invocation, 'out'>, adapter: Adapter): Adapter {
  let isTold = false
  async function* read(...[ref, options]: Parameters<Adapter['read']>): ReturnType<Adapter['read']> {
    // Two readings of one session side by side are one to the person.
    if (isTold) return yield* adapter.read(ref, options)
    isTold = true
    const begun = performance.now()
    let bytes = 0
    const tell = (): void => {
      const seconds = ((performance.now() - begun) / 1000) * (ref.bytes / bytes - 1)
      const rest = seconds > 0 && seconds < Number.POSITIVE_INFINITY ? `, about ${age(seconds)} to go` : ''
      out.say(`Read ${bytesText(bytes)} of ${bytesText(ref.bytes)}${rest}; Ctrl-C cancels.`)
      timer = setTimeout(tell, NEXT_WORD)
    }
    let timer = setTimeout(tell, FIRST_WORD)
    try {
      yield* adapter.read(ref, {
        ...options,
        onRaw(block, from) {
          options.onRaw?.(block, from)
          if (from.path === ref.path) bytes = from.offset + block.length
        },
      })
    } finally {
      clearTimeout(timer)
      isTold = false
    }
  }
  return { ...adapter, read }
}
