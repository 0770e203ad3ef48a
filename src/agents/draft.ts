import type { Action, SessionEvent } from '../types/session.ts'

export type Stamp = Pick<SessionEvent, 'at' | 'sub' | 'cwd'>

/** An event that is not stamped yet; `at` and `cwd` only where it has its own. */
export type Draft = SessionEvent extends infer E
  ? E extends SessionEvent
    ? Omit<E, 'at' | 'sub' | 'cwd'> & { at?: string | null; cwd?: string | null }
    : never
  : never

export type DraftOf<K extends SessionEvent['kind']> = Extract<Draft, { kind: K }>

/** A draft held by nobody else becomes the event itself: copies cost a tenth of the reading time. */
export const stamped = (draft: Draft, { at, sub, cwd }: Stamp): SessionEvent =>
  Object.assign(draft, { at: draft.at === undefined ? at : draft.at, sub, cwd: draft.cwd ?? cwd })

/**
 * Takes all that a record tells of the settings and answers with what is new; what is empty says nothing. The model and tools of a
 * subagent, `sub`, are not the session's.
 */
export function createSettings(
  sub: string | null = null,
): (all: Omit<DraftOf<'setting'>, 'kind'>) => DraftOf<'setting'>[] {
  const known = new Map<string, string>()
  return (all) => {
    const fresh: Record<string, unknown> = {}
    for (const key of Object.keys(all) as (keyof typeof all)[]) {
      const value = all[key] ?? ''
      const now = String(value)
      if (value.length === 0 || known.get(key) === now) continue
      known.set(key, now)
      fresh[key] = value
    }
    return sub !== null || Object.keys(fresh).length === 0 ? [] : [{ kind: 'setting', ...fresh }]
  }
}

/** Tokens of one request; nothing for the zeros of one that failed. */
export const usageOf = (
  inputTokens: number,
  outputTokens: number,
  contextTokens = inputTokens + outputTokens,
  contextWindow: number | null = null,
): DraftOf<'usage'>[] =>
  inputTokens + outputTokens === 0
    ? []
    : [{ kind: 'usage', inputTokens, outputTokens, contextTokens, contextWindow }]

export const callOf = (
  id: string,
  tool: string,
  action: Action,
  more: Partial<DraftOf<'call'>> = {},
): DraftOf<'call'> => ({ kind: 'call', id, tool, action, by: 'agent', ...more })

export type Known = { [K in keyof DraftOf<'result'>]?: DraftOf<'result'>[K] | null | false | undefined }

/** How a call ended; its output is clipped, and what is empty in `more` says nothing. */
export function endOf(id: string, ok: boolean, text = '', more: Known = {}): DraftOf<'result'> {
  const known = Object.entries(more).filter(([, value]) => value || value === 0)
  return { kind: 'result', id, ok, exitCode: null, text: clip(text), ...Object.fromEntries(known) }
}

/** Longest result text an event carries, in characters. */
const CLIP = 4000

/** Cuts a text at line boundaries to head and tail, so that no value is cut in two; says how much is missing. */
export function clip(text: string, max = CLIP): string {
  if (text.length <= max) return text
  const half = Math.floor(max / 2)
  const headEnd = text.lastIndexOf('\n', half)
  const tailStart = text.indexOf('\n', text.length - half)
  const head = headEnd > 0 ? text.slice(0, headEnd) : ''
  const tail = tailStart !== -1 ? text.slice(tailStart + 1) : ''
  const kept = head.length + tail.length
  return `${head}\n[… ${text.length - kept} characters left out …]\n${tail}`
}

export const promptOf = (text: string): DraftOf<'prompt'>[] =>
  text.trim() === '' ? [] : [{ kind: 'prompt', text }]

export const replyOf = (text: string): DraftOf<'reply'>[] =>
  text.trim() === '' ? [] : [{ kind: 'reply', text }]
