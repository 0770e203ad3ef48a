import type { Config } from '../types/config.ts'
import type { Evidence, SourceRecord } from '../types/evidence.ts'
import type { GitState } from '../types/git.ts'
import type { AgentId, SessionEvent } from '../types/session.ts'
import { createFold } from './fold.ts'
import type { Inherited } from './inherit.ts'
import { joinEvidence } from './join.ts'

/** What is known before the first event. No clock: times come from the events. */
export interface ExtractContext {
  /** Directory the session was started in, absolute, as recorded; null when its format does not say. */
  sessionCwd: string | null
  /** Home directory, for `~` in paths. */
  home: string
}

/** What is known after the last event. */
export interface FinishInput {
  git: GitState | null
  goal: string
  focus: string | null
  /** What the parent brief hands down. */
  inherited: Inherited | null
  /** The departing agent; null for a brief from git alone. */
  agent: { id: AgentId; label: string } | null
  sessionId: string | null
  config: Config
  /** The repository's decision and plan files; of them only those that matter for the goal or were changed are taken. */
  records?: readonly SourceRecord[]
  /** Such files that could not be read. */
  unreadRecords?: number
  /** Lines of the transcript that could not be used, by reason. */
  skipped?: Partial<Record<'torn' | 'not-json' | 'unknown', number>>
}

export interface Extractor {
  add(event: SessionEvent): void
  finish(input: FinishInput): Evidence
}

/**
 * Folds the events of one session as they stream, then joins them with git and the goal. Memory is bounded per kind of fact
 * and does not grow with the length of the session. Pure: the same events and input give the same evidence. Texts are never
 * cut inside a word, so that the caller can still find and redact whole values.
 *
 * Order of operations: (1) each call waits for its result; handoff's own traces are left out as they pass; (2) at the end,
 * calls without a result count as attempts; (3) the roots of the recorded checkout are inferred; (4) paths are made canonical,
 * renames followed, duplicates merged; (5) git's changes and commits join; (6) names in the goal, prompts and plan are
 * resolved; (7) what the parent handed down is merged unless taken back or settled; (8) everything is put in order.
 */
export function createExtractor(context: ExtractContext): Extractor {
  const { fold, add, settle } = createFold(context)
  return {
    add,
    finish(input) {
      settle()
      return joinEvidence(fold, input)
    },
  }
}
