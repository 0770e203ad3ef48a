import type { DecisionFact } from '../types/evidence.ts'
import type { PlanItem, SessionEvent } from '../types/session.ts'
import { type Asks, createAsks, createStated, type Stated } from './decisions.ts'
import { type CommandLog, createCommandLog } from './command-log.ts'
import { createUnderstanding } from './command-effects.ts'
import { createFileLog, type FileLog } from './file-log.ts'
import { createMentionLog, type MentionLog } from './mentions.ts'
import { createReferences, createWorkLog, type References, type WorkLog } from './work-log.ts'
import { createStanding, type Standing } from './standing.ts'
import { createTurns, type Turns } from './turns.ts'

export type Call = Extract<SessionEvent, { kind: 'call' }>
export type Result = Extract<SessionEvent, { kind: 'result' }>

/** Everything kept of a session while its events stream by; each part bounds its own memory. */
export interface Fold {
  files: FileLog
  commands: CommandLog
  mentions: MentionLog
  standing: Standing
  stated: Stated
  asks: Asks
  /** Options of the agent's messages that the person picked. */
  picks: DecisionFact[]
  turns: Turns
  work: WorkLog
  references: References
  /** Clock of the files and of the commands when the agent spoke last. */
  said: { clock: number; order: number; calls: number }
  calls: number
  /** The agent's plan, and the turn that changed it last. */
  plan: { items: PlanItem[]; turn: number; calls: number }
  /** What the agent wrote when its context was summarised last, empty when it never was. */
  summary: string
  skills: string[]
  tools: Set<string>
  settings: { model: string | null; thinking: string | null; tools: string[] | null; version: string | null }
  understand: ReturnType<typeof createUnderstanding>
  /** Directories that calls were made in, and checkouts that the session added with `git worktree add`. */
  cwds: Set<string>
  worktrees: Set<string>
  /** Commands that were refused, and lines that also ran handoff. */
  leftOut: { text: string; why: string }[]
  sessionCwd: string | null
  home: string
}

export const createFold = (context: { sessionCwd: string | null; home: string }): Fold => ({
  files: createFileLog(),
  commands: createCommandLog(),
  mentions: createMentionLog(),
  standing: createStanding(),
  stated: createStated(),
  asks: createAsks(),
  picks: [],
  turns: createTurns(),
  work: createWorkLog(),
  references: createReferences(),
  said: { clock: 0, order: 0, calls: 0 },
  calls: 0,
  plan: { items: [], turn: 0, calls: 0 },
  summary: '',
  skills: [],
  tools: new Set(),
  settings: { model: null, thinking: null, tools: null, version: null },
  understand: createUnderstanding(context.home),
  cwds: new Set(),
  worktrees: new Set(),
  leftOut: [],
  sessionCwd: context.sessionCwd,
  home: context.home,
})
