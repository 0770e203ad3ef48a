import { labelOf } from '../agents/table.ts'
import type { Place } from '../types/place.ts'
import type { SessionRef } from '../types/session.ts'

/** A session as `--json` tells it. */
export interface SessionObject extends SessionRef {
  label: string
  /** Since its last event. */
  ageSeconds: number
}

export const sessionObject = (ref: SessionRef, { now }: Pick<Place, 'now'>): SessionObject => ({
  ...ref,
  label: labelOf(ref.agent),
  ageSeconds: Math.max(0, Math.round((now().getTime() - Date.parse(ref.updatedAt)) / 1000)),
})
