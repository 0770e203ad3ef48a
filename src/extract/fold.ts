import type { DecisionFact } from '../types/evidence.ts'
import type { PlanItem, SessionEvent } from '../types/session.ts'
import { createCommandLog } from './command-log.ts'
import { createAsks, createStated } from './decisions.ts'
import { createFileLog } from './file-log.ts'
import { createMentionLog } from './mentions.ts'
import { createReferences } from './references.ts'
import { createStanding } from './standing.ts'
import { createTurns } from './turns.ts'
import { createWorkLog } from './work-log.ts'

export type Call = Extract<SessionEvent, { kind: 'call' }>
export type Result = Extract<SessionEvent, { kind: 'result' }>

/** Everything kept of a session while its events stream by; each part bounds its own memory. */
export const createFold = ({ sessionCwd, home }: { sessionCwd: string | null; home: string }) => ({
  files: createFileLog(),
  commands: createCommandLog(),
  mentions: createMentionLog(),
  standing: createStanding(),
  stated: createStated(),
  asks: createAsks(),
  /** Options of the agent's messages that the person picked. */
  picks: [] as DecisionFact[],
  turns: createTurns(),
  work: createWorkLog(),
  references: createReferences(),
  /** Clock of the files and of the commands when the agent spoke last. */
  said: { clock: 0, order: 0, calls: 0 },
  /** The same, when it last told at some length how things stand. */
  reported: { clock: 0, order: 0, calls: 0 },
  /** Of the main conversation. */
  calls: 0,
  /** The agent's plan, and the turn that changed it last. */
  plan: { items: [] as PlanItem[], turn: 0, calls: 0 },
  /** What the agent wrote when its context was summarised last, empty when it never was. */
  summary: '',
  skills: [] as string[],
  tools: new Set<string>(),
  settings: { model: null, thinking: null, tools: null, version: null } as Settings,
  /** Directories that calls were made in. */
  cwds: new Set<string>(),
  /** Checkouts that the session added with `git worktree add`, with the folder that it did so in. */
  worktrees: new Map<string, string | null>(),
  /** Commands that were refused, and lines that also ran handoff. */
  leftOut: [] as { text: string; why: string }[],
  /** Where the last call of the main conversation was made. */
  lastCwd: sessionCwd,
  sessionCwd,
  home,
})
export type Fold = ReturnType<typeof createFold>

type Settings = Record<'model' | 'thinking' | 'version', string | null> & { tools: string[] | null }
