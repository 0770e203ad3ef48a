import { hideHomes } from '../secrets/hide-homes.ts'
import type { Place, SessionRef } from '../types.ts'
import { ask } from './at-terminal.ts'
import { maskSecrets } from './mask.ts'
import { adapterOf, age, size } from './pick-session.ts'
import type { Invocation } from './table.ts'

/** Characters of a session's first words; the terminal shows fewer. */
const MOST_CHARACTERS = 200
/** Events in which the first prompt is looked for. */
const MOST_EVENTS = 500

/**
 * The session that the person chooses: agent, age, size, and what it is about, made safe for a terminal. Null for a list that
 * is empty. Throws `cancelled`.
 */
export async function askSession(
  invocation: Invocation,
  candidates: readonly SessionRef[],
): Promise<SessionRef | null> {
  const { place } = invocation
  const now = place.now().getTime()
  const about = await maskSecrets(await Promise.all(candidates.map((ref) => aboutOf(ref, place))), place.env)
  const chosen = await ask(invocation, (questions) =>
    questions.one({
      message: 'Which session is handed over?',
      choices: candidates.map((ref, i) => ({
        value: ref.path,
        label: `${adapterOf(ref).label}, ${age((now - Date.parse(ref.updatedAt)) / 1000)} ago, ${size(ref.bytes)}, ${ref.id.slice(0, 8)}: ${hideHomes(about[i] ?? '', place.home).slice(0, MOST_CHARACTERS)}`,
      })),
    }),
  )
  return candidates.find((ref) => ref.path === chosen) ?? null
}

/** Its title, else the first words of its person; whole, so that a secret in them is known for one. */
async function aboutOf(ref: SessionRef, place: Place): Promise<string> {
  return ref.title || (await firstPrompt(ref, place)) || 'no words yet'
}

async function firstPrompt(ref: SessionRef, place: Place): Promise<string | null> {
  let seen = 0
  try {
    for await (const batch of adapterOf(ref).read(ref, { place, ...signalOf(place) }))
      for (const event of batch) {
        if (event.kind === 'prompt' && event.sub === null && event.text.trim() !== '') return event.text
        if (++seen > MOST_EVENTS) return null
      }
  } catch {
    return null // It cannot be read: whoever chooses it is told why.
  }
  return null
}

const signalOf = ({ signal }: Place): { signal?: AbortSignal } => (signal === undefined ? {} : { signal })
