import { labelOf } from '../agents/table.ts'
import type { Invocation } from '../command.ts'
import type { SessionRef } from '../types/session.ts'
import { ask } from '../workspace/at-terminal.ts'
import { age, listSessions, size, whereOf, wordsOf } from './session-list.ts'
import type { Here } from './session-place.ts'

/**
 * The session that the person chooses: agent, age, size, what it is about and where it is, made safe for a terminal. Null for a list
 * that is empty. Throws `cancelled`.
 */
export async function askSession(
  invocation: Invocation,
  candidates: readonly SessionRef[],
  here: Here,
): Promise<SessionRef | null> {
  const { place } = invocation
  const listed = await listSessions(candidates, here, place)
  const chosen = await ask(invocation, (questions) =>
    questions.one({
      message: 'Which session is handed over?',
      choices: listed.map((session, at) => {
        const { agent, ageSeconds, bytes, id } = session
        const head = `${labelOf(agent)}, ${age(ageSeconds)} ago, ${size(bytes)}, ${id.slice(0, 8)}`
        const where = whereOf(session, place.home)
        return {
          value: candidates[at]?.path ?? '',
          label: `${head}: ${wordsOf(session, place.home)}${where === '' ? '' : ` (${where})`}`,
        }
      }),
    }),
  )
  return candidates.find((ref) => ref.path === chosen) ?? null
}
