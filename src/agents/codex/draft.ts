import type { SessionEvent } from '../../types/session.ts'

/** An event that is not stamped yet; `cwd` only where it names one of its own. */
export type Draft = SessionEvent extends infer E
  ? E extends SessionEvent
    ? Omit<E, 'at' | 'sub' | 'cwd'> & { cwd?: string | null }
    : never
  : never

export type DraftOf<K extends SessionEvent['kind']> = Extract<Draft, { kind: K }>
