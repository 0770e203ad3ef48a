import { cancelled } from '../errors/writing.ts'

/** One answer that can be chosen. */
export interface Choice<T extends string> {
  value: T
  label: string
  /** A few words beside the label. */
  hint?: string
}

/** Questions to the person at the terminal. Each throws `cancelled` for Esc, Ctrl-C, a signal and the end of input. */
export interface Questions {
  /** A line of text. `lines` explain and stand under the question; `initial` is what may be changed. */
  text(question: { message: string; lines?: readonly string[]; initial?: string }): Promise<string>
  one<T extends string>(question: { message: string; choices: readonly Choice<T>[]; initial?: T }): Promise<T>
  many<T extends string>(question: {
    message: string
    choices: readonly Choice<T>[]
    initial: readonly T[]
  }): Promise<T[]>
}

export interface Asking {
  env: Readonly<Record<string, string | undefined>>
  color: boolean
  /** Ends a question that is open. */
  signal?: AbortSignal | undefined
}

/** Questions as this terminal can show them: with a moving cursor, or one plain line after another. */
export async function openQuestions(asking: Asking): Promise<Questions> {
  if (asking.signal?.aborted) throw cancelled()
  if (isPlain(asking.env)) return (await import('./plain-questions.ts')).plainQuestions(asking)
  return (await import('./styled-questions.ts')).styledQuestions(asking)
}

/** A terminal that cannot move its cursor, or a person who hears it read aloud: nothing is drawn over, nothing blinks. */
export const isPlain = ({ TERM, ACCESSIBLE }: Asking['env']): boolean =>
  TERM === 'dumb' || !['', '0', 'false'].includes(ACCESSIBLE ?? '')
