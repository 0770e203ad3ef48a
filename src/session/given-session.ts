import { atif } from '../agents/atif/index.ts'
import { eventsOf } from '../agents/atif/read.ts'
import { fieldsOf, timeOf } from '../agents/fields.ts'
import type { AtifStep } from '../types/atif.ts'
import type { Place } from '../types/place.ts'
import type { PickedSession } from './pick-session.ts'

/** A conversation that the caller holds in memory; no file of it is read or written. */
export function givenSession(steps: readonly AtifStep[], { root: cwd, now }: Place): PickedSession {
  const text = JSON.stringify({ schema_version: 'ATIF-v1.7', steps })
  const times = steps.map((step) => timeOf(fieldsOf(step).timestamp)).filter((time) => time !== null)
  const time = now().toISOString()
  const id = `events-${time.replace(/[:.]/g, '-')}`
  return {
    adapter: {
      ...atif,
      text: async () => text,
      async *read({ path }, options) {
        options.onRaw?.(Buffer.from(text), { path, offset: 0 })
        yield eventsOf(steps.map(fieldsOf), { at: null, sub: null, cwd }, options)
      },
    },
    ref: {
      ...{ agent: atif.id, id, path: id, cwd, bytes: Buffer.byteLength(text) },
      ...{ startedAt: times[0] ?? null, updatedAt: times.at(-1) ?? time },
    },
    isOurs: true,
  }
}
